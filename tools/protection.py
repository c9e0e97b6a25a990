"""What keeps `make down` from a stack: resources that its state protects, and how that is lifted."""

from __future__ import annotations

from infra.cli.inputs import Judged
from infra.plan.infrastructure import plan_infrastructure
from infra.plan.protected import protected_names
from tools.pending import Deployment, pending_operations, resources

CLUSTER = "gcp:container/cluster:Cluster"


def refusal(stack: str, state: Deployment, judged: Judged) -> str:
    """Returns why the stack is not destroyed and what lifts that, "" where nothing of it is protected."""
    found = [*resources(state), *(one.resource for one in pending_operations(state))]
    guarded = {str(one["urn"]).rpartition("::")[2] for one in found if one.get("protect")}
    clusters = [one.get("inputs") or {} for one in found if one["type"] == CLUSTER]
    declared = guarded & set(_declared(judged))
    ways = []
    if declared:
        names = ", ".join(sorted(declared))
        ways.append(f"{stack} protects {names}; name them: `training:unprotect: [{names}]` (docs/drift.md)")
    if any(inputs.get("deletionProtection") is True for inputs in clusters):
        ways.append("GKE protects the cluster; write `training:cluster: {deletionProtection: false}`")
    if ways:
        ways.append(f"then run `make up STACK={stack}`, then `make down STACK={stack}`")
    if others := sorted(guarded - declared):
        ways.append(
            f"{stack} protects {', '.join(others)}, which the stack's file does not declare: lift it by "
            f'`pulumi state unprotect` (docs/operating.md, "Destroying without the stack\'s file")'
        )
    return "; ".join(ways)


def _declared(judged: Judged) -> tuple[str, ...]:
    if judged.stack is None:
        return ()
    return protected_names(judged.stack, plan_infrastructure(judged.stack, judged.plans))
