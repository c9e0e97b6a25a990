"""One job's plan: ordered pools with the reducers sized, and the facts that the rules judge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from trainingjobs.catalog import Target
from trainingjobs.core.paths import FieldPath
from trainingjobs.estimates import reducers as sizing
from trainingjobs.estimates.reducers import Nodes, ReducerPool, Sizing
from trainingjobs.facts.job import Declared, JobFacts, PoolFacts
from trainingjobs.plan.pools import PlannedPool, ordered_pools
from trainingjobs.spec.job import Container, Job
from trainingjobs.spec.node_pool import NodePool

Places = frozenset[FieldPath]
# What workers may have of the primary, and its key.
MACHINE = {
    "machine_type": "machineType", "accelerator_type": "acceleratorType", "accelerator_count": "acceleratorCount"
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPlan:
    """A job as it will run. `sizing` is None without reducers, or where their size cannot be known.

    `reducer_hosts` are the addresses of reducers that are VMs; empty where they are the platform's own replicas.
    """

    name: str
    path: FieldPath
    job: Job
    kind: str
    region: str
    environment: str | None
    pools: tuple[PlannedPool, ...]
    sizing: Sizing | None
    facts: JobFacts
    reducer_hosts: tuple[str, ...] = ()


def plan_job(
    name: str,
    job: Job,
    *,
    kind: str,
    region: str = "us-central1",
    environment: str | None = None,
    path: str = "",
    unknown: frozenset[str] = frozenset(),
    in_stack: bool = False,
) -> JobPlan:
    """Returns the plan of a job, whatever is wrong with it: the rules judge its facts. `path` begins its paths.

    A stack (`in_stack`) gives a Vertex AI job that names none a folder of its own in the output bucket.
    """
    target: Target = "gke" if job.platform != "vertex" else "vertex"
    at = FieldPath(path)
    places = frozenset(map(FieldPath, unknown))
    pools = ordered_pools(job, region, at, places)
    pools, sized = _sized(pools, target, region, places)
    facts = JobFacts(
        name=name,
        path=at,
        platform=job.platform,
        target=target,
        kind=kind,
        framework=None if at / "framework" in places else job.framework,
        region=region,
        environment=environment,
        pools=tuple(_facts(pool, job, at, places) for pool in pools),
        service_account=job.service_account,
        has_own_account=True,
        parallel_trials=job.tuning.parallel_trial_count if job.tuning else 1,
        allows_replacement=job.allow_replace_while_running,
        strategy=job.scheduling.strategy if job.scheduling else None,
        restarts=job.scheduling.restart_job_on_worker_restart if job.scheduling else None,
        has_output=job.base_output_directory is not None or (in_stack and job.platform == "vertex"),
        labels=job.labels or {},
        runtime_version=job.runtime_version,
        uses_chief=job.use_chief_in_tf_config,
        timeout=float(job.scheduling.timeout.removesuffix("s")) if job.scheduling and job.scheduling.timeout else None,
        declares_gpu_networks=any(pool.node_pool and pool.node_pool.gpu_networks for pool in pools),
        unknown=frozenset(place.relative_to(at) for place in places if place.within(at)),
    )
    return JobPlan(
        name=name,
        path=at,
        job=job,
        kind=kind,
        region=region,
        environment=environment,
        pools=pools,
        sizing=sized,
        facts=facts,
    )


def _sized(
    pools: tuple[PlannedPool, ...], target: Target, region: str, unknown: Places
) -> tuple[tuple[PlannedPool, ...], Sizing | None]:
    reducers = next((pool for pool in pools if pool.role == "reducers"), None)
    if reducers is None or reducers.machine_type is None:
        return pools, None
    groups = _nodes(pools, target, region, unknown)
    sized = _reducer_pool(reducers, groups, target, region)
    if sized is None:
        unsized = replace(reducers, machine_type=None) if reducers.machine_type == sizing.AUTO else reducers
        return tuple(unsized if pool is reducers else pool for pool in pools), None
    sized_reducers = replace(reducers, machine_type=sized.machine_type, replica_count=sized.replica_count)
    return tuple(sized_reducers if pool is reducers else pool for pool in pools), Sizing(
        pool=sized, nodes=tuple(groups), verdict=sizing.verdict(groups, sized.gbps)
    )


def _nodes(pools: tuple[PlannedPool, ...], target: Target, region: str, unknown: Places) -> list[Nodes]:
    groups = []
    for pool in pools:
        if pool.role not in ("primary", "workers") or pool.machine_type is None:
            continue
        if any(place.within(pool.path) for place in unknown):
            return []
        nodes = sizing.nodes_of(
            pool.machine_type, pool.accelerator_type, pool.accelerator_count, pool.replica_count, target, region
        )
        if nodes is None:
            return []
        groups.append(nodes)
    return groups


def _reducer_pool(reducers: PlannedPool, groups: list[Nodes], target: Target, region: str) -> ReducerPool | None:
    machine = reducers.machine_type or sizing.DEFAULT_REDUCER
    total = sizing.needed_gbps(groups)
    if machine == sizing.AUTO:
        chosen = sizing.auto_pool(total, target, region) if total else None
        if chosen is None or not reducers.replica_count:
            return chosen
        machine = chosen.machine_type
    egress = sizing.reducer_gbps(machine, target, region)
    if egress is None or not egress[0]:
        return None
    if reducers.replica_count:
        return sizing.priced(machine, reducers.replica_count, egress)
    return sizing.pool_of(machine, total, target, region) if total else None


def _facts(pool: PlannedPool, job: Job, at: FieldPath, unknown: Places) -> PoolFacts:
    container = pool.container or Container.model_validate({})
    runs = pool.python_package or container
    missing = {place.relative_to(pool.path) for place in unknown if place != pool.path and place.within(pool.path)}
    if "image" in pool.inherited or not pool.container:
        keys = (f"container.{key}" for key in ("imageUri", "env", "args"))
        missing |= {FieldPath(key) for key in keys if _is_unknown(at / key, unknown)}
    missing |= _unknown_of_primary(pool, at, unknown)
    return PoolFacts(
        role=pool.role,
        position=pool.position,
        path=pool.path,
        replica_count=pool.replica_count,
        machine_type=pool.machine_type,
        accelerator_type=pool.accelerator_type,
        accelerator_count=pool.accelerator_count,
        boot_disk_type=pool.boot_disk_type,
        boot_disk_size_gb=pool.boot_disk_size_gb,
        image=pool.image,
        is_python_package=pool.python_package is not None,
        env=runs.env or {},
        args=(*(container.command or ()), *(runs.args or ())),
        declares=_declared(container),
        reservation=pool.reservation_affinity.reservation_affinity_type if pool.reservation_affinity else None,
        reservation_values=(pool.reservation_affinity.values or ()) if pool.reservation_affinity else (),
        **_bought(pool.node_pool),
        inherited=pool.inherited - {"image"} if pool.role == "primary" else pool.inherited,
        of_job=_of_job(job) if pool.role == "primary" else frozenset(),
        job_path=at,
        unknown=frozenset(missing),
    )


def _of_job(job: Job) -> frozenset[str]:
    """Returns what the primary runs that is written at the job."""
    primary = job.pools.primary
    if primary is None or primary.python_package is not None:
        return frozenset()
    container = primary.container
    if container is None:
        return frozenset({"container", "pythonPackage"})
    if container.image_uri is not None:
        return frozenset()
    fields = {
        "imageUri": None,
        "env": container.env,
        "declares": container.declares,
        "args": container.args or container.command,
    }
    return frozenset(f"container.{key}" for key, value in fields.items() if value is None)


def _unknown_of_primary(pool: PlannedPool, at: FieldPath, unknown: Places) -> set[FieldPath]:
    """Returns what of the workers' machine cannot be said, because the primary that it comes from does not say it."""
    if pool.role != "workers":
        return set()
    primary = at / "pools.primary"
    inherited = {key for name, key in MACHINE.items() if name in pool.inherited and _is_unknown(primary / key, unknown)}
    is_whole = pool.machine_type is None and "machine_type" not in pool.inherited
    return set(map(FieldPath, MACHINE.values() if is_whole or primary in unknown else inherited))


def _bought(pool: NodePool | None) -> dict[str, Any]:
    if pool is None:
        return {}
    return {
        "queued": pool.queued_provisioning,
        "compact": pool.placement_policy == "COMPACT",
        "zones": pool.node_locations or (),
        "fast_socket": pool.fast_socket,
        "gpu_networks": pool.gpu_networks or 0,
    }


def _is_unknown(place: FieldPath, unknown: Places) -> bool:
    return any(left_out.within(place) for left_out in unknown)


def _declared(container: Container) -> Declared | None:
    declares = container.declares
    if declares is None:
        return None
    return Declared(
        tensorflow=declares.tensorflow, torch=declares.torch, nccl=declares.nccl, packages=declares.packages
    )
