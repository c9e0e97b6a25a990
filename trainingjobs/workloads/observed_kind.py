"""A kind of object in a cluster that runs training, as it is observed: whose it is, and the pods that it declares.

Every KubernetesWorkload is one; a kind that others declare and that is not rendered here is one and nothing more.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from trainingjobs.core.findings import Finding
from trainingjobs.facts.observed import Part
from trainingjobs.spec.roles import ALIASES, Role
from trainingjobs.workloads import kubernetes_observation
from trainingjobs.workloads.pod_observation import ReplicaGroup
from trainingjobs.workloads.pod_template import JOB_LABEL, ROLE_LABEL

if TYPE_CHECKING:
    from trainingjobs.facts.job import JobFacts

# Words for roles in names that people give; `node` is that of Kubeflow's runtimes.
NAMES: Mapping[str, Role] = {
    **ALIASES,
    "leader": "primary",
    "launcher": "primary",
    "coordinator": "primary",
    "driver": "primary",
    "node": "workers",
    "trainer": "workers",
    "eval": "evaluators",
}
# How deep templates of pods are looked for in an object that nothing else is known of.
DEEPEST = 8


class ObservedKind(ABC):
    """A kind of object in a cluster.

    `api_version` and `object_kind` are its own; any version of the group is read alike. `framework` is what its
    replicas run, None where anything. `always_trains`: nothing but training is declared so; `first_worker_leads`:
    without a primary the first worker is it; `is_replica`: an object is one of a job's replicas;
    `declares_pods`: all of its pods' spec is its own, and no other object's.
    """

    api_version: ClassVar[str]
    object_kind: ClassVar[str]
    framework: ClassVar[str | None] = None
    always_trains: ClassVar[bool] = True
    first_worker_leads: ClassVar[bool] = True
    is_replica: ClassVar[bool] = False
    declares_pods: ClassVar[bool] = True

    @property
    def api_group(self) -> str:
        """Returns the group of its interface, "" for the core one."""
        return self.api_version.rpartition("/")[0]

    def replica_groups(self, body: Part) -> tuple[list[ReplicaGroup], list[Finding]]:
        """Returns the object's groups of replicas, and what is ill-formed in their numbers.

        By themselves those are all templates of pods in it, each with the role that its label says.
        """
        read = [labelled_group(template, count) for template, count in _templates(body.get("spec"), Part(None))]
        return [group for group, _ in read], [finding for _, findings in read for finding in findings]

    def groups_place(self, body: Part) -> Part:
        """Returns the part that holds the groups of replicas."""
        return body.get("spec")

    def restarts(self, body: Part) -> bool | None:  # noqa: ARG002 (for the kinds that say it)
        """Returns whether replicas that were lost start again; None where the object does not say."""
        return None

    def observed_facts(
        self, properties: Mapping[str, Any], environment: str | None
    ) -> tuple[JobFacts, list[Finding]] | None:
        """Returns the facts of an object and what is ill-formed in it; None where it does not train."""
        return kubernetes_observation.observed_facts(self, Part(properties), environment)


def labelled_group(template: Part, count: Part) -> tuple[ReplicaGroup, list[Finding]]:
    """Returns the group of a template whose label says its role."""
    replicas, findings = count.count(1)
    metadata = template.get("metadata")
    group = ReplicaGroup(
        role=role_of_label(metadata),
        path=template.path,
        count=replicas,
        count_path=count.path or template.path,
        spec=template.get("spec"),
        metadata=metadata,
    )
    return group, findings


def role_of_label(metadata: Part) -> Role | None:
    """Returns the role that pods have by their label."""
    return NAMES.get((metadata.within("labels", ROLE_LABEL).text or "").lower())


def job_of_label(metadata: Part) -> str:
    """Returns the job that pods belong to by their label, "" where they have none."""
    return metadata.within("labels", JOB_LABEL).text or ""


def _templates(part: Part, count: Part, depth: int = 0) -> Iterator[tuple[Part, Part]]:
    """Yields the templates of pods within a part, each with the number of replicas that stands nearest around it."""
    count = part.get("replicas") if part.get("replicas").value is not None else count
    if part.get("spec").get("containers").value is not None:
        yield part, count
    elif depth < DEEPEST:
        for inner in (*(inner for _, inner in part.entries()), *part.items()):
            yield from _templates(inner, count, depth + 1)
