"""Rules of machines, accelerators and images that hold for every role."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainingjobs import catalog
from trainingjobs.core.findings import quote
from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.rules.registry import Problem, rule

FITTED = frozenset({"machineType", "acceleratorType", "acceleratorCount"})
DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")


def _with_own(job: JobFacts, name: str) -> Iterator[PoolFacts]:
    """Pools whose field is their own: what is inherited is judged where it stands."""
    for pool in job.pools:
        if not pool.gap and name not in pool.inherited:
            yield pool


def _machines(job: JobFacts) -> Iterator[tuple[PoolFacts, str]]:
    for pool in _with_own(job, "machine_type"):
        if pool.machine_type is not None and "machineType" not in pool.unknown:
            yield pool, pool.machine_type


def _put_off(job: JobFacts, name: str) -> None:
    job.need("workerPoolSpecs")
    for pool in job.pools:
        if not pool.gap:
            pool.need(name)


@rule(
    "machine-known",
    summary="Every machine type is one of the catalogue.",
    fix="write a machine type of the catalogue",
    source="Compute Engine machine families, see trainingjobs/catalog/data",
)
def machine_known(job: JobFacts) -> Iterator[Problem]:
    """Also an accelerator by a name that does not exist."""
    for pool, name in _machines(job):
        if not catalog.is_known_machine(name):
            nearest = catalog.nearest_machine(name)
            yield Problem(
                path=pool.at("machineType"),
                message=f"{quote(name)} is no machine type of the catalogue",
                fix=f"did you mean {nearest}?" if nearest else f"its families are {', '.join(catalog.families())}",
            )
    _put_off(job, "machineType")


@rule(
    "accelerator-fit",
    summary="A machine takes the accelerators, and as many of them, as its platform attaches to it.",
    fix="change acceleratorCount or machineType",
    source="Vertex AI compute resources for custom training; Compute Engine GPU machine types",
)
def accelerator_fit(job: JobFacts) -> Iterator[Problem]:
    """Reducers have a rule of their own; what workers have of the primary altogether is judged there."""
    for pool in job.pools:
        of_primary = {"machine_type", "accelerator_type", "accelerator_count"} <= pool.inherited
        if not (pool.gap or of_primary or pool.role == "reducers" or pool.unknown & FITTED):
            yield from _fit(job, pool)
    for name in sorted(FITTED):
        _put_off(job, name)


def _fit(job: JobFacts, pool: PoolFacts) -> Iterator[Problem]:
    kind, count = pool.accelerator_type, pool.accelerator_count
    if kind is not None and kind not in catalog.all_accelerators():
        nearest = catalog.nearest_accelerator(kind)
        yield Problem(
            path=pool.at("acceleratorType"),
            message=f"{quote(kind)} is no accelerator; allowed: {', '.join(catalog.all_accelerators())}",
            fix=f"did you mean {nearest}?" if nearest else "",
        )
    elif kind is not None and not count:
        yield Problem(
            path=pool.at("acceleratorCount"),
            message=f"{count} accelerators beside acceleratorType {kind}; both or neither are needed",
            fix="say how many, or remove acceleratorType",
        )
    elif kind is None and count and job.platform != "kubernetes" and not pool.shares_machine:
        yield Problem(
            path=pool.at("acceleratorType"),
            message=f"missing beside acceleratorCount {count}; both or neither are needed",
            fix="say which accelerator, or remove acceleratorCount",
        )
    elif kind is not None and pool.machine_type is not None:
        refusal = catalog.accelerator_fit(pool.machine_type, kind, _attached(pool, job.target), job.target)
        if refusal is not None:
            yield Problem(
                path=pool.at("acceleratorCount"),
                message=f"{count} x {kind} on {pool.machine_type} is not attached: {refusal}",
            )


def _attached(pool: PoolFacts, target: catalog.Target) -> int:
    """Returns how many accelerators the machine has: where others may run beside a replica, more than the replica's."""
    if not pool.shares_machine:
        return pool.accelerator_count
    counts = catalog.allowed_accelerators(pool.machine_type or "", target).get(pool.accelerator_type or "", ())
    return min((count for count in counts if count >= pool.accelerator_count), default=pool.accelerator_count)


@rule(
    "machine-on-platform",
    summary="A machine is one that its platform offers for training.",
    fix="choose a machine that the platform accepts",
    source="Vertex AI compute resources for custom training",
)
def machine_on_platform(job: JobFacts) -> Iterator[Problem]:
    """Unknown machines are machine-known's."""
    for pool, name in _machines(job):
        refusal = catalog.on_platform(name, job.target)
        if refusal is not None:
            yield Problem(path=pool.at("machineType"), message=f"{name} cannot be used on {job.platform}: {refusal}")
    _put_off(job, "machineType")


@rule(
    "image-pinned",
    summary="Images are named by digest, so that what was tried is what runs.",
    fix="append @sha256:DIGEST (docker buildx imagetools inspect IMAGE shows it)",
    source="Google Cloud, container image digests",
    severity="advice",
    prod_severity="error",
)
def image_pinned(job: JobFacts) -> Iterator[Problem]:
    """The reduction server's three URIs end in :latest by Google's prescription and are exempt."""
    for container in job.containers():
        if container.gap or "image" in container.inherited or "container.imageUri" in container.unknown:
            continue
        image = container.image
        if image is None or image in catalog.reduction_server_images() or DIGEST.search(image):
            continue
        fault = "has a digest that is not 64 hex digits" if "@" in image else "is not pinned by digest"
        yield Problem(path=container.image_path, message=f"{quote(image)} {fault}")
    job.need("workerPoolSpecs")
    for container in job.containers():
        if not container.gap:
            container.need("container.imageUri")
