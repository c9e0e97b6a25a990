"""A job's identity: one service account with the least roles that a replica needs.

What replicas do: write logs, write to the output bucket, read the staging bucket; with TensorBoard or an experiment
also use Vertex AI. Pulling images is the service agent's business, not this account's.
"""

from __future__ import annotations

import pulumi

from trainingjobs.components import tokens
from trainingjobs.components.gcp import declare
from trainingjobs.components.storage import TrainingStorage
from trainingjobs.plan import names
from trainingjobs.plan.job import JobPlan

PROJECT_ROLES = ("roles/logging.logWriter", "roles/monitoring.metricWriter")
VERTEX_ROLE = "roles/aiplatform.user"
BUCKET_ROLES = {"output": "roles/storage.objectUser", "staging": "roles/storage.objectViewer"}


class JobIdentity(pulumi.ComponentResource):
    """The service account of one job and its bindings. `email` is known before the account exists."""

    def __init__(
        self,
        name: str,
        plan: JobPlan,
        storage: TrainingStorage,
        project: str,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        stack = pulumi.get_stack()
        email = names.account_email(stack, plan.name, project)
        props = {"email": email, "roles": list(project_roles(plan)), "bucketRoles": BUCKET_ROLES}
        super().__init__(tokens.JOB_IDENTITY, name, props, opts)
        # Set afterwards: the SDK puts an output, unknown in a preview, in the place of every property.
        self.email = email
        child = pulumi.ResourceOptions(parent=self)
        account = declare(tokens.SERVICE_ACCOUNT)(
            f"{name}-account",
            {
                "project": project,
                "accountId": names.account_id(stack, plan.name),
                "displayName": f"training job {plan.name} ({stack})",
            },
            child,
            outputs=("email", "member"),
        )
        member = account.output("member")
        for role in project_roles(plan):
            declare(tokens.PROJECT_IAM_MEMBER)(
                f"{name}-{role.split('.')[-1]}",
                {"project": project, "role": role, "member": member},
                child,
            )
        for purpose, role in BUCKET_ROLES.items():
            declare(tokens.BUCKET_IAM_MEMBER)(
                f"{name}-{purpose}",
                {"bucket": storage.buckets[purpose].output("name"), "role": role, "member": member},
                child,
            )
        self.register_outputs(props)


def project_roles(plan: JobPlan) -> tuple[str, ...]:
    """Returns the project-wide roles that the job's replicas need."""
    uses_vertex = plan.job.tensorboard is not None or plan.job.experiment is not None
    return (*PROJECT_ROLES, VERTEX_ROLE) if uses_vertex else PROJECT_ROLES
