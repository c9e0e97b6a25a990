"""The environment of one replica of a planned job, in the dialect of the service that runs it.

Owns the choice of the service and the words for a pool; each service's variables are in its own module.
"""

from __future__ import annotations

import re
from typing import Literal

from infra.dialects import ai_platform_env, jobset, kubeflow_env, pods, vertex_env
from infra.dialects.ai_platform import training_input
from infra.dialects.kube_names import operator_types
from infra.dialects.vertex import custom_job_spec
from infra.plan.job_plan import JobPlan
from infra.plan.pools import PlannedPool
from infra.plan.roles import ALIASES, MAX_POOLS, POSITION, Role
from infra.problems import Finding, did_you_mean, quote, schema_error

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
    found = _pool(plan, pool)
    if not 0 <= index < found.replica_count:
        last = found.replica_count - 1
        raise ReplicaError("--task", f"{quote(pool)} has no replica {index}", f"there are 0 to {last}")
    number = _trial(plan, trial)
    asked = dialect or ("vertex" if plan.job.platform == "vertex" else plan.kind)
    if asked == "vertex":
        return vertex_env.replica_environment(custom_job_spec(plan), found.position, index, trial=number)
    if asked == "ai-platform":
        task = _word(found, AI_PLATFORM_TASKS, "AI Platform")
        return ai_platform_env.replica_environment(training_input(plan), task, index, trial=number)
    if asked == "jobset":
        return jobset.replica_environment(plan, found.role, index)
    if asked == "pods":
        return pods.replica_environment(plan, found.role, index)
    return _operator(plan, found, index)


def _operator(plan: JobPlan, pool: PlannedPool, index: int) -> dict[str, str]:
    if plan.kind == "pytorchjob":
        nodes = sum(one.replica_count for one in plan.pools if one.role in ("primary", "workers"))
        ranks: dict[Role, str] = {"primary": "0", "workers": "1"}
        rank = int(_word(pool, ranks, "A PyTorchJob")) + index
        return kubeflow_env.pytorch_environment(kubeflow_env.pytorchjob_name(plan), nodes, rank)
    host = kubeflow_env.operator_host(kubeflow_env.tfjob_name(plan), plan.job.namespace)
    task = _word(pool, operator_types(plan), "Kubeflow")
    return kubeflow_env.replica_environment(kubeflow_env.replica_counts(plan), task, index, host=host)


def _word(pool: PlannedPool, words: dict[Role, str], service: str) -> str:
    if pool.role not in words:
        raise ReplicaError("--task", f"{service} has no {pool.role}", "ask for another replica or dialect")
    return words[pool.role]


def _pool(plan: JobPlan, word: str) -> PlannedPool:
    """Returns the pool that a word means."""
    existing = [pool for pool in plan.pools if pool.replica_count]
    numbered = POOL_WORD.fullmatch(word.lower())
    role = ALIASES.get(word.lower().replace("-", "").replace("_", ""))
    if numbered is None and role is None:
        words = [*(f"workerpool{i}" for i in range(MAX_POOLS)), *sorted(ALIASES)]
        near = did_you_mean(word, words)
        fix = f"did you mean {near}?" if near else f"one of {', '.join(words)}"
        raise ReplicaError("--task", f"{quote(word)} is no pool", fix)
    for pool in existing:
        if pool.role == role or (numbered is not None and POSITION[pool.role] == int(numbered[1])):
            return pool
    there = ", ".join(f"{pool.role} (workerpool{pool.position})" for pool in existing)
    raise ReplicaError("--task", f"the job has no {quote(word)}", f"it has {there}")


def _trial(plan: JobPlan, trial: str | None) -> str | None:
    tuning = plan.kind == "hyperparameterTuningJob"
    if trial is None:
        return "1" if tuning else None
    if not tuning:
        raise ReplicaError("--trial", f"{quote(trial)} for a {plan.kind}; only tuning jobs have trials", "leave it out")
    if not re.fullmatch(r"[1-9][0-9]{0,8}", trial):
        raise ReplicaError("--trial", f"{quote(trial)}; trials are numbered from 1", "write --trial=1")
    return trial
