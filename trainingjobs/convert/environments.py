"""The environment of one replica of a planned job: where it runs, or as another service would set it.

Owns the words for a pool; what a kind's service sets is the kind's own.
"""

from __future__ import annotations

import re
from typing import Literal

from trainingjobs.convert import ai_platform_env
from trainingjobs.convert.ai_platform import training_input
from trainingjobs.core.findings import Finding, did_you_mean, quote, schema_error
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.pools import PlannedPool
from trainingjobs.spec.roles import ALIASES, MAX_POOLS, POSITION, Role
from trainingjobs.workloads.registry import UnknownRoleError, Workload, workload, workloads

Dialect = Literal["vertex", "ai-platform", "kubeflow"]

AI_PLATFORM_TASKS: dict[Role, str] = {
    "primary": "master", "workers": "worker", "parameterServers": "ps", "evaluators": "evaluator"
}  # fmt: skip
POOL_WORD = re.compile(r"workerpool([0-9])")


class ReplicaError(ValueError):
    """A question about a replica that does not exist; carries the one finding of rule `schema`."""

    def __init__(self, path: str, message: str, fix: str) -> None:
        super().__init__(f"{path}: {message}; {fix}")
        self.finding: Finding = schema_error(path, message, fix)


def replica_environment(
    plan: JobPlan, pool: str, index: int, *, dialect: str | None = None, trial: str | None = None
) -> dict[str, str]:
    """Returns the variables that the service sets on a replica; one that it does not set is absent.

    `pool` is workerpool0 to workerpool3 or a role by its key, its singular or a platform's word. Without `dialect` it
    is what the job itself gets where it runs: a JobSet's or a pod's own host names, a PyTorchJob's ranks. A tuning job
    shows trial 1 where none is given. Raises ReplicaError.
    """
    planned_pool = _pool(plan, pool)
    if not 0 <= index < planned_pool.replica_count:
        last = planned_pool.replica_count - 1
        raise ReplicaError("--task", f"{quote(pool)} has no replica {index}", f"there are 0 to {last}")
    number = _trial(plan, trial)
    try:
        if dialect == "ai-platform":
            return _on_ai_platform(plan, planned_pool, index, number)
        return _workload(plan, dialect).environment(plan, planned_pool, index, number)
    except UnknownRoleError as error:
        raise ReplicaError("--task", str(error), "ask for another replica or dialect") from None


def _on_ai_platform(plan: JobPlan, pool: PlannedPool, index: int, trial: str | None) -> dict[str, str]:
    if pool.role not in AI_PLATFORM_TASKS:
        raise UnknownRoleError("AI Platform", pool.role)
    return ai_platform_env.replica_environment(training_input(plan), AI_PLATFORM_TASKS[pool.role], index, trial=trial)


def _workload(plan: JobPlan, dialect: str | None) -> Workload:
    """Returns the kind whose service is asked about: the job's own, or the one that speaks the dialect."""
    own_kind = workload(plan.kind)
    if dialect is None or own_kind.speaks == dialect:
        return own_kind
    return next(kind for kind in workloads() if kind.speaks == dialect and kind.speaks_for_others)


def _pool(plan: JobPlan, word: str) -> PlannedPool:
    """Returns the pool that a word means."""
    existing = [pool for pool in plan.pools if pool.replica_count]
    numbered = POOL_WORD.fullmatch(word.lower())
    role = ALIASES.get(word.lower().replace("-", "").replace("_", ""))
    if numbered is None and role is None:
        words = [*(f"workerpool{i}" for i in range(MAX_POOLS)), *sorted(ALIASES)]
        nearest = did_you_mean(word, words)
        fix = f"did you mean {nearest}?" if nearest else f"one of {', '.join(words)}"
        raise ReplicaError("--task", f"{quote(word)} is no pool", fix)
    for pool in existing:
        if pool.role == role or (numbered is not None and POSITION[pool.role] == int(numbered[1])):
            return pool
    choices = ", ".join(f"{pool.role} (workerpool{pool.position})" for pool in existing)
    raise ReplicaError("--task", f"the job has no {quote(word)}", f"it has {choices}")


def _trial(plan: JobPlan, trial: str | None) -> str | None:
    tuning = workload(plan.kind).runs_trials
    if trial is None:
        return "1" if tuning else None
    if not tuning:
        raise ReplicaError("--trial", f"{quote(trial)} for a {plan.kind}; only tuning jobs have trials", "leave it out")
    if not re.fullmatch(r"[1-9][0-9]{0,8}", trial):
        raise ReplicaError("--trial", f"{quote(trial)}; trials are numbered from 1", "write --trial=1")
    return trial
