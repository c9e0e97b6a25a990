"""The rule of interfaces and hardware that have an end.

Sources: AI Platform TF_CONFIG guide, "chief versus master"; Kueue documentation, Kubeflow v1 jobs; Vertex AI compute
resources for custom training.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainingjobs import catalog
from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.rules.registry import Problem, rule

CHIEF_SINCE = (2, 1)
TENSORFLOW_2 = (2, 0)
ENDING = ("no longer", "support ends")


@rule(
    "deprecated-api",
    summary="Nothing is used that has an end: tasks, kinds of jobs and accelerators.",
    fix="use what has taken its place",
    source="AI Platform TF_CONFIG guide; Kueue; Vertex AI compute resources for custom training",
    severity="advice",
)
def deprecated_api(job: JobFacts) -> Iterator[Problem]:
    """Three things: TensorFlow 2 under `master`, kinds of job with an end, accelerators whose support ends."""
    yield from _kind(job)
    yield from _master_of_operator(job)
    yield from _accelerators(job)
    yield from _master(job)
    job.need("workerPoolSpecs", "runtimeVersion", "useChiefInTfConfig")
    for pool in job.pools:
        if not pool.gap:
            pool.need("acceleratorType")


def _kind(job: JobFacts) -> Iterator[Problem]:
    if job.kind_deprecation and "kind" not in job.unknown:
        yield Problem(path=job.at("kind"), message=job.kind_deprecation, fix=job.kind_successor)


def _master_of_operator(job: JobFacts) -> Iterator[Problem]:
    if job.names_master:
        yield Problem(
            path=job.at("useChiefInTfConfig"),
            message="TF_CONFIG names the primary `master`, which TensorFlow 2 does not accept",
            fix="call it Chief; in a job document, set useChiefInTfConfig to true or remove it",
        )


def _accelerators(job: JobFacts) -> Iterator[Problem]:
    for pool in job.pools:
        if pool.gap or pool.accelerator_type is None or "accelerator_type" in pool.inherited:
            continue
        note = catalog.accelerator_note(pool.accelerator_type)
        if note is not None and note.startswith(ENDING):
            yield Problem(
                path=pool.at("acceleratorType"), message=f"{pool.accelerator_type}: {note}", fix="choose another"
            )


def _master(job: JobFacts) -> Iterator[Problem]:
    """Judges jobs that came from AI Platform: there the primary is `master` unless something asks for `chief`."""
    primary = next((pool for pool in job.pools if pool.role == "primary" and not pool.gap), None)
    if primary is None or job.platform != "vertex" or (job.runtime_version is None and job.uses_chief is None):
        return
    runtime = _numbers(job.runtime_version)
    custom = not primary.is_python_package
    if runtime >= CHIEF_SINCE or job.of("evaluators") or (custom and job.uses_chief):
        return
    version = _tensorflow(primary, runtime)
    if version is not None and version < TENSORFLOW_2:
        return
    if version is None and job.framework not in ("tensorflow", "custom", None):
        return
    subject = "TensorFlow 2" if version else "TensorFlow 2, if the image has it,"
    yield Problem(
        path=job.at("useChiefInTfConfig" if custom else "runtimeVersion"),
        message=f"on AI Platform TF_CONFIG names the primary `master`, which {subject} does not accept",
        fix="set it to true" if custom else "set it to 2.1 or later",
    )


def _tensorflow(primary: PoolFacts, runtime: tuple[int, ...]) -> tuple[int, ...] | None:
    """Returns the version of TensorFlow that runs, () for none at all, None where nothing says it."""
    if primary.declares is not None and primary.declares.tensorflow is not None:
        return _numbers(primary.declares.tensorflow)
    if primary.is_python_package:
        return runtime or None
    info = catalog.image_framework(primary.image) if primary.image else None
    if info is None:
        return None
    return info.version if info.framework == "tensorflow" else ()


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")) if version else ()
