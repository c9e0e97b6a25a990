"""The view that rules judge: a job's facts, whether they come from a plan, a Vertex body or observed resources.

A field named in `unknown` is not known (a preview's unknown value, or one that is ill-formed and reported already); a
rule asks for what it needs with `need`, and is put off where that is unknown instead of passing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from trainingjobs.catalog import Target
from trainingjobs.core.paths import FieldPath
from trainingjobs.spec.roles import Role

# A job's document, the body of a job on Vertex AI, an object of a cluster.
Form = Literal["document", "body", "object"]

# Where a Vertex worker pool keeps what our document keeps flat.
BODY_FIELDS = {
    "machineType": "machineSpec.machineType",
    "acceleratorType": "machineSpec.acceleratorType",
    "acceleratorCount": "machineSpec.acceleratorCount",
    "reservationAffinity": "machineSpec.reservationAffinity",
    "container.imageUri": "containerSpec.imageUri",
    "container.env": "containerSpec.env",
    "container.args": "containerSpec.args",
    "pythonPackage.executorImageUri": "pythonPackageSpec.executorImageUri",
    "pythonPackage.env": "pythonPackageSpec.env",
    "pythonPackage.args": "pythonPackageSpec.args",
    "bootDiskType": "diskSpec.bootDiskType",
    "bootDiskSizeGb": "diskSpec.bootDiskSizeGb",
}
# What of a CustomJobSpec rules may need: all of it is unknown where the CustomJobSpec is.
BODY_KEYS = ("workerPoolSpecs", "scheduling", "serviceAccount", "baseOutputDirectory")
# What stands beside a CustomJobSpec and not in it.
BESIDE_BODY = ("labels", "allowReplaceWhileRunning", "parallelTrialCount")


# Every field that a rule may need of a pool: all of them are unknown where the pool is.
POOL_FIELDS = frozenset(BODY_FIELDS) | {"replicaCount", "reservationAffinity.values"}


# A fifth pool is refused; beyond so many a hostile body is not looked at.
MOST_POOLS = 50


class Unknown:
    """Stands in a body for a value that a preview does not know yet."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()


