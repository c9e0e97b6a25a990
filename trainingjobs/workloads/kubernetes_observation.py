"""An object of a cluster by its properties → the facts that the rules judge, whoever declared it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trainingjobs.core.findings import Finding
from trainingjobs.facts.job import POOL_FIELDS, JobFacts, PoolFacts
from trainingjobs.facts.observed import Part
from trainingjobs.facts.reduction_server import is_reduction_server
from trainingjobs.spec.roles import POSITION
from trainingjobs.workloads.pod_observation import Pods, read_pods
from trainingjobs.workloads.pod_template import FLEX_LABEL, JOB_LABEL, ROLE_LABEL, SPOT_LABEL

if TYPE_CHECKING:
    from trainingjobs.workloads.observed_kind import ObservedKind

# Variables by which the replicas of a training find each other.
TRAINING_VARIABLES = frozenset({"TF_CONFIG", "CLUSTER_SPEC", "MASTER_ADDR"})
PREEMPTIBLE_LABEL = "cloud.google.com/gke-preemptible"
STRATEGIES = {SPOT_LABEL: "SPOT", PREEMPTIBLE_LABEL: "SPOT", FLEX_LABEL: "FLEX_START"}
LABELS = (JOB_LABEL, ROLE_LABEL)
# What workers have of the primary where the first of them is it: it is judged there.
OF_PRIMARY = frozenset({"image", "machine_type", "accelerator_type", "accelerator_count"})


def observed_facts(kind: ObservedKind, body: Part, environment: str | None) -> tuple[JobFacts, list[Finding]] | None:
    """Returns the facts of an object and what is ill-formed in it; None where it does not train.

    An object of a kind that may do anything trains where a label, a device or a variable says so, or where its pods are
    not known yet.
    """
    groups, findings = kind.replica_groups(body)
    read = [read_pods(group) for group in groups]
    findings += [finding for pods in read for finding in pods.findings]
    metadata = body.get("metadata")
    if not (kind.always_trains or any(_trains(pods, metadata) for pods in read)):
        return None
    labelled = [metadata, *(pods.group.metadata for pods in read)] if kind.is_replica else []
    part_of = next((name for part in labelled if (name := _part_of(part, metadata))), "")
    unsaid = next((part for part in map(metadata.get("labels").get, LABELS) if part.is_unknown), None)
    may_have_others = bool(part_of) or (kind.is_replica and unsaid is not None)
    pools = _pools(kind, body, read, has_others=may_have_others)
    spec, labels = body.get("spec"), metadata.get("labels")
    of_others = unsaid or metadata.within("labels", JOB_LABEL)
    pools_place = (of_others if may_have_others else kind.groups_place(body)).path
    account, account_place = _account(read)
    strategy, strategy_place = _strategy(read)
    is_on_gke = any(pods.selector.of_gke for pods in read)
    facts = JobFacts(
        name=metadata.get("name").text or metadata.get("generateName").text or "",
        path=spec.path or "spec",
        form="object",
        platform="gke" if is_on_gke else "kubernetes",
        target="gke",
        **_of_kind(kind),
        environment=environment,
        pools=pools,
        service_account=account,
        has_own_account=not kind.declares_pods or _has_no_account(read, is_on_gke=is_on_gke),
        strategy=strategy,
        restarts=kind.restarts(body),
        has_output=any(_has_claim(pods) for pods in read),
        labels=labels.texts(),
        timeout=_deadline([spec, spec.get("runPolicy"), *(pods.group.spec for pods in read)]),
        declares_gpu_networks=any(pods.pool.gpu_networks for pods in read),
        places={
            "labels": labels.path,
            "kind": "kind",
            "pools": pools_place,
            "workerPoolSpecs": pools_place,
            "serviceAccount": account_place,
            "scheduling": strategy_place,
            "useChiefInTfConfig": pools[0].path if pools else "spec",
        },
        part_of=part_of,
        unknown=frozenset(_unknown(kind, body, read, has_others=may_have_others)),
    )
    return facts, findings


def _of_kind(kind: ObservedKind) -> dict[str, Any]:
    """Returns what the kind says of all its jobs; one that is not rendered here has no end that is known."""
    deprecation = getattr(kind, "deprecation", "")
    return {
        "kind": getattr(kind, "kind", kind.object_kind),
        "framework": kind.framework,
        "kind_deprecation": f"{kind.object_kind} {deprecation}" if deprecation else "",
        "kind_successor": getattr(kind, "successor", ""),
    }


def _trains(pods: Pods, metadata: Part) -> bool:
    labels = [part.within("labels", label) for part in (metadata, pods.group.metadata) for label in LABELS]
    names = {name for container in (pods.pool, *pods.pool.beside) for name in container.env}
    return (
        any(label.value is not None and not label.is_unknown for label in labels)
        or bool(pods.pool.accelerator_count)
        or not TRAINING_VARIABLES.isdisjoint(names)
        or pods.group.spec.get("containers").is_unknown
    )


def _pools(kind: ObservedKind, body: Part, read: list[Pods], *, has_others: bool) -> tuple[PoolFacts, ...]:
    if kind.groups_place(body).is_unknown:
        path = kind.groups_place(body).path
        return (PoolFacts(role="primary", position=0, path=path, form="object", unknown=POOL_FIELDS),)
    pools = [_as_reducers(pods) for pods in read]
    if kind.is_replica and not has_others:
        # A role means nothing in a job of one object alone; there may be more primaries than one all the same.
        pools = [pool if pool.role == "primary" else replace(pool, role=None, position=0) for pool in pools]
    if kind.first_worker_leads and not has_others and not any(pool.role == "primary" for pool in pools):
        pools = _with_first_as_primary(pools)
    return tuple(sorted(pools, key=lambda pool: pool.position))


def _as_reducers(pods: Pods) -> PoolFacts:
    """Pods are reducers by their label too, and by running the reduction server; none of no number are sized later."""
    pool = pods.pool
    is_labelled = pods.group.metadata.within("labels", ROLE_LABEL).value == "reducer"
    if pool.role != "primary" and (is_labelled or is_reduction_server(pool.image)):
        pool = replace(pool, role="reducers", position=POSITION["reducers"])
    is_none = not pool.replica_count and "replicaCount" not in pool.unknown
    return replace(pool, role=None) if is_none and pool.role == "reducers" else pool


def _with_first_as_primary(pools: list[PoolFacts]) -> list[PoolFacts]:
    """The first of the workers, or of pods whose role nothing says, is the primary; the others have what it has."""
    leading = [pool for pool in pools if pool.replica_count or "replicaCount" in pool.unknown]
    first = next((pool for role in ("workers", None) for pool in leading if pool.role == role), None)
    if first is None:
        return pools
    primary = replace(
        first, role="primary", position=POSITION["primary"], replica_count=1, unknown=first.unknown - {"replicaCount"}
    )
    others = replace(
        first,
        role="workers",
        position=POSITION["workers"],
        replica_count=max(first.replica_count - 1, 0),
        beside=(),
        inherited=OF_PRIMARY,
    )
    has_others = others.replica_count or "replicaCount" in first.unknown
    replaced = [primary, others] if has_others else [primary]
    return [made for pool in pools for made in (replaced if pool is first else [pool])]


def _unknown(kind: ObservedKind, body: Part, read: Iterable[Pods], *, has_others: bool) -> set[str]:
    unknown = {"pools"} if has_others else set()
    if kind.groups_place(body).is_unknown:
        unknown |= {"pools", "workerPoolSpecs", "scheduling", "scheduling.strategy", "serviceAccount"}
    labels = body.within("metadata", "labels")
    if labels.is_unknown:
        unknown.add("labels")
    unknown |= {f"labels.{key}" for key, value in labels.entries() if value.is_unknown}
    for pods in read:
        if any(pods.selector.label(label).is_unknown for label in STRATEGIES):
            unknown |= {"scheduling", "scheduling.strategy"}
        if pods.group.spec.get("serviceAccountName").is_unknown:
            unknown.add("serviceAccount")
    return unknown


def _account(read: list[Pods]) -> tuple[str | None, str]:
    """Returns the account of the pods and its place: of those pods that run as the namespace's, where there are any."""
    accounts = [(None if part.text == "default" else part.text, part.path) for part in map(_account_part, read)]
    shared = [account for account in accounts if account[0] is None]
    return next(iter([*shared, *accounts]), (None, "spec"))


