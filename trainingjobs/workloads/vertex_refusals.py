"""What Vertex AI refuses of a job body although its protos parse: required fields, and the form of labels.

Source: v1 CustomJob, HyperparameterTuningJob and TrainingPipeline references. All of it is advice: the service has the
last word. The structural rules themselves are trainingjobs/rules'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from trainingjobs.core.findings import Finding, quote, schema_advice
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import PoolFacts
from trainingjobs.workloads.job_document import LABEL_KEY, LABEL_VALUE
from trainingjobs.workloads.vertex_types import child

RUNS: Final = ("containerSpec", "pythonPackageSpec")
# What a part of a pool has to say.
REQUIRED: Final = {
    "machineSpec": ("machineType",),
    "containerSpec": ("imageUri",),
    "pythonPackageSpec": ("executorImageUri", "packageUris", "pythonModule"),
}


def job_refusals(body: Mapping[str, Any]) -> Iterator[Finding]:
    """Yields what Vertex AI refuses beside the CustomJobSpec of a job; its keys are camelCase."""
    if body.get("displayName") in (None, ""):
        yield _missing("displayName")
    if "trainingTaskInputs" in body and body.get("trainingTaskDefinition") in (None, ""):
        yield _missing("trainingTaskDefinition")
    labels = body.get("labels")
    for key, value in sorted(labels.items()) if isinstance(labels, Mapping) else ():
        for word, form, part in ((key, LABEL_KEY, "key"), (value, LABEL_VALUE, "value")):
            if isinstance(word, str) and not form.fullmatch(word):
                allowed = "lower case letters, digits, _ and -, at most 63"
                yield schema_advice(
                    child("labels", key),
                    f"{quote(word)} is a label {part} that Vertex AI refuses; {allowed}",
                    "rename it",
                )


def pool_refusals(spec: Mapping[str, Any], pools: tuple[PoolFacts, ...]) -> Iterator[Finding]:
    """Yields what Vertex AI refuses of the pools with replicas of a CustomJobSpec; `pools` are the facts of it."""
    for pool in pools:
        pool_spec = spec["workerPoolSpecs"][pool.position]
        if not pool.replica_count or not isinstance(pool_spec, Mapping):
            continue
        runs = [key for key in RUNS if pool_spec.get(key) is not None]
        if not runs:
            yield schema_advice(pool.path, f"neither {' nor '.join(RUNS)}; Vertex AI refuses the job so", "add one")
        for key in ("machineSpec", *runs):
            part = pool_spec.get(key) or {}
            for name in REQUIRED[key] if isinstance(part, Mapping) else ():
                if part.get(name) in (None, "", []):
                    yield _missing(FieldPath(pool.path) / key / name)


def _missing(path: str) -> Finding:
    return schema_advice(path, "missing; Vertex AI refuses the job without it", "add it")
