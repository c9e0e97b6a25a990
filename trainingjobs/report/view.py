"""What a report says of a stack, worked out of its plan: pure values, drawn by the other modules.

Bandwidth in Gbps, prices in USD per hour; None where a figure is not known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from trainingjobs import catalog
from trainingjobs.core.findings import Finding, has_errors, sort_findings
from trainingjobs.core.paths import FieldPath
from trainingjobs.estimates import reducers as sizing
from trainingjobs.estimates.cost import PoolCost, known_sum, pool_costs
from trainingjobs.estimates.gain import Gain, gain
from trainingjobs.estimates.reducers import Nodes
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.pools import PlannedPool
from trainingjobs.spec.roles import Role
from trainingjobs.spec.stack import Stack

TITLES: dict[Role, str] = {
    "primary": "Primary",
    "workers": "Workers",
    "parameterServers": "Parameter servers",
    "reducers": "Reducers",
    "evaluators": "Evaluators",
}
TRAINERS: tuple[Role, ...] = ("primary", "workers")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolView:
    """One pool: `gbps_each` is the egress of one replica over the interface that its link uses.

    `narrow` says that this is where the job's traffic is narrowest.
    """

    role: Role
    position: int
    count: int
    machine: str
    accelerators: str
    image: str
    gbps_each: Fraction | None
    usd_per_hour: float | None
    note: str
    narrow: bool = False

    @property
    def gbps(self) -> Fraction | None:
        """Returns the egress of the whole pool."""
        return None if self.gbps_each is None else self.gbps_each * self.count


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkView:
    """Traffic between two pools: what `source` can send in all, and whether this is the narrow place."""

    source: Role
    target: Role
    gbps: Fraction | None
    kind: Literal["reduce", "parameters", "ring"]
    narrow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """One job: `narrow` says in words where its all-reduce is narrowest."""

    plan: JobPlan
    pools: tuple[PoolView, ...]
    links: tuple[LinkView, ...]
    narrow: str
    costs: tuple[PoolCost, ...]
    gain: Gain | None
    findings: tuple[Finding, ...]

    @property
    def name(self) -> str:
        """Returns the job's name."""
        return self.plan.name

    @property
    def place(self) -> str:
        """Returns where the job runs, in words."""
        platform = {"vertex": "Vertex AI", "gke": "GKE", "kubernetes": "Kubernetes"}[self.plan.job.platform]
        return f"{platform}, {self.plan.region}" if self.plan.job.platform != "kubernetes" else platform

    @property
    def has_errors(self) -> bool:
        """Returns whether a finding stops the job."""
        return has_errors(self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class StackView:
    """A stack: its jobs, what they cost together, and every finding."""

    name: str
    stack: Stack
    jobs: tuple[JobView, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def costs(self) -> list[PoolCost]:
        """Returns the cost of every pool."""
        return [cost for job in self.jobs for cost in job.costs]

    @property
    def usd_per_hour(self) -> float | None:
        """Returns the sum of the prices that are known, None where there are pools and none has one."""
        costs = self.costs
        return None if costs and all(cost.usd_per_hour is None for cost in costs) else known_sum(costs)


def stack_view(
    name: str, stack: Stack, plans: tuple[JobPlan, ...], findings: tuple[Finding, ...], notes: tuple[str, ...]
) -> StackView:
    """Returns what a report says of the stack."""
    ordered = sorted(sort_findings(findings), key=lambda finding: finding.severity != "error")
    return StackView(
        name=name,
        stack=stack,
        jobs=tuple(job_view(plan, tuple(ordered)) for plan in plans),
        findings=tuple(ordered),
        notes=notes,
    )


def job_view(plan: JobPlan, findings: tuple[Finding, ...]) -> JobView:
    """Returns what a report says of one job; of the stack's findings it takes those that are about the job."""
    costs = pool_costs(plan.facts)
    groups = {pool.role: nodes for pool in plan.pools if (nodes := _nodes(pool, plan)) is not None}
    pools = tuple(_pool(plan, pool, groups, {cost.pool: cost for cost in costs}) for pool in plan.pools)
    links, narrow, roles = _links(pools, groups)
    pools = tuple(replace(pool, narrow=pool.role in roles) for pool in pools)
    job_findings = tuple(f for f in findings if FieldPath(f.path).within(plan.path))
    return JobView(
        plan=plan,
        pools=pools,
        links=links,
        narrow=narrow,
        costs=tuple(costs),
        gain=gain(plan.sizing, costs),
        findings=job_findings,
    )


def _nodes(pool: PlannedPool, plan: JobPlan) -> Nodes | None:
    if pool.machine_type is None or pool.role not in TRAINERS or not pool.replica_count:
        return None
    return sizing.nodes_of(
        pool.machine_type,
        pool.accelerator_type,
        pool.accelerator_count,
        pool.replica_count,
        plan.facts.target,
        plan.region,
    )


def _pool(plan: JobPlan, pool: PlannedPool, groups: dict[Role, Nodes], costs: dict[str, PoolCost]) -> PoolView:
    cost = costs.get(pool.role)
    has_reducers = any(other.role in ("reducers", "parameterServers") for other in plan.pools)
    notes = [cost.strategy or "", cost.unsure] if cost else []
    return PoolView(
        role=pool.role,
        position=pool.position,
        count=pool.replica_count,
        # A pod may name no machine: it runs where there is room.
        machine=pool.machine_type or "any machine",
        accelerators=f"{pool.accelerator_count} × {pool.accelerator_type or 'GPU'}" if pool.accelerator_count else "",
        image=pool.image or "",
        gbps_each=_gbps_each(plan, pool, groups.get(pool.role), over_host=has_reducers),
        usd_per_hour=cost.usd_per_hour if cost else None,
        note="; ".join(note for note in notes if note),
    )


def _gbps_each(plan: JobPlan, pool: PlannedPool, nodes: Nodes | None, *, over_host: bool) -> Fraction | None:
    if nodes is not None:
        return nodes.host_gbps if over_host else nodes.ring_gbps
    machine, target = pool.machine_type or "", plan.facts.target
    if pool.role == "reducers":
        bandwidth = sizing.reducer_gbps(machine, target, plan.region)
        return bandwidth[0] if bandwidth else None
    egress = catalog.egress(
        machine, pool.accelerator_type, pool.accelerator_count, platform=target, tier1=False, region=plan.region
    )
    return None if egress is None else sizing.gbps(egress.host_gbps)


Links = tuple[tuple[LinkView, ...], str, frozenset[Role]]


def _links(pools: tuple[PoolView, ...], groups: dict[Role, Nodes]) -> Links:
    """The links, the narrow place in words, and the pools that are narrow."""
    by_role = {pool.role: pool for pool in pools if pool.count}
    trainers = [by_role[role] for role in TRAINERS if role in by_role]
    middle = by_role.get("reducers") or by_role.get("parameterServers")
    if middle is not None:
        return _through(trainers, middle)
    if len(trainers) < 2:
        return (), "", frozenset()
    known = [pool.gbps_each for pool in trainers if pool.gbps_each is not None]
    slowest = min(known) if len(known) == len(trainers) else None
    link = LinkView(source="primary", target="workers", gbps=slowest, kind="ring", narrow=slowest is not None)
    nics = all(nodes.has_gpu_nics for nodes in groups.values()) and bool(groups)
    medium = "its GPU network interfaces" if nics else "its network interface"
    words = f"each node's {shown(slowest)} over {medium}: the ring is as fast as its slowest node"
    return (link,), words if slowest is not None else "", _slowest(trainers, slowest)


def _slowest(pools: list[PoolView], gbps: Fraction | None) -> frozenset[Role]:
    return frozenset(pool.role for pool in pools if gbps is not None and pool.gbps_each == gbps)


def _through(trainers: list[PoolView], middle: PoolView) -> Links:
    kind: Literal["reduce", "parameters"] = "reduce" if middle.role == "reducers" else "parameters"
    known = [pool.gbps_each for pool in trainers if pool.gbps_each is not None]
    nodes = sum(pool.count for pool in trainers)
    words, slow, narrow_middle = "", None, False
    if len(known) == len(trainers) and known and middle.gbps is not None:
        slow = min(known)
        # The model: t = max(M / B_host, n M / R).
        narrow_middle = middle.gbps < nodes * slow
        title = TITLES[middle.role].lower()
        words = (
            f"the {title}: {shown(middle.gbps)} in all, where {nodes} nodes send {shown(nodes * slow)}"
            if narrow_middle
            else f"each node's {shown(slow)}; the {title}' {shown(middle.gbps)} in all are enough"
        )
    links = tuple(
        LinkView(
            source=pool.role,
            target=middle.role,
            gbps=pool.gbps,
            kind=kind,
            narrow=slow is not None and (narrow_middle or pool.gbps_each == slow),
        )
        for pool in trainers
    )
    return links, words, frozenset({middle.role}) if narrow_middle else _slowest(trainers, slow)


def shown(value: Fraction | float | None) -> str:
    """Returns a bandwidth in words."""
    return "? Gbps" if value is None else f"{float(value):g} Gbps"


def usd(value: float | None) -> str:
    """Returns a price in words."""
    return "unknown" if value is None else f"{value:,.2f} USD/hour"
