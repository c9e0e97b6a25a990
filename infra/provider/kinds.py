"""The kinds of Vertex AI job that the provider submits, and what tells them apart: all else they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.catalog.images import reduction_server_images
from infra.dialects.vertex_fields import canonical_spec
from infra.provider import fields
from infra.provider.fields import Field


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind: its collection at the service, the inputs that are its body there, and which of them holds the pools."""

    words: str
    collection: str
    content: Mapping[str, Field]
    spec: str
    inputs: Mapping[str, Field]
    outputs: Mapping[str, Field]

    def canonical(self, properties: Mapping[str, object], key: str) -> object:
        """Returns one part of the body with what changes nothing left out; None where nothing is left."""
        return canonical_spec(properties.get(key), self.content[key].kind) or None

    def identity(self, properties: Mapping[str, object], key: str) -> object:
        """Returns one part of the body as it tells jobs apart: the reduction server is the same from any region."""
        return _from_one_region(self.canonical(properties, key))


def _from_one_region(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _from_one_region(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_from_one_region(item) for item in value]
    official = reduction_server_images()
    return official[-1] if isinstance(value, str) and value in official else value


KINDS: Final[Mapping[str, Kind]] = {
    fields.CUSTOM_JOB: Kind(
        "custom job", "customJobs", fields.CUSTOM_JOB_CONTENT, "jobSpec",
        fields.CUSTOM_JOB_INPUTS, fields.CUSTOM_JOB_OUTPUTS,
    ),
    fields.TUNING_JOB: Kind(
        "hyperparameter tuning job", "hyperparameterTuningJobs", fields.TUNING_JOB_CONTENT, "trialJobSpec",
        fields.TUNING_JOB_INPUTS, fields.TUNING_JOB_OUTPUTS,
    ),
    fields.PIPELINE: Kind(
        "training pipeline", "trainingPipelines", fields.PIPELINE_CONTENT, "trainingTaskInputs",
        fields.PIPELINE_INPUTS, fields.PIPELINE_OUTPUTS,
    ),
}  # fmt: skip
CUSTOM_JOB: Final = KINDS[fields.CUSTOM_JOB]


def kind_of(name: str) -> Kind | None:
    """Returns the kind of a type token, of a URN with one, or of a job's collection; None where it is none of them."""
    token = name.split("::")[2].rpartition("$")[2] if name.count("::") >= 3 else name
    return KINDS.get(token) or next((kind for kind in KINDS.values() if kind.collection == name), None)


def pools_of(job: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the worker pools of a job, by its inputs or as the service describes it; placeholders left out."""
    for kind in KINDS.values():
        spec = job.get(kind.spec)
        pools = spec.get("workerPoolSpecs") if isinstance(spec, Mapping) else None
        if isinstance(pools, list):
            return [pool for pool in pools if isinstance(pool, Mapping) and pool]
    return []
