"""What the engine tells of a resource → the facts that the rules judge, and what they find.

A job is judged at the resource that submits it, whoever declares it: a component above it is not judged a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.engine.values import from_scalar
from trainingjobs.facts.gke import infrastructure_facts, node_pool_facts
from trainingjobs.facts.infrastructure import ClusterFacts, NodePoolFacts
from trainingjobs.facts.job import JobFacts
from trainingjobs.judge.resources import judge_facts
from trainingjobs.rules.registry import Levels
from trainingjobs.workloads.foreign_vertex_jobs import foreign_job
from trainingjobs.workloads.kubernetes import observed_kind
from trainingjobs.workloads.observed_kind import ObservedKind
from trainingjobs.workloads.vertex import by_token
from trainingjobs.workloads.vertex_observation import place_in_resource

Properties = Mapping[str, Any]
# The facts of a job, and what is ill-formed in what holds it.
Observed = tuple[JobFacts, list[Finding]]

# How the engine marks a secret (sdk/v3/go/common/resource/properties.go).
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105
# The package of the tokens of objects in a cluster.
CLUSTERS = "kubernetes"
CLUSTER, NODE_POOL = "gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool"
# What jobs on GKE stand on.
INFRASTRUCTURE: dict[str, Callable[[Properties, str | None], Sequence[NodePoolFacts | ClusterFacts]]] = {
    CLUSTER: infrastructure_facts,
    NODE_POOL: lambda props, environment: [node_pool_facts(props, environment)],
}


def plain(struct: Any) -> dict[str, Any]:
    """Returns the properties as plain values: whole numbers as int, secrets unwrapped, UNKNOWN where not known yet."""
    return {key: _plain(value) for key, value in struct.fields.items()}


def inside_secret(value: Any) -> Any:
    """Returns a property's value itself where the engine sends it as a secret, else the value."""
    fields = value.struct_value.fields if value.WhichOneof("kind") == "struct_value" else {}
    is_secret = SIGNATURE in fields and fields[SIGNATURE].string_value == SECRET
    return inside_secret(fields["value"]) if is_secret else value


def _plain(value: Any) -> Any:
    value = inside_secret(value)
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return plain(value.struct_value)
    if kind == "list_value":
        return [_plain(item) for item in value.list_value.values]
    return from_scalar(value)


def judged(
    token: str, struct: Any, observed: Observed | None, levels: Levels, environment: str | None
) -> list[Finding]:
    """Returns what the rules find in a resource, sorted; nothing in one of a type that no rule judges.

    `observed` are its facts where it submits a job. `environment` is the stack's: the stricter of it and the resource's
    own holds. What is not known yet is advice.
    """
    if token in INFRASTRUCTURE:
        facts_of = INFRASTRUCTURE[token](plain(struct), environment)
        return sort_findings(finding for facts in facts_of for finding in judge_facts(facts, levels))
    if observed is None:
        return []
    facts, ill_formed = observed
    kind = by_token(token)
    # The pack remediates resources of our own kinds alone: what it would mend there is an error elsewhere.
    levels = levels if kind else levels.without_remediation()
    # What the other replicas of its job decide is told with them.
    reported = {*(finding.path for finding in ill_formed), *([facts.at("pools")] if facts.part_of else [])}
    findings = [
        replace(finding, path=place_in_resource(kind, finding.path)) if kind else finding
        for finding in judge_facts(facts, levels)
        if finding.severity == "error" or finding.path not in reported
    ]
    return sort_findings([*ill_formed, *findings])


def observed_facts(token: str, struct: Any, environment: str | None) -> Observed | None:
    """Returns the facts of a resource that submits a job and what is ill-formed in it, None for any other.

    The resource is of a kind of our own, an object of a cluster, or somebody else's that holds a job of Vertex AI.
    """
    kind = by_token(token)
    if kind is not None:
        return kind.observed_facts(plain(struct), environment)
    of_cluster = _kind_in_cluster(token, struct)
    if of_cluster is not None:
        return of_cluster.observed_facts(plain(struct), environment)
    job = foreign_job(token, plain(struct))
    return job.observed_facts(environment) if job else None


def _kind_in_cluster(token: str, struct: Any) -> ObservedKind | None:
    """Returns the kind of an object of a cluster: by what it says of itself, else by its token."""
    api_version, object_kind = (
        _plain(struct.fields[key]) if key in struct.fields else None for key in ("apiVersion", "kind")
    )
    if isinstance(api_version, str) and isinstance(object_kind, str):
        return observed_kind(api_version, object_kind)
    package, _, name = token.partition(":")
    # A patch makes the object where there is none.
    return observed_kind(*name.removesuffix("Patch").rpartition(":")[::2]) if package == CLUSTERS else None


def observed_job(token: str, struct: Any, observed: Observed | None) -> tuple[JobFacts, Any] | None:
    """Returns the facts of a resource that submits a job with its property `limits`, None for any other."""
    if observed is None:
        return None
    facts, limits = observed[0], plain(struct).get("limits") if by_token(token) else None
    # Each replica that is a resource of its own has its own costs: they need no others.
    return (replace(facts, unknown=facts.unknown - {"pools"}) if facts.part_of else facts), limits
