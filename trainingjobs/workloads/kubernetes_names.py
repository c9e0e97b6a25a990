"""Names of Kubernetes objects: legal, and short enough for everything that is derived from them."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from trainingjobs.core.findings import Finding, not_carried
from trainingjobs.spec.roles import Role
from trainingjobs.workloads import registry

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan

LABEL_LIMIT = 63
DIGEST_LENGTH = 6
# The operator's replica types, in the lower case that pod names have. Reducers have none.
KUBEFLOW_TYPES: dict[Role, str] = {
    "primary": "chief", "workers": "worker", "parameterServers": "ps", "evaluators": "evaluator"
}  # fmt: skip
# The primary of a TFJob that says so: the operator tells TF_CONFIG the same word.
MASTER = "master"
# Replica groups of a JobSet and of bare pods.
GROUPS: dict[Role, str] = {
    "primary": "primary", "workers": "worker", "parameterServers": "ps", "reducers": "reducer",
    "evaluators": "evaluator",
}  # fmt: skip


def operator_types(plan: JobPlan) -> dict[Role, str]:
    """Returns the operator's replica type of each role in the plan's TFJob; `useChiefInTfConfig: false` says Master."""
    is_master = registry.workload(plan.kind).names_master(plan.job)
    return {**KUBEFLOW_TYPES, "primary": MASTER} if is_master else KUBEFLOW_TYPES


def legal_name(name: str, reserved: int) -> str:
    """Returns the name as a DNS label of lower-case letters, digits and hyphens that begins with a letter.

    `reserved` characters of the 63 stay free for what is appended. A longer name is cut and ends in a digest of the
    whole, so that two long names stay two.
    """
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "job"
    if not words[0].isalpha():
        words = f"job-{words}"
    room = LABEL_LIMIT - reserved
    if len(words) <= room:
        return words
    digest = hashlib.sha256(name.encode()).hexdigest()[:DIGEST_LENGTH]
    return f"{words[: max(room - DIGEST_LENGTH - 1, 1)].rstrip('-')}-{digest}"


def object_name(plan: JobPlan, words: dict[Role, str], tail: int) -> str:
    """Returns the name of the job's object; replicas are called NAME-WORD-INDEX, followed by `tail` characters."""
    longest = max(
        (len(f"-{words[pool.role]}-{max(pool.replica_count - 1, 0)}") for pool in plan.pools if pool.role in words),
        default=0,
    )
    return legal_name(plan.name, longest + tail)


def name_findings(plan: JobPlan, name: str) -> list[Finding]:
    """Returns advice where the object has another name than the job."""
    if name == plan.name:
        return []
    return [not_carried(plan.path, f"the name {plan.name}; the object is called {name}", "choose a shorter name")]