class NotKnownError(Exception):
    """A rule needs a fact that is not known yet; carries its path."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def _placed(places: Mapping[str, str], name: str, default: str) -> FieldPath:
    """Returns where an object holds a field, or the nearest of what is around it."""
    while name:
        if name in places:
            return FieldPath(places[name])
        name = name.rpartition(".")[0]
    return FieldPath(default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the user says is installed in an image; None: unsaid."""

    tensorflow: str | None = None
    torch: str | None = None
    nccl: str | None = None
    packages: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """One pool. `position` is its place in a list of pools; `gap` says that it holds a place and has no replicas.

    `of_job` are fields (document names) that stand at the job, whose path is `job_path`, and that the pool has of it.
    `places` says where an object holds the fields. `beside` is the same pool by each further container of its pods;
    `shares_machine`: other pods may run on the machine beside a replica, which then has it in part. `zones` is None
    where they are not the job's to say.
    """

    role: Role | None
    position: int
    path: str
    form: Form = "document"
    replica_count: int = 0
    machine_type: str | None = None
    accelerator_type: str | None = None
    accelerator_count: int = 0
    boot_disk_type: str | None = None
    boot_disk_size_gb: int | None = None
    image: str | None = None
    is_python_package: bool = False
    env: Mapping[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    declares: Declared | None = None
    reservation: str | None = None
    reservation_values: tuple[str, ...] = ()
    queued: bool = False
    compact: bool = False
    zones: tuple[str, ...] | None = ()
    fast_socket: bool = False
    gpu_networks: int = 0
    gap: Literal["", "empty", "null", "fields"] = ""
    inherited: frozenset[str] = field(default_factory=frozenset)
    of_job: frozenset[str] = field(default_factory=frozenset)
    job_path: str = ""
    places: Mapping[str, str] = field(default_factory=dict)
    beside: tuple[PoolFacts, ...] = ()
    shares_machine: bool = False
    unknown: frozenset[str] = field(default_factory=frozenset)

    def at(self, name: str) -> FieldPath:
        """Returns the path where a field is written, given as our document names it (`container.imageUri`)."""
        if self.form == "object":
            return _placed(self.places, name, self.path)
        if self.form == "body":
            name = BODY_FIELDS.get(name, name)
        elif any(FieldPath(name).within(place) for place in self.of_job):
            return FieldPath(self.job_path) / name
        return FieldPath(self.path) / name

    def need(self, *names: str) -> None:
        """Raises NotKnownError where one of the fields (document names) is unknown."""
        for name in names:
            if name in self.unknown or "*" in self.unknown:
                raise NotKnownError(self.at(name))

    @property
    def image_path(self) -> str:
        """Returns the path of the image."""
        return self.at("pythonPackage.executorImageUri" if self.is_python_package else "container.imageUri")

    def of_code(self, name: str) -> str:
        """Returns the path of `env` or `args` of what the pool runs."""
        return self.at(f"{'pythonPackage' if self.is_python_package else 'container'}.{name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """A job. `framework` and `environment` are None where nothing says them; `path` is "" for a document of its own.

    `around` is the place of what holds a body. `kind_deprecation` says why the kind's interface has an end and
    `kind_successor` what takes its place, "" where it has none; `names_master`: TF_CONFIG calls the primary `master`.
    `parallel_trials` are the trials that run at once, each on all pools; `has_own_account` says that the stack declares
    a service account for a job that names none; `timeout` in seconds. `places` says where an object holds the fields,
    `part_of` which group its replicas belong to whose others are resources of their own, "" where the job is whole.
    """

    name: str
    path: str
    around: str = ""
    form: Form = "document"
    platform: Literal["vertex", "gke", "kubernetes"] = "vertex"
    target: Target = "vertex"
    kind: str = ""
    kind_deprecation: str = ""
    kind_successor: str = ""
    names_master: bool = False
    framework: str | None = None
    region: str = "us-central1"
    environment: str | None = None
    pools: tuple[PoolFacts, ...] = ()
    service_account: str | None = None
    has_own_account: bool = False
    parallel_trials: int = 1
    allows_replacement: bool = False
    strategy: str | None = None
    restarts: bool | None = None
    has_output: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    runtime_version: str | None = None
    uses_chief: bool | None = None
    timeout: float | None = None
    declares_gpu_networks: bool = False
    places: Mapping[str, str] = field(default_factory=dict)
    part_of: str = ""
    unknown: frozenset[str] = field(default_factory=frozenset)

    def at(self, name: str) -> FieldPath:
        """Returns the path of a field of the job."""
        if self.form == "object":
            return _placed(self.places, name, self.path)
        is_beside = self.form == "body" and name.split(".")[0] in BESIDE_BODY
        return FieldPath(self.around if is_beside else self.path) / name

    def need(self, *names: str) -> None:
        """Raises NotKnownError where one of the fields is unknown."""
        for name in names:
            if name in self.unknown or "*" in self.unknown:
                raise NotKnownError(self.at(name))

    def containers(self) -> Iterator[PoolFacts]:
        """Yields each pool, and after it the same pool by each further container of its pods."""
        for pool in self.pools:
            yield from (pool, *pool.beside)

    def of(self, role: Role) -> tuple[PoolFacts, ...]:
        """Returns the pools of a role that have replicas, or may have (an unknown count).

        Raises NotKnownError where nothing is known of a body's pools, or where one may be reducers or parameter
        servers: its image, or the document, alone tells which.
        """
        self.need("workerPoolSpecs")
        if role in ("reducers", "parameterServers"):
            for pool in self.pools:
                if "role" in pool.unknown:
                    raise NotKnownError(pool.at("container.imageUri"))
        return tuple(
            p
            for p in self.pools
            if p.role == role and not p.gap and (p.replica_count or "replicaCount" in p.unknown or role == "reducers")
        )
