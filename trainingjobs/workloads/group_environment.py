"""What this project sets on a replica of a JobSet or of bare pods, where no operator describes the cluster.

TF_CONFIG has Kubeflow's form with the real host names. A job with reducers also gets CLUSTER_SPEC in Vertex AI's form:
TF_CONFIG has no place for them, and the launcher hands their addresses to frameworks whose servers they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from trainingjobs.core.findings import Finding, not_expressible
from trainingjobs.spec.roles import POSITION, Role
from trainingjobs.workloads.kubeflow_environment import tf_config
from trainingjobs.workloads.kubernetes_names import KUBEFLOW_TYPES

if TYPE_CHECKING:
    from trainingjobs.plan.job import JobPlan

Host = Callable[[Role, int], str]

# Linux passes no longer string to a process (MAX_ARG_STRLEN).
LENGTH_LIMIT = 128 * 1024
# Longer than any index, where Kubernetes fills it in.
INDEX_ROOM = 8


def group_environment(plan: JobPlan, role: Role, index: int | str, host: Host) -> dict[str, str]:
    """Returns the variables of replica `index` of a role; a job of one replica gets none."""
    pools = [pool for pool in plan.pools if pool.replica_count]
    if sum(pool.replica_count for pool in pools) == 1:
        return {}
    hosts = {pool.role: [host(pool.role, i) for i in range(pool.replica_count)] for pool in pools}
    if "reducers" in hosts and plan.reducer_hosts:
        hosts["reducers"] = list(plan.reducer_hosts)
    variables = {}
    if role in KUBEFLOW_TYPES:
        cluster = {
            KUBEFLOW_TYPES[pool_role]: members for pool_role, members in hosts.items() if pool_role in KUBEFLOW_TYPES
        }
        variables["TF_CONFIG"] = tf_config(cluster, KUBEFLOW_TYPES[role], index)
    if "reducers" in hosts:
        by_pool = {f"workerpool{POSITION[pool_role]}": members for pool_role, members in hosts.items()}
        variables["CLUSTER_SPEC"] = _cluster_spec(by_pool, f"workerpool{POSITION[role]}", index)
    return dict(sorted(variables.items()))


def _cluster_spec(cluster: dict[str, list[str]], task: str, index: int | str) -> str:
    members = json.dumps(cluster, sort_keys=True, separators=(",", ":"))
    return f'{{"cluster":{members},"environment":"cloud","task":{{"index":{index},"type":"{task}"}}}}'


def length_findings(plan: JobPlan, variables: dict[str, str]) -> list[Finding]:
    """Returns an error for each variable that no process could be started with."""
    return [
        not_expressible(
            plan.path / "pools",
            f"{name} would have {len(text)} characters; a process gets at most {LENGTH_LIMIT}",
            "use fewer replicas, or Vertex AI, which has shorter host names",
        )
        for name, text in variables.items()
        if len(text) + INDEX_ROOM > LENGTH_LIMIT
    ]
