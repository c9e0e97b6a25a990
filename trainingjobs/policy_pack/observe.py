"""What the engine tells of a resource → the facts that the rules judge, and what they find.

A job is judged at the resource that submits it, whoever declares it: a component above it is not judged a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.engine.values import from_scalar
from trainingjobs.facts.gke import cluster_facts, node_pool_facts
from trainingjobs.facts.infrastructure import ClusterFacts, NodePoolFacts
from trainingjobs.facts.job import JobFacts
from trainingjobs.judge.resources import judge_facts
from trainingjobs.rules.registry import Levels
from trainingjobs.workloads.vertex import by_token
from trainingjobs.workloads.vertex_observation import place_in_resource

Properties = Mapping[str, Any]

# How the engine marks a secret (sdk/v3/go/common/resource/properties.go).
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105
# What jobs on GKE stand on.
INFRASTRUCTURE: dict[str, Callable[[Properties, str | None], NodePoolFacts | ClusterFacts]] = {
    "gcp:container/cluster:Cluster": cluster_facts,
    "gcp:container/nodePool:NodePool": node_pool_facts,
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


def judged(token: str, struct: Any, levels: Levels, environment: str | None) -> list[Finding]:
    """Returns what the rules find in a resource, sorted; nothing in one of a type that no rule judges.

    `environment` is the stack's, for a resource that says none of its own. What is not known yet is advice.
    """
    if token in INFRASTRUCTURE:
        return judge_facts(INFRASTRUCTURE[token](plain(struct), environment), levels)
    kind = by_token(token)
    if kind is None:
        return []
    facts, ill_formed = kind.observed_facts(plain(struct), environment)
    reported = {finding.path for finding in ill_formed}
    findings = [
        replace(finding, path=place_in_resource(kind, finding.path))
        for finding in judge_facts(facts, levels)
        if finding.severity == "error" or finding.path not in reported
    ]
    return sort_findings([*ill_formed, *findings])


def observed_job(token: str, struct: Any, environment: str | None) -> tuple[JobFacts, Any] | None:
    """Returns the facts of a resource that submits a job with its property `limits`, None for any other."""
    kind = by_token(token)
    if kind is None:
        return None
    properties = plain(struct)
    return kind.observed_facts(properties, environment)[0], properties.get("limits")
