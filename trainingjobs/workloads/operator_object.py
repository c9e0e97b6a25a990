"""An object of Kubeflow's training operator, as it is observed: replica specs by the words of their types.

Source: kubeflow/training-operator v1.9, pkg/apis/kubeflow.org/v1; the TFJob guide's list of replicas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from trainingjobs.core.findings import Finding
from trainingjobs.facts.observed import Part
from trainingjobs.spec.roles import Role
from trainingjobs.workloads.observed_kind import ObservedKind
from trainingjobs.workloads.pod_observation import ReplicaGroup

# The list of replicas of the guide's interface, before v1, and the type of one that says none.
LIST_KEY, DEFAULT_TYPE = "replicaSpecs", "Chief"
NO_RESTARTS = "Never"


class OperatorObject(ObservedKind):
    """An object of the operator.

    `specs_key` holds its replica specs by type, `types` are the words for its types in lower case, `container` is the
    one that the operator looks for.
    """

    api_version = "kubeflow.org/v1"
    specs_key: ClassVar[str]
    types: ClassVar[Mapping[str, Role]]
    container: ClassVar[str] = ""

    def groups_place(self, body: Part) -> Part:
        """Returns the replica specs."""
        spec = body.get("spec")
        return spec.get(LIST_KEY if spec.get(LIST_KEY).value is not None else self.specs_key)

    def replica_groups(self, body: Part) -> tuple[list[ReplicaGroup], list[Finding]]:
        """Returns the pods of each type of replica; one that says no number is one."""
        groups, findings = [], []
        for word, specs in self._specs(body):
            replicas = specs.get("replicas")
            count, ill_formed = replicas.count(1)
            findings += ill_formed
            group = ReplicaGroup(
                role=self.types.get(word.lower()),
                path=specs.path,
                count=count,
                count_path=replicas.path,
                spec=specs.within("template", "spec"),
                metadata=specs.within("template", "metadata"),
                container=self.container,
            )
            groups.append(group)
        return groups, findings

    def restarts(self, body: Part) -> bool:
        """Returns whether every type of replica starts again; the operator's own default is never."""
        policies = [specs.get("restartPolicy").text or NO_RESTARTS for _, specs in self._specs(body)]
        return bool(policies) and NO_RESTARTS not in policies

    def _specs(self, body: Part) -> Iterator[tuple[str, Part]]:
        place = self.groups_place(body)
        yield from place.entries()
        for specs in place.items():
            yield specs.get("tfReplicaType").text or DEFAULT_TYPE, specs