def _account_part(pods: Pods) -> Part:
    part, old_name = (pods.group.spec.get(key) for key in ("serviceAccountName", "serviceAccount"))
    return old_name if part.value is None and old_name.value is not None else part


def _has_no_account(read: list[Pods], *, is_on_gke: bool) -> bool:
    """Returns whether pods carry no account's token: on GKE the namespace's may be bound to one of Google's."""
    tokens = [pods.group.spec.get("automountServiceAccountToken").value for pods in read]
    return not is_on_gke and all(token is False for token in tokens)


def _strategy(read: list[Pods]) -> tuple[str | None, str]:
    for pods in read:
        for label, strategy in STRATEGIES.items():
            if pods.selector.label(label).text == "true":
                return strategy, pods.selector.place(label)
    return None, next((pods.selector.part.path for pods in read), "spec")


def _deadline(parts: list[Part]) -> float | None:
    values = [part.get("activeDeadlineSeconds").value for part in parts]
    return max((float(value) for value in values if type(value) is int and value > 0), default=None)


def _has_claim(pods: Pods) -> bool:
    """Returns whether pods have a volume that outlives them."""
    kinds = ("persistentVolumeClaim", "nfs", "csi")
    volumes = pods.group.spec.get("volumes").items()
    return any(volume.get(kind).value is not None for volume in volumes for kind in kinds)


def _part_of(labelled: Part, metadata: Part) -> str:
    """Returns the group that a replica by itself is one of: its namespace and job, "" where its labels say neither."""
    job, role = (labelled.within("labels", label).text for label in LABELS)
    namespace = metadata.get("namespace").text or "default"
    return f"{namespace}/{job}" if job and role else ""
