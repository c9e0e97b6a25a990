"""What a run that was cut off leaves in a stack's state, as `pulumi stack export` shows it, and the state without it.

Pure: which jobs and resources exist is recovery.py's to find out.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Deployment = dict[str, Any]
Resource = dict[str, Any]

CREATING: Final = "creating"
DELETING: Final = "deleting"


@dataclass(frozen=True, slots=True)
class Pending:
    """An operation that was cut off: creating, updating, deleting, … of a resource."""

    what: str
    resource: Resource

    @property
    def urn(self) -> str:
        """Returns the resource's URN."""
        return str(self.resource["urn"])

    @property
    def name(self) -> str:
        """Returns the resource's type and name, for the user."""
        return f"{self.resource['type']} {self.urn.rpartition('::')[2]}"


def pending_operations(deployment: Mapping[str, Any]) -> list[Pending]:
    """Returns the operations of the last run that were begun and not ended, each once."""
    by_urn = {}
    for operation in deployment.get("pending_operations") or []:
        if operation.get("resource"):
            by_urn[operation["type"], operation["resource"]["urn"]] = Pending(operation["type"], operation["resource"])
    return list(by_urn.values())


def resources(deployment: Mapping[str, Any]) -> list[Resource]:
    """Returns the resources of a state."""
    return list(deployment.get("resources") or [])


def inputs_of(reference: str, deployment: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the inputs of a provider that a resource refers to as URN::ID."""
    urn = reference.rpartition("::")[0]
    return next((resource.get("inputs") or {} for resource in resources(deployment) if resource["urn"] == urn), {})


def settled(deployment: Deployment, adopted: Mapping[str, str], ended: Collection[str]) -> Deployment:
    """Returns the state without pending operations.

    `adopted`: the ids of resources that were being created, by URN; they are in the state from now on. `ended`: the
    URNs of resources whose deletion is as good as done; the next run finishes it. What else was cut off is marked to
    be read before anything is done, and so is what was adopted: one that is not there leaves the state again.
    """
    state = copy.deepcopy(deployment)
    pending = pending_operations(state)
    all_resources = resources(state)
    cut_off = {operation.urn for operation in pending if operation.what != CREATING}
    for resource in all_resources:
        if resource["urn"] in cut_off and resource.get("provider") and not resource.get("delete"):
            resource["delete" if resource["urn"] in ended else "refreshBeforeUpdate"] = True
    for operation in pending:
        if operation.what == CREATING and operation.urn in adopted:
            new = _adopted(operation.resource, adopted[operation.urn])
            all_resources = [*_without(all_resources, operation.urn), new]
    state["resources"] = list(_in_order(all_resources))
    state.pop("pending_operations", None)
    return state


def _without(all_resources: Sequence[Resource], urn: str) -> Iterator[Resource]:
    for resource in all_resources:
        if resource["urn"] != urn or resource.get("delete"):
            yield resource
        elif not resource.get("pendingReplacement"):
            # The old one of a replacement that creates first.
            yield {**resource, "delete": True}


def _adopted(resource: Resource, its_id: str) -> Resource:
    inputs = resource.get("inputs") or {}
    return {**resource, "id": its_id, "outputs": copy.deepcopy(inputs), "refreshBeforeUpdate": True}


def _in_order(all_resources: Sequence[Resource]) -> Iterator[Resource]:
    """Yields each resource after those that it needs, else in the order given: the engine refuses any other."""
    remaining = list(all_resources)
    while remaining:
        waiting = {resource["urn"] for resource in remaining}
        ready = [
            resource for resource in remaining if not (_needs(resource) - {resource["urn"]}) & waiting
        ] or remaining[:1]
        first = ready[0]
        yield first
        remaining = [resource for resource in remaining if resource is not first]


def _needs(resource: Resource) -> set[str]:
    needed = {*(resource.get("dependencies") or []), resource.get("parent"), resource.get("deletedWith")}
    for urns in (resource.get("propertyDependencies") or {}).values():
        needed |= set(urns or [])
    needed.add(str(resource.get("provider", "")).rpartition("::")[0])
    return {urn for urn in needed if urn}
