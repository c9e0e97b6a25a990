"""Where a stack's jobs read and write: a staging bucket, an output bucket and an image repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from trainingjobs.components import tokens
from trainingjobs.components.gcp import declare
from trainingjobs.plan import names

if TYPE_CHECKING:
    from trainingjobs.wire import google

STAGING_DAYS = 30


class TrainingStorage(pulumi.ComponentResource):
    """The stack's buckets, by purpose, and its Artifact Registry repository."""

    def __init__(
        self, name: str, project: str, region: str, environment: str, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        stack = pulumi.get_stack()
        self.bucket_names = {purpose: names.bucket(project, stack, purpose) for purpose in ("output", "staging")}
        self.repository_url = f"{region}-docker.pkg.dev/{project}/{names.repository(stack)}"
        props = {"buckets": self.bucket_names, "repository": self.repository_url, "environment": environment}
        super().__init__(tokens.TRAINING_STORAGE, name, props, opts)
        # What a run has produced outlives the stack everywhere but in the sandbox: Google refuses to delete it.
        disposable = environment == "sandbox"
        child = pulumi.ResourceOptions(parent=self, protect=True if environment == "prod" else None)
        self.buckets = {
            purpose: declare(tokens.BUCKET)(
                f"{name}-{purpose}",
                _bucket(project, region, bucket_name, purpose, disposable),
                child,
                ("name",),
            )
            for purpose, bucket_name in self.bucket_names.items()
        }
        declare(tokens.REPOSITORY)(
            f"{name}-images",
            {
                "project": project,
                "location": region,
                "repositoryId": names.repository(stack),
                "format": "DOCKER",
                "description": f"images of the training jobs of stack {stack}",
            },
            child,
        )
        self.register_outputs(props)


def _bucket(project: str, region: str, name: str, purpose: str, disposable: bool) -> google.StorageBucket:
    props: google.StorageBucket = {
        "project": project,
        "name": name,
        "location": region.upper(),
        "uniformBucketLevelAccess": True,
        "publicAccessPrevention": "enforced",
        "forceDestroy": disposable,
    }
    if purpose == "staging":
        props["lifecycleRules"] = [{"action": {"type": "Delete"}, "condition": {"age": STAGING_DAYS}}]
    return props
