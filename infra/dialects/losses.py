"""Findings about what a language cannot hold. Owns their wording; what is lost where is each language's own affair."""

from __future__ import annotations

from collections.abc import Iterator

from infra.plan.job_plan import JobPlan
from infra.problems import SCHEMA, Finding


def not_carried(path: str, what: str, fix: str = "") -> Finding:
    """Returns advice: the value at `path` is left out of the result, which is sound without it."""
    return Finding(rule=SCHEMA, severity="advice", path=path, message=f"not carried over: {what}", fix=fix)


def not_expressible(path: str, what: str, fix: str = "") -> Finding:
    """Returns an error: the result would be another job without the value at `path`."""
    return Finding(rule=SCHEMA, severity="error", path=path, message=what, fix=fix)


def machines_missing(plan: JobPlan, service: str) -> Iterator[Finding]:
    """Yields an error for each pool without a machine, or accelerators without a type: a cluster's own nodes need none.

    The training services take both with every pool. What a pool inherits is said once, of the pool that has it.
    """
    nameless = {pool.path for pool in plan.pools if pool.accelerator_count and pool.accelerator_type is None}
    for pool in plan.pools:
        if pool.machine_type is None and "machine_type" not in pool.inherited:
            what = f"missing; {service} needs the machine of every pool"
            yield not_expressible(f"{pool.path}.machineType", what, "add machineType")
        if pool.path in nameless and not ("accelerator_type" in pool.inherited and plan.pools[0].path in nameless):
            what = f"missing beside acceleratorCount {pool.accelerator_count}; {service} needs the accelerator's type"
            yield not_expressible(f"{pool.path}.acceleratorType", what, "say which accelerator")
