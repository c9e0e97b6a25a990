"""The registry of the kinds of job: every other part asks here what a kind is called, runs on, renders to and says.

A kind is a subclass of VertexWorkload (vertex.py) or KubernetesWorkload (kubernetes.py) in a module of its own, and is
registered once, in __init__.py; so is one that is only observed (observed_kind.py). No other place lists kinds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from trainingjobs.core.findings import Finding, schema_error

if TYPE_CHECKING:
    from trainingjobs.core.paths import FieldPath
    from trainingjobs.plan.job import JobPlan
    from trainingjobs.plan.pools import PlannedPool
    from trainingjobs.spec.job import Job, Platform
    from trainingjobs.workloads.observed_kind import ObservedKind

Rendering = tuple[dict[str, Any], list[Finding]]


class Workload(ABC):
    """One kind of job.

    `kind` is its word in a job document, `title` what people call it, `is_default` whether a job that names no kind is
    of it on these `platforms`. `runs_trials`: it takes a `tuning`; `uploads_model`: it takes a model to upload.
    `speaks` is the dialect of its replicas' environment where others may ask for it by name, and `speaks_for_others`
    that jobs of other kinds are then answered as if they were of this one. `deprecation` says why its interface has an
    end, "" where it has none, and `successor` what takes its place.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    platforms: ClassVar[tuple[Platform, ...]]
    is_default: ClassVar[bool] = False
    runs_trials: ClassVar[bool] = False
    uploads_model: ClassVar[bool] = False
    speaks: ClassVar[str] = ""
    speaks_for_others: ClassVar[bool] = False
    deprecation: ClassVar[str] = ""
    successor: ClassVar[str] = ""

    @abstractmethod
    def render(self, plan: JobPlan) -> Rendering:
        """Returns the body of the planned job, and what it could not hold."""

    @abstractmethod
    def environment(self, plan: JobPlan, pool: PlannedPool, index: int, trial: str | None) -> dict[str, str]:
        """Returns the variables that its service sets on replica `index` of a pool; one that is not set is absent.

        Raises UnknownRoleError where the kind has no such replicas.
        """

    def names_master(self, job: Job) -> bool:  # noqa: ARG002 (for the kinds that can)
        """Returns whether TF_CONFIG calls the primary of this job `master`, which TensorFlow 2 does not accept."""
        return False


class UnknownRoleError(ValueError):
    """A question about replicas that a kind does not have: who has none, and of which role."""

    def __init__(self, owner: str, role: str) -> None:
        super().__init__(f"{owner} has no {role}")


_WORKLOADS: dict[str, Workload] = {}
_OBSERVED_ONLY: list[ObservedKind] = []


def register(workload: type[Workload]) -> None:
    """Registers a kind. Raises ValueError for a word that is taken."""
    if workload.kind in _WORKLOADS:
        message = f"kind {workload.kind} is registered twice"
        raise ValueError(message)
    _WORKLOADS[workload.kind] = workload()


def register_observed(kind: type[ObservedKind]) -> None:
    """Registers a kind of object that others declare and that no job is rendered to."""
    _OBSERVED_ONLY.append(kind())


def observed_only() -> tuple[ObservedKind, ...]:
    """Returns the kinds of objects that no job is rendered to, in the order of their registration."""
    return tuple(_OBSERVED_ONLY)


def unregister(kind: str) -> None:
    """Takes a kind out again, which somebody registered from outside."""
    del _WORKLOADS[kind]


def workloads() -> tuple[Workload, ...]:
    """Returns all kinds, in the order of their registration."""
    return tuple(_WORKLOADS.values())


def kinds(platform: str | None = None) -> tuple[str, ...]:
    """Returns the words of all kinds, or of those that run on a platform, the default of it first."""
    if platform is None:
        return tuple(_WORKLOADS)
    matching = [workload for workload in workloads() if platform in workload.platforms]
    return tuple(workload.kind for workload in sorted(matching, key=lambda workload: not workload.is_default))


def workload(kind: str) -> Workload:
    """Returns the kind of that word. Raises KeyError."""
    return _WORKLOADS[kind]


def is_kind(word: str) -> bool:
    """Returns whether a word names a kind."""
    return word in _WORKLOADS


def workload_of(job: Job) -> Workload:
    """Returns the kind of a job: its own, else the default of its platform. Raises KeyError for a word that is none."""
    return workload(job.kind or kinds(job.platform)[0])


def kind_findings(job: Job, path: FieldPath) -> Iterator[Finding]:
    """Yields what of a job does not go with its kind."""
    kind = workload_of(job)
    if job.platform not in kind.platforms:
        allowed = ", ".join(kinds(job.platform))
        message = f"{kind.kind} does not run on {job.platform}; one of {allowed}"
        yield schema_error(path / "kind", message, "change kind")
    if (job.tuning is None) == kind.runs_trials:
        message = f"missing for a {kind.kind}" if job.tuning is None else f"not for a {kind.kind}"
        yield schema_error(path / "tuning", message, "change kind or tuning")
    uploads = {"modelToUpload": job.model_to_upload, "modelId": job.model_id, "parentModel": job.parent_model}
    uploading = next(workload.kind for workload in workloads() if workload.uploads_model)
    for key, value in uploads.items():
        if value is not None and not kind.uploads_model:
            yield schema_error(path / key, f"not for a {kind.kind}", f"change kind to {uploading}, or remove it")
