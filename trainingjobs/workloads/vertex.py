"""A kind of job on Vertex AI: what tells it apart, and the CustomJobSpec that every kind carries, in camelCase.

Sources: Vertex AI distributed training guide, "Configure a distributed training job"; v1 CustomJobSpec reference.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from trainingjobs.catalog.images import reduction_server_images
from trainingjobs.plan.structure import machines_missing
from trainingjobs.spec.roles import POSITION
from trainingjobs.workloads import registry, vertex_environment, vertex_observation
from trainingjobs.workloads.fields import Field
from trainingjobs.workloads.vertex_types import canonical_spec

if TYPE_CHECKING:
    from trainingjobs.core.findings import Finding
    from trainingjobs.core.paths import FieldPath
    from trainingjobs.core.source import Node
    from trainingjobs.facts.job import JobFacts
    from trainingjobs.plan.job import JobPlan
    from trainingjobs.plan.pools import PlannedPool
    from trainingjobs.spec.job import Container, PythonPackage

# Fields of the job that CustomJobSpec has by the same name.
SAME: Final = (
    "persistent_resource_id",
    "scheduling",
    "service_account",
    "network",
    "reserved_ip_ranges",
    "psc_interface_config",
    "base_output_directory",
    "protected_artifact_location_id",
    "tensorboard",
    "enable_web_access",
    "enable_dashboard_access",
    "experiment",
    "experiment_run",
    "models",
)


class VertexWorkload(registry.Workload):
    """A kind of job at Vertex AI.

    `token` is its resource's type in Pulumi, `collection` its name in the service's paths, `spec_key` the property that
    holds its CustomJobSpec. `content` are the properties that are its body, `results` those that its end brings.
    `state_prefix` begins its states; `gcloud_group` has its commands, "" where gcloud has none. `marks` are the keys by
    which a body is known to be of the kind, `spec_paths` where such a body may keep its CustomJobSpec, `known_keys` all
    that it may have, where that is checked. `about` is what the resource's reference begins with, `brings` those of
    `results` that a wait for the job's success gives. `backs_others`: jobs of other kinds are done by jobs of this one.
    """

    platforms = ("vertex",)
    speaks = "vertex"
    about: ClassVar[str]
    token: ClassVar[str]
    collection: ClassVar[str]
    spec_key: ClassVar[str]
    content: ClassVar[Mapping[str, Field]]
    results: ClassVar[Mapping[str, Field]] = {}
    brings: ClassVar[tuple[str, ...]] = ()
    backs_others: ClassVar[bool] = False
    state_prefix: ClassVar[str] = "JOB_STATE_"
    gcloud_group: ClassVar[str] = ""
    marks: ClassVar[tuple[str, ...]]
    known_keys: ClassVar[Mapping[str, Any]] = {}
    spec_paths: ClassVar[tuple[tuple[str, ...], ...]]

    @abstractmethod
    def content_of(self, plan: JobPlan) -> dict[str, Any]:
        """Returns what the body of a planned job holds beside its name, labels and key."""

    @abstractmethod
    def read_content(self, body: Node) -> dict[str, Any]:
        """Returns the fields of a job document that a body holds beside its CustomJobSpec, name, labels and key."""

    def place_in_body(self, path: FieldPath) -> FieldPath:
        """Returns where the body holds what a job document has at a path."""
        return path

    def body(self, plan: JobPlan) -> dict[str, Any]:
        """Returns what a create request carries."""
        body: dict[str, Any] = {"displayName": plan.job.display_name or plan.name, **self.content_of(plan)}
        if plan.job.labels:
            body["labels"] = dict(sorted(plan.job.labels.items()))
        if plan.job.encryption_spec:
            body["encryptionSpec"] = plain(plan.job.encryption_spec)
        return body

    def render(self, plan: JobPlan) -> registry.Rendering:
        """Returns the body, and what it lacks."""
        return self.body(plan), list(machines_missing(plan.pools, "Vertex AI"))

    def environment(self, plan: JobPlan, pool: PlannedPool, index: int, trial: str | None) -> dict[str, str]:
        """Returns CLUSTER_SPEC and TF_CONFIG as Vertex AI sets them."""
        return vertex_environment.replica_environment(custom_job_spec(plan), pool.position, index, trial=trial)

    def canonical(self, properties: Mapping[str, object], key: str) -> object:
        """Returns one part of the body with what changes nothing left out; None where nothing is left."""
        return canonical_spec(properties.get(key), self.content[key].kind) or None

    def identity(self, properties: Mapping[str, object], key: str) -> object:
        """Returns one part of the body as it tells jobs apart: the reduction server is the same from any region."""
        return _from_one_region(self.canonical(properties, key))

    def observed_facts(self, properties: Mapping[str, Any], environment: str | None) -> tuple[JobFacts, list[Finding]]:
        """Returns the facts of the kind's resource by its properties, and what is ill-formed in them.

        `environment` is the stack's: the stricter of it and the resource's own holds.
        """
        return vertex_observation.observed_facts(self, properties, environment)

    def failures(self, properties: Mapping[str, object]) -> Iterator[tuple[str, str]]:  # noqa: ARG002 (for some kinds)
        """Yields (property path, reason) for values of its own properties that do not go together."""
        yield from ()

    def observed_results(self, job: Mapping[str, Any], state: str) -> dict[str, Any]:  # noqa: ARG002 (for some kinds)
        """Returns those of `results` that a job at the service has, by its state without the prefix."""
        return {}

    def progress(self, job: Mapping[str, Any], replicas: str) -> str:  # noqa: ARG002 (for kinds that count more)
        """Returns how far a running job is, as a message begins with it; `replicas` says how many it has."""
        return f"{replicas}, " if replicas else ""


def vertex_workloads() -> tuple[VertexWorkload, ...]:
    """Returns the kinds of Vertex AI, in the order of their registration."""
    return tuple(workload for workload in registry.workloads() if isinstance(workload, VertexWorkload))


def vertex_workload(plan: JobPlan) -> VertexWorkload:
    """Returns the kind of a job that runs on Vertex AI. Raises TypeError for a job of a cluster."""
    workload = registry.workload(plan.kind)
    if not isinstance(workload, VertexWorkload):
        message = f"{plan.kind} is no kind of Vertex AI"
        raise TypeError(message)
    return workload


def kind_on_vertex(plan: JobPlan) -> VertexWorkload:
    """Returns the kind that a job is, or of a job of a cluster: would be, on Vertex AI."""
    kind = registry.workload(plan.kind)
    return kind if isinstance(kind, VertexWorkload) else default_workload()


def tuning_workload() -> VertexWorkload:
    """Returns the kind that runs trials. Raises LookupError where none does."""
    return next(workload for workload in vertex_workloads() if workload.runs_trials)


def default_workload() -> VertexWorkload:
    """Returns the kind of a job that names none. Raises LookupError where no kind is the default."""
    return next(workload for workload in vertex_workloads() if workload.is_default)


def by_token(name: str) -> VertexWorkload | None:
    """Returns the kind of a type token, or of a URN with one; None where it is none of Vertex AI's."""
    token = name.split("::")[2].rpartition("$")[2] if name.count("::") >= 3 else name
    return next((workload for workload in vertex_workloads() if workload.token == token), None)


