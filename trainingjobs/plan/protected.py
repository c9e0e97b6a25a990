"""The names of what prod protects: what `training:unprotect` may lift, and what it misspells."""

from __future__ import annotations

from collections.abc import Iterator

from trainingjobs.core.findings import Finding, did_you_mean, quote, schema_error
from trainingjobs.core.paths import FieldPath
from trainingjobs.plan.infrastructure import Infrastructure
from trainingjobs.spec.stack import Stack

PATH = FieldPath("training:unprotect")
STORAGE = ("training-images", "training-output", "training-staging")
CLUSTER = ("cluster", "system")


def protected_names(stack: Stack, planned: Infrastructure) -> tuple[str, ...]:
    """Returns the resources of the stack that carry `protect` in prod, as Pulumi calls them, sorted."""
    in_clusters_only = bool(stack.jobs) and all(job.platform == "kubernetes" for job in stack.jobs.values())
    storage = () if in_clusters_only and stack.network is None else STORAGE
    cluster = CLUSTER if planned.declares_cluster else ()
    return tuple(sorted((*storage, *cluster, *(f"{pool.name}-nodes" for pool in planned.node_pools))))


def unprotect_findings(stack: Stack, planned: Infrastructure) -> Iterator[Finding]:
    """Yields an error for each name that lifts nothing: a run would be refused although it looks lifted."""
    known = protected_names(stack, planned)
    for index, name in enumerate(stack.unprotect or ()):
        if name in known:
            continue
        nearest = did_you_mean(name, known)
        names = ", ".join(known) or "nothing"
        yield schema_error(
            PATH.item(index),
            f"{quote(name)} is nothing that the stack declares and prod protects; there is {names}",
            f"did you mean {nearest}?" if nearest else "remove it",
        )
