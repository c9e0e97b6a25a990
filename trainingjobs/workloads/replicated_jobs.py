"""The replicated jobs of an observed JobSet → groups of replicas, each with the role that it has.

Source: kubernetes-sigs/jobset, API reference. A JobSet has no roles of its own: the label of the pods says them, else
the name of the replicated job, else the success policy, whose one target decides when the job is done.
"""

from __future__ import annotations

from trainingjobs.core.findings import Finding
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.observed import Part
from trainingjobs.spec.roles import Role
from trainingjobs.workloads.observed_kind import NAMES, role_of_label
from trainingjobs.workloads.pod_observation import ReplicaGroup


def replicated_jobs(spec: Part) -> tuple[list[ReplicaGroup], list[Finding]]:
    """Returns the groups of a JobSet's spec, and what is ill-formed in their numbers."""
    targets = [target.text for target in spec.within("successPolicy", "targetReplicatedJobs").items()]
    groups, findings = [], []
    named = _named_primary([replicated.get("name").text for replicated in spec.get("replicatedJobs").items()], targets)
    for replicated in spec.get("replicatedJobs").items():
        job, replicas = replicated.within("template", "spec"), replicated.get("replicas")
        count, count_path, ill_formed = job_pods(job)
        jobs, of_jobs = replicas.count(1)
        findings += [*ill_formed, *of_jobs]
        metadata = job.within("template", "metadata")
        group = ReplicaGroup(
            role=role_of_label(metadata) or _role(replicated.get("name").text, named),
            path=replicated.path,
            count=None if count is None or jobs is None else count * jobs,
            count_path=replicas.path if jobs != 1 or count == 1 else count_path,
            spec=job.within("template", "spec"),
            metadata=metadata,
        )
        groups.append(group)
    return groups, findings


def job_pods(job: Part) -> tuple[int | None, FieldPath, list[Finding]]:
    """Returns how many pods a Job's spec runs at once, where that is said, and what is ill-formed in it."""
    parallelism, completions = job.get("parallelism"), job.get("completions")
    at_once, findings = parallelism.count(1)
    needed, of_completions = completions.count(at_once or 0)
    if at_once is None or needed is None:
        unknown = parallelism if at_once is None else completions
        return None, unknown.path, [*findings, *of_completions]
    return min(at_once, needed), parallelism.path, []


def _named_primary(names: list[str | None], targets: list[str | None]) -> str | None:
    """Returns the name of the replicated job that is the primary, None where none is called so or decides."""
    words = [word for word, role in NAMES.items() if role == "primary"]
    called = [name for word in words for name in names if name == word]
    deciding = [name for name in targets if name in called or (len(targets) == 1 and NAMES.get(name or "") is None)]
    return next(iter([*(name for name in called if name in targets), *called, *deciding]), None)


def _role(name: str | None, primary: str | None) -> Role | None:
    if name is not None and name == primary:
        return "primary"
    role = NAMES.get((name or "").lower())
    return None if role == "primary" else role
