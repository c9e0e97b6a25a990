"""The provider's functions (data sources) that the sandbox answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.gcp import cloud
from sandbox.gcp.errors import CloudError
from sandbox.gcp.provider_settings import Settings, guarded_state
from sandbox.gcp.resource_types import KINDS
from sandbox.gcp.service_types import GKE_VERSION, project_number, zones_of


def get_project(arguments: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return a project's id, name and number."""
    project = arguments.get("projectId") or settings.project
    if not project:
        raise CloudError("project: required field is not set; set it as gcp:project")
    return {
        "id": f"projects/{project}",
        "name": project,
        "number": str(project_number(project)),
        "projectId": project,
    }


def get_client_config(_arguments: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return what the provider is configured with; the token opens nothing."""
    places = {"project": settings.project, "region": settings.region, "zone": settings.zone}
    return {"id": "/".join(places.values()), "accessToken": "sandbox", **places}


def get_zones(arguments: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the zones of a region: three of them, whatever the region."""
    region = arguments.get("region") or settings.region
    project = arguments.get("project") or settings.project
    return {"id": f"projects/{project}/regions/{region}", "names": zones_of(region), "project": project}


def get_engine_versions(_arguments: dict[str, Any], _settings: Settings) -> dict[str, Any]:
    """Return the one GKE version that the sandbox knows."""
    return {
        "id": GKE_VERSION,
        "defaultClusterVersion": GKE_VERSION,
        "latestMasterVersion": GKE_VERSION,
        "latestNodeVersion": GKE_VERSION,
        "validMasterVersions": [GKE_VERSION],
        "validNodeVersions": [GKE_VERSION],
    }


def get_storage_account(arguments: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return Cloud Storage's own service account of a project."""
    project = arguments.get("project") or settings.project
    email = f"service-{project_number(project)}@gs-project-accounts.iam.gserviceaccount.com"
    return {"id": email, "emailAddress": email, "member": f"serviceAccount:{email}", "project": project}


def get_cluster(arguments: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return a cluster that is there, with the endpoint and the authority that a kubeconfig needs."""
    name, project = arguments.get("name", ""), arguments.get("project") or settings.project
    location = arguments.get("location") or settings.zone or settings.region
    kind = KINDS["gcp:container/cluster:Cluster"]
    cluster = cloud.read(guarded_state(), kind, f"projects/{project}/locations/{location}/clusters/{name}")
    if cluster is None:
        raise CloudError(f"projects/{project}/locations/{location}/clusters/{name}: not found")
    return {**cluster.properties, "id": cluster.id, "masterAuths": [cluster.properties["masterAuth"]]}


FUNCTIONS: dict[str, Callable[[dict[str, Any], Settings], dict[str, Any]]] = {
    "gcp:compute/getZones:getZones": get_zones,
    "gcp:container/getCluster:getCluster": get_cluster,
    "gcp:container/getEngineVersions:getEngineVersions": get_engine_versions,
    "gcp:organizations/getClientConfig:getClientConfig": get_client_config,
    "gcp:organizations/getProject:getProject": get_project,
    "gcp:storage/getProjectServiceAccount:getProjectServiceAccount": get_storage_account,
}
