"""What keeps `make down` from a stack: resources that its state protects, and how that is lifted."""

from __future__ import annotations

from trainingjobs.judge.judgement import Judgement
from trainingjobs.operations.pending_operations import Deployment, pending_operations, resources
from trainingjobs.plan.infrastructure import plan_infrastructure
from trainingjobs.plan.protected import protected_names

CLUSTER = "gcp:container/cluster:Cluster"


def refusal(stack: str, state: Deployment, judgement: Judgement) -> str:
    """Returns why the stack is not destroyed and what lifts that, "" where nothing of it is protected."""
    all_resources = [*resources(state), *(operation.resource for operation in pending_operations(state))]
    guarded = {str(resource["urn"]).rpartition("::")[2] for resource in all_resources if resource.get("protect")}
    clusters = [resource.get("inputs") or {} for resource in all_resources if resource["type"] == CLUSTER]
    declared = guarded & set(_declared(judgement))
    steps = []
    if declared:
        names = ", ".join(sorted(declared))
        steps.append(f"{stack} protects {names}; name them: `training:unprotect: [{names}]` (docs/drift.md)")
    if any(inputs.get("deletionProtection") is True for inputs in clusters):
        steps.append("GKE protects the cluster; write `training:cluster: {deletionProtection: false}`")
    if steps:
        steps.append(f"then run `make up STACK={stack}`, then `make down STACK={stack}`")
    if undeclared := sorted(guarded - declared):
        steps.append(
            f"{stack} protects {', '.join(undeclared)}, which the stack's file does not declare: lift it by "
            f'`pulumi state unprotect` (docs/operating.md, "Destroying without the stack\'s file")'
        )
    return "; ".join(steps)


def _declared(judgement: Judgement) -> tuple[str, ...]:
    if judgement.stack is None:
        return ()
    return protected_names(judgement.stack, plan_infrastructure(judgement.stack, judgement.plans))