def by_collection(name: str) -> VertexWorkload | None:
    """Returns the kind of a collection, such as customJobs; None where it is none."""
    return next((workload for workload in vertex_workloads() if workload.collection == name), None)


def by_body(job: Mapping[str, Any]) -> VertexWorkload | None:
    """Returns the kind whose spec a job has, by its inputs or as the service describes it; None where none has."""
    return next((workload for workload in vertex_workloads() if workload.spec_key in job), None)


def worker_pools_of(job: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the worker pools of a job, by its inputs or as the service describes it; placeholders left out."""
    for workload in vertex_workloads():
        spec = job.get(workload.spec_key)
        pools = spec.get("workerPoolSpecs") if isinstance(spec, Mapping) else None
        if isinstance(pools, list):
            return [pool for pool in pools if isinstance(pool, Mapping) and pool]
    return []


def _from_one_region(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _from_one_region(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_from_one_region(item) for item in value]
    official = reduction_server_images()
    return official[-1] if isinstance(value, str) and value in official else value


def plain(value: Any) -> Any:
    """Returns a part of the specification as JSON values with Vertex's keys; what is unset is left out."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return list(value) if isinstance(value, tuple) else value


def custom_job_spec(plan: JobPlan) -> dict[str, Any]:
    """Returns the CustomJobSpec: ordered worker pools with {} for a skipped one, and the job's own fields."""
    by_position = {POSITION[pool.role]: _pool_spec(pool) for pool in plan.pools}
    specs = [by_position.get(position, {}) for position in range(max(by_position, default=-1) + 1)]
    fields = {name: getattr(plan.job, name) for name in SAME}
    return {
        "workerPoolSpecs": specs,
        **{camel(name): plain(value) for name, value in fields.items() if value is not None},
    }


def camel(name: str) -> str:
    """Returns a field's name of the specification as Vertex AI writes it."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def _pool_spec(pool: PlannedPool) -> dict[str, Any]:
    machine: dict[str, Any] = {"machineType": pool.machine_type}
    if pool.accelerator_count:
        machine |= {"acceleratorType": pool.accelerator_type, "acceleratorCount": pool.accelerator_count}
    if pool.tpu_topology:
        machine["tpuTopology"] = pool.tpu_topology
    if pool.reservation_affinity:
        machine["reservationAffinity"] = plain(pool.reservation_affinity)
    disk = {"bootDiskType": pool.boot_disk_type, "bootDiskSizeGb": pool.boot_disk_size_gb}
    spec: dict[str, Any] = {"machineSpec": machine, "replicaCount": pool.replica_count}
    if any(disk.values()):
        spec["diskSpec"] = {key: value for key, value in disk.items() if value is not None}
    if pool.nfs_mounts:
        spec["nfsMounts"] = [plain(mount) for mount in pool.nfs_mounts]
    if pool.python_package is not None:
        spec["pythonPackageSpec"] = _package_spec(pool.python_package)
    elif pool.container is not None:
        spec["containerSpec"] = _container_spec(pool.container)
    return spec


def _container_spec(container: Container) -> dict[str, Any]:
    spec: dict[str, Any] = {"imageUri": container.image_uri}
    if container.command:
        spec["command"] = list(container.command)
    if container.args:
        spec["args"] = list(container.args)
    return {**spec, **environment_list(container.env)}


def _package_spec(package: PythonPackage) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "executorImageUri": package.executor_image_uri,
        "packageUris": list(package.package_uris),
        "pythonModule": package.python_module,
    }
    if package.args:
        spec["args"] = list(package.args)
    return {**spec, **environment_list(package.env)}


def environment_list(env: dict[str, str] | None) -> dict[str, Any]:
    """Returns `env` as the body's list, sorted by name; empty without variables."""
    return {"env": [{"name": name, "value": value} for name, value in sorted(env.items())]} if env else {}
