"""The id that a resource has once it exists, where its inputs alone say it: for one whose creation was cut off.

Ids as in the Terraform provider for Google Cloud; a Kubernetes object's is its namespace and name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

# `{name}` is the last part of a property's value.
GOOGLE: Final = {
    "gcp:artifactregistry/repository:Repository": "projects/{project}/locations/{location}/repositories/{repositoryId}",
    "gcp:compute/address:Address": "projects/{project}/regions/{region}/addresses/{name}",
    "gcp:compute/firewall:Firewall": "projects/{project}/global/firewalls/{name}",
    "gcp:compute/globalAddress:GlobalAddress": "projects/{project}/global/addresses/{name}",
    "gcp:compute/healthCheck:HealthCheck": "projects/{project}/global/healthChecks/{name}",
    "gcp:compute/instanceGroupManager:InstanceGroupManager": (
        "projects/{project}/zones/{zone}/instanceGroupManagers/{name}"
    ),
    "gcp:compute/instanceTemplate:InstanceTemplate": "projects/{project}/global/instanceTemplates/{name}",
    "gcp:compute/network:Network": "projects/{project}/global/networks/{name}",
    "gcp:compute/networkAttachment:NetworkAttachment": "projects/{project}/regions/{region}/networkAttachments/{name}",
    "gcp:compute/router:Router": "projects/{project}/regions/{region}/routers/{name}",
    "gcp:compute/routerNat:RouterNat": "{project}/{region}/{router}/{name}",
    "gcp:compute/subnetwork:Subnetwork": "projects/{project}/regions/{region}/subnetworks/{name}",
    "gcp:container/cluster:Cluster": "projects/{project}/locations/{location}/clusters/{name}",
    "gcp:container/nodePool:NodePool": "projects/{project}/locations/{location}/clusters/{cluster}/nodePools/{name}",
    "gcp:serviceaccount/account:Account": (
        "projects/{project}/serviceAccounts/{accountId}@{project}.iam.gserviceaccount.com"
    ),
    "gcp:storage/bucket:Bucket": "{name}",
}


def known_id(token: str, inputs: Mapping[str, object], provider: Mapping[str, object]) -> str | None:
    """Returns the id of a resource of these inputs and its provider's, None where they do not say it."""
    if token.startswith("kubernetes:"):
        return _kubernetes_id(inputs)
    template = GOOGLE.get(token)
    if template is None:
        # Creating a member of a policy that has it already is no error, and others' ids are not foreseeable.
        return None
    values = {**provider, **inputs}
    parts = {key: values.get(key) for key in re.findall(r"\{(\w+)\}", template)}
    if not all(isinstance(value, str) and value for value in parts.values()):
        return None
    return template.format(**{key: str(value).rstrip("/").rpartition("/")[2] for key, value in parts.items()})


def _kubernetes_id(inputs: Mapping[str, object]) -> str | None:
    metadata = inputs.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    if not isinstance(metadata, Mapping) or not isinstance(name, str):
        return None
    space = metadata.get("namespace")
    return f"{space}/{name}" if isinstance(space, str) else name
