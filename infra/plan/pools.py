"""Roles → ordered pools with everything inherited filled in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from infra import catalog
from infra.plan.roles import POSITION, ROLES, Role
from infra.plan.sizing import DEFAULT_REDUCER
from infra.spec.job import Container, Job, NfsMount, Pool, PythonPackage, ReservationAffinity
from infra.spec.node_pool import InstanceGroup, NodePool


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPool:
    """One pool as it will run.

    `replica_count` is 0 only for reducers whose size is not decided yet or cannot be. `inherited` names the fields that
    stand at the primary or the job. Disk sizes in GB.
    """

    role: Role
    path: str
    replica_count: int
    machine_type: str | None = None
    accelerator_type: str | None = None
    accelerator_count: int = 0
    boot_disk_type: str | None = None
    boot_disk_size_gb: int | None = None
    container: Container | None = None
    python_package: PythonPackage | None = None
    reservation_affinity: ReservationAffinity | None = None
    nfs_mounts: tuple[NfsMount, ...] = ()
    tpu_topology: str | None = None
    node_pool: NodePool | None = None
    instance_group: InstanceGroup | None = None
    inherited: frozenset[str] = field(default_factory=frozenset)

    @property
    def position(self) -> int:
        """Returns the pool's place in Vertex AI's workerPoolSpecs."""
        return POSITION[self.role]

    @property
    def image(self) -> str | None:
        """Returns the image that the pool runs, None where nothing says it."""
        if self.python_package is not None:
            return self.python_package.executor_image_uri
        return self.container.image_uri if self.container else None


def ordered_pools(job: Job, region: str, path: str, unknown: frozenset[str]) -> tuple[PlannedPool, ...]:
    """Returns the pools that exist, in the order of ROLES; `path` is the job's place in its document.

    Machine, accelerators and disk of the primary go to workers only; the image, with its command, to workers, parameter
    servers and evaluators (AI Platform containers guide, "API mapping"); nothing goes to reducers.
    """
    pools: list[PlannedPool] = []
    primary: PlannedPool | None = None
    for role in ROLES:
        pool = _given(job, role)
        at = _join(path, f"pools.{role}")
        if pool is None or not _exists(role, pool, at, unknown):
            continue
        planned = _planned(role, pool, at)
        planned = _with_image(job, planned, pool, primary, region)
        if role == "workers" and primary is not None:
            planned = _with_machine_of(planned, pool, primary)
        planned = _with_implied_accelerators(planned, pool)
        pools.append(planned)
        primary = planned if role == "primary" else primary
    return tuple(pools)


def _join(path: str, rest: str) -> str:
    return f"{path}.{rest}" if path else rest


def _given(job: Job, role: Role) -> Pool | None:
    pools = job.pools
    return {
        "primary": pools.primary,
        "workers": pools.workers,
        "parameterServers": pools.parameter_servers,
        "reducers": pools.reducers,
        "evaluators": pools.evaluators,
    }[role]


def _exists(role: Role, pool: Pool, path: str, unknown: frozenset[str]) -> bool:
    if any(place.startswith(path + ".") for place in unknown):
        return True
    # A primary of 0 replicas is a fault to be shown where it stands, not an absent pool.
    if role == "primary":
        return bool(pool.model_fields_set)
    return bool(pool.model_fields_set) and pool.replica_count != 0


def _planned(role: Role, pool: Pool, path: str) -> PlannedPool:
    count = pool.replica_count
    machine = pool.machine_type
    if role == "reducers" and machine is None:
        machine = DEFAULT_REDUCER
    return PlannedPool(
        role=role,
        path=path,
        replica_count=(0 if role == "reducers" else 1) if count is None else count,
        machine_type=machine,
        accelerator_type=pool.accelerator_type,
        accelerator_count=pool.accelerator_count or 0,
        boot_disk_type=pool.boot_disk_type,
        boot_disk_size_gb=pool.boot_disk_size_gb,
        reservation_affinity=pool.reservation_affinity,
        nfs_mounts=pool.nfs_mounts or (),
        tpu_topology=pool.tpu_topology,
        node_pool=pool.node_pool,
        instance_group=pool.instance_group,
    )


def _with_image(job: Job, planned: PlannedPool, pool: Pool, primary: PlannedPool | None, region: str) -> PlannedPool:
    """What a pool runs: its own, else the primary's, else the job's; reducers: their own or the region's server."""
    if planned.role == "reducers":
        own = pool.container or Container.model_validate({})
        if own.image_uri is None and job.platform == "vertex":
            own = own.model_copy(update={"image_uri": catalog.reduction_server_image(region)})
        return replace(planned, container=own)
    if pool.python_package is not None:
        return replace(planned, python_package=pool.python_package)
    base_container = primary.container if primary else job.container
    base_package = primary.python_package if primary else job.python_package
    if pool.container is None:
        both = {"container": base_container, "python_package": base_package}
        return replace(planned, **both, inherited=planned.inherited | {"image"})  # type: ignore[arg-type]
    if pool.container.image_uri is not None or base_container is None:
        return replace(planned, container=pool.container)
    return replace(
        planned, container=_overlaid(base_container, pool.container), inherited=planned.inherited | {"image"}
    )


def _overlaid(base: Container, own: Container) -> Container:
    """The base container with what the pool says of its own; env is joined name by name."""
    said = {name: getattr(own, name) for name in own.model_fields_set if getattr(own, name) is not None}
    if own.env is not None:
        said["env"] = {**(base.env or {}), **own.env}
    return base.model_copy(update=said)


def _with_machine_of(planned: PlannedPool, pool: Pool, primary: PlannedPool) -> PlannedPool:
    """Workers with the primary's machine, accelerators and disk where they say nothing of their own.

    Accelerators follow to another machine too where they can be attached to it, the node pool only to the same one.
    """
    inherited = set(planned.inherited)
    said: dict[str, object] = {}
    if pool.machine_type is None:
        said["machine_type"] = primary.machine_type
        inherited.add("machine_type")
    same = pool.machine_type in (None, primary.machine_type)
    names = ("boot_disk_type", "boot_disk_size_gb", *(("node_pool",) if same else ()))
    # acceleratorCount 0 says: none, whatever the primary has.
    if pool.accelerator_count != 0 and (same or catalog.attaches(pool.machine_type, primary.accelerator_type)):
        names = ("accelerator_type", "accelerator_count", *names)
    for name in names:
        if getattr(pool, name) is None:
            said[name] = getattr(primary, name)
            inherited.add(name)
    return replace(planned, **said, inherited=frozenset(inherited))  # type: ignore[arg-type]


def _with_implied_accelerators(planned: PlannedPool, pool: Pool) -> PlannedPool:
    """A2, A3, A4, G2 and G4 machines bring their accelerators; what the user said stays, for the rules to judge."""
    implied = catalog.built_in_accelerators(planned.machine_type) if planned.machine_type else None
    if implied is None:
        return planned
    return replace(
        planned,
        accelerator_type=planned.accelerator_type or implied[0],
        accelerator_count=implied[1]
        if pool.accelerator_count is None and not planned.accelerator_count
        else planned.accelerator_count,
    )
