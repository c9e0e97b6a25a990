"""What a stack's jobs need under them: network, cluster, node pools and reducer VMs, planned and judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

from trainingjobs import catalog
from trainingjobs.core.findings import Finding
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.infrastructure import ClusterFacts, NetworkFacts
from trainingjobs.plan import names
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.network import NetworkPlan, network_facts, network_plan
from trainingjobs.plan.node_pools import NodePool, min_cpu_platform, node_pools
from trainingjobs.plan.placement import CLUSTER, NETWORK, declares_cluster, stack_placement
from trainingjobs.plan.ports import SERVER_PORT
from trainingjobs.spec.job import Container
from trainingjobs.spec.stack import Stack


@dataclass(frozen=True, slots=True, kw_only=True)
class ReducerVms:
    """The reducers of one job on Compute Engine, VMs NAME-0, NAME-1 …; `tier1` says that their bandwidth is bought."""

    job: str
    name: str
    path: str
    machine_type: str
    count: int
    zone: str
    container: Container
    tier1: bool
    min_cpu_platform: str | None
    strategy: str
    boot_disk_type: str | None
    boot_disk_size_gb: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Infrastructure:
    """Everything that a stack declares under its jobs; `runs_on` is (job, role) → node pool."""

    network: NetworkPlan | None
    declares_cluster: bool
    node_pools: tuple[NodePool, ...]
    runs_on: dict[tuple[str, str], str]
    reducer_vms: tuple[ReducerVms, ...]


def plan_infrastructure(stack: Stack, plans: tuple[JobPlan, ...]) -> Infrastructure:
    """Returns what the stack's jobs need under them."""
    pools, runs_on = node_pools(plans)
    vms = tuple(vm_pool for plan in plans if (vm_pool := _reducer_vms(plan)) is not None)
    own_cluster = declares_cluster(stack.cluster)
    psc = [plan.job.psc_interface_config for plan in plans]
    network = None
    if stack.network is not None:
        network = network_plan(
            stack.network,
            pools,
            psc=any(config is not None and config.network_attachment is None for config in psc),
            peering=any(plan.job.network is not None and plan.job.platform == "vertex" for plan in plans),
            health_checks=bool(vms),
        )
    return Infrastructure(
        network=network, declares_cluster=own_cluster, node_pools=pools, runs_on=runs_on, reducer_vms=vms
    )


def infrastructure_facts(stack: Stack, unknown: frozenset[str] = frozenset()) -> list[NetworkFacts | ClusterFacts]:
    """Returns what the rules judge of the stack's network and cluster; what is ill-typed is unknown."""
    facts: list[NetworkFacts | ClusterFacts] = []
    if stack.network is not None:
        facts.append(network_facts(stack.network, NETWORK, stack.environment))
    if stack.cluster is not None and declares_cluster(stack.cluster):
        places = map(FieldPath, unknown)
        facts.append(
            ClusterFacts(
                path=CLUSTER,
                environment=stack.environment,
                private_nodes=stack.cluster.private_nodes,
                workload_identity=stack.cluster.workload_identity,
                unknown=frozenset(place.relative_to(CLUSTER) for place in places if place.within(CLUSTER)),
            )
        )
    return facts


def placement_findings(
    stack: Stack, plans: tuple[JobPlan, ...], unknown: frozenset[str] = frozenset()
) -> list[Finding]:
    """Returns what jobs miss under them, or what contradicts itself there; nothing about what is ill-typed."""
    places = tuple(map(FieldPath, unknown))
    return [
        finding for finding in stack_placement(stack, plans) if not any(place.within(finding.path) for place in places)
    ]


def with_hosts(plan: JobPlan, project: str) -> JobPlan:
    """Returns the plan with the addresses of its reducers where they are VMs, whose names are known beforehand."""
    vms = _reducer_vms(plan)
    if vms is None:
        return plan
    domain = f"{vms.zone}.c.{project}.internal:{SERVER_PORT}"
    return replace(plan, reducer_hosts=tuple(f"{vms.name}-{i}.{domain}" for i in range(vms.count)))


def _reducer_vms(plan: JobPlan) -> ReducerVms | None:
    for pool in plan.pools:
        if pool.role != "reducers" or pool.instance_group is None or not pool.replica_count or not pool.machine_type:
            continue
        return ReducerVms(
            job=plan.name,
            name=names.reducer_vms(plan.environment or "dev", plan.name),
            path=pool.path,
            machine_type=pool.machine_type,
            count=pool.replica_count,
            zone=pool.instance_group.zone,
            container=pool.container or Container.model_validate({}),
            tier1=catalog.tier1_gbps(pool.machine_type, "gce") is not None,
            min_cpu_platform=min_cpu_platform(pool.machine_type),
            strategy=plan.facts.strategy or "STANDARD",
            boot_disk_type=pool.boot_disk_type,
            boot_disk_size_gb=pool.boot_disk_size_gb,
        )
    return None
