"""Jobs of Vertex AI that are submitted by others' resources: known by the body that they hold, whatever their token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from trainingjobs.core.findings import Finding
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import JobFacts
from trainingjobs.facts.vertex_body import camel
from trainingjobs.workloads import vertex_observation
from trainingjobs.workloads.vertex import VertexWorkload, default_workload, vertex_workloads

POOLS = "workerPoolSpecs"
# What stands above, beside or after a job that is judged where it is submitted.
OWN_PACKAGES = ("training", "trainingjobs", "pulumi")
SERVICE = "aiplatform"
# A pipeline may train otherwise than by worker pools; the definition that it names says so.
DEFINITION, CUSTOM_TASK = "trainingTaskDefinition", "custom_task"
# What is read beside a CustomJobSpec; other words may mean anything in a resource that is not ours.
BESIDE = ("displayName", "labels", "location", "parallelTrialCount")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignJob:
    """A job in a resource of somebody else's: the kind that it is of, and where its CustomJobSpec stands."""

    kind: VertexWorkload
    properties: Mapping[str, Any]
    path: FieldPath

    def observed_facts(self, environment: str | None) -> tuple[JobFacts, list[Finding]]:
        """Returns the facts of the job and what is ill-formed in it."""
        return vertex_observation.observed_facts(self.kind, self.properties, environment, self.path)


def foreign_job(token: str, properties: Mapping[str, Any]) -> ForeignJob | None:
    """Returns the job that a resource holds, by itself or in one of its properties; None where it holds none."""
    if token.partition(":")[0] in OWN_PACKAGES:
        return None
    for path, body in _bodies(properties):
        for kind, key, spec in _specs(body):
            if _has_pools(spec) or (key and _submits(token, kind, body)):
                beside = {camel(name): value for name, value in body.items() if camel(str(name)) in BESIDE}
                return ForeignJob(kind=kind, properties={**beside, kind.spec_key: spec}, path=path / key)
    return None


def _bodies(properties: Mapping[str, Any]) -> Iterator[tuple[FieldPath, Mapping[str, Any]]]:
    yield FieldPath(), properties
    for key, value in properties.items():
        if isinstance(value, Mapping):
            yield FieldPath(key), value


def _specs(body: Mapping[str, Any]) -> Iterator[tuple[VertexWorkload, str, Any]]:
    """Yields what may be the CustomJobSpec of a body: what each kind keeps it under, and the body itself."""
    for kind in vertex_workloads():
        for key in body:
            if isinstance(key, str) and camel(key) == kind.spec_key:
                yield kind, key, body[key]
    yield default_workload(), "", body


def _has_pools(spec: Any) -> bool:
    return isinstance(spec, Mapping) and any(isinstance(key, str) and camel(key) == POOLS for key in spec)


def _submits(token: str, kind: VertexWorkload, body: Mapping[str, Any]) -> bool:
    """Returns whether a resource is a job of the kind by its token alone, whatever it holds."""
    definition = body.get(DEFINITION)
    is_custom = not isinstance(definition, str) or CUSTOM_TASK in definition
    return SERVICE in token and token.rpartition(":")[2] == kind.token.rpartition(":")[2] and is_custom
