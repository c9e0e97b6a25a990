"""Roles → ordered pools with everything inherited filled in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from trainingjobs import catalog
from trainingjobs.core.paths import FieldPath
from trainingjobs.estimates.reducers import DEFAULT_REDUCER
from trainingjobs.spec.job import Container, Job, NfsMount, Pool, PythonPackage, ReservationAffinity
from trainingjobs.spec.node_pool import InstanceGroup, NodePool
from trainingjobs.spec.roles import POSITION, ROLES, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPool:
    """One pool as it will run.

    `replica_count` is 0 only for reducers whose size is not decided yet or cannot be. `inherited` names the fields that
    stand at the primary or the job. Disk sizes in GB.
    """

    role: Role
    path: FieldPath
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


def ordered_pools(job: Job, region: str, path: FieldPath, unknown: frozenset[FieldPath]) -> tuple[PlannedPool, ...]:
    """Returns the pools that exist, in the order of ROLES; `path` is the job's place in its document.

    Machine, accelerators and disk of the primary go to workers only; the image, with its command, to workers, parameter
    servers and evaluators (AI Platform containers guide, "API mapping"); nothing goes to reducers.
    """
    pools: list[PlannedPool] = []
    primary: PlannedPool | None = None
    for role in ROLES:
        pool = _given(job, role)
        at = path / f"pools.{role}"
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


def _given(job: Job, role: Role) -> Pool | None:
    pools = job.pools
    return {
        "primary": pools.primary,
        "workers": pools.workers,
        "parameterServers": pools.parameter_servers,
        "reducers": pools.reducers,
        "evaluators": pools.evaluators,
    }[role]


def _exists(role: Role, pool: Pool, path: FieldPath, unknown: frozenset[FieldPath]) -> bool:
    if any(place.within(path) and place != path for place in unknown):
        return True
    # A primary of 0 replicas is a fault to be shown where it stands, not an absent pool.
    if role == "primary":
        return bool(pool.model_fields_set)
    return bool(pool.model_fields_set) and pool.replica_count != 0


def _planned(role: Role, pool: Pool, path: FieldPath) -> PlannedPool:
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
        container = pool.container or Container.model_validate({})
        if container.image_uri is None and job.platform == "vertex":
            container = container.model_copy(update={"image_uri": catalog.reduction_server_image(region)})
        return replace(planned, container=container)
    if pool.python_package is not None:
        return replace(planned, python_package=pool.python_package)
    base_container = primary.container if primary else job.container
    base_package = primary.python_package if primary else job.python_package
    if pool.container is None:
        base = {"container": base_container, "python_package": base_package}
        return replace(planned, **base, inherited=planned.inherited | {"image"})  # type: ignore[arg-type]
    if pool.container.image_uri is not None or base_container is None:
        return replace(planned, container=pool.container)
    return replace(
        planned, container=_overlaid(base_container, pool.container), inherited=planned.inherited | {"image"}
    )


def _overlaid(base: Container, override: Container) -> Container:
    """The base container with what the pool says of its own; env is joined name by name."""
    fields = {
        name: getattr(override, name) for name in override.model_fields_set if getattr(override, name) is not None
    }
    if override.env is not None:
        fields["env"] = {**(base.env or {}), **override.env}
    return base.model_copy(update=fields)


def _with_machine_of(planned: PlannedPool, pool: Pool, primary: PlannedPool) -> PlannedPool:
    """Workers with the primary's machine, accelerators and disk where they say nothing of their own.

    Accelerators follow to another machine too where they can be attached to it, the node pool only to the same one.
    """
    inherited = set(planned.inherited)
    fields: dict[str, object] = {}
    if pool.machine_type is None:
        fields["machine_type"] = primary.machine_type
        inherited.add("machine_type")
    is_same_machine = pool.machine_type in (None, primary.machine_type)
    names = ("boot_disk_type", "boot_disk_size_gb", *(("node_pool",) if is_same_machine else ()))
    # acceleratorCount 0 says: none, whatever the primary has.
    if pool.accelerator_count != 0 and (
        is_same_machine or catalog.attaches(pool.machine_type, primary.accelerator_type)
    ):
        names = ("accelerator_type", "accelerator_count", *names)
    for name in names:
        if getattr(pool, name) is None:
            fields[name] = getattr(primary, name)
            inherited.add(name)
    return replace(planned, **fields, inherited=frozenset(inherited))  # type: ignore[arg-type]


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
