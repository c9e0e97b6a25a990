"""A job in a cluster: its account, its objects, and the namespaces that a stack's jobs share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pulumi

from trainingjobs.components import tokens
from trainingjobs.components.gcp import declare
from trainingjobs.components.job_resources import Completion, CompletionArgs
from trainingjobs.components.kubernetes import KubernetesObject
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.properties import to_props
from trainingjobs.workloads.kubernetes import Placement, deployed, workload_in_cluster
from trainingjobs.workloads.kubernetes_names import legal_name

if TYPE_CHECKING:
    from trainingjobs.wire import kubernetes

WORKLOAD_ROLE = "roles/iam.workloadIdentityUser"
ACCOUNT_ANNOTATION = "iam.gke.io/gcp-service-account"
# A job's objects cannot be changed in place: what its user or the plan changes is another job.
REPLACED = ("spec", 'metadata.annotations["training/run"]')
MANAGED = {"app.kubernetes.io/managed-by": "pulumi"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAccess:
    """How a Completion reads the cluster."""

    kubeconfig: pulumi.Input[str] | None
    context: str | None


class JobNamespace(pulumi.ComponentResource):
    """A namespace of jobs with a quota of what they declare, so that nobody else takes their accelerators."""

    def __init__(
        self, namespace: str, plans: list[JobPlan], environment: str, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        hard = quota(plans)
        props = {"namespace": namespace, "quota": hard}
        super().__init__(tokens.JOB_NAMESPACE, namespace, props, opts)
        child = pulumi.ResourceOptions(parent=self)
        labels = {**MANAGED, "training-environment": environment}
        namespace_object = KubernetesObject(
            namespace,
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace, "labels": labels}},
            child,
        )
        after = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[namespace_object]))
        self.quota = KubernetesObject(
            f"{namespace}-quota",
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {"name": "training", "namespace": namespace, "labels": MANAGED},
                "spec": {"hard": hard},
            },
            after,
        )
        self.register_outputs(props)


def quota(plans: list[JobPlan]) -> dict[str, str]:
    """Returns what the jobs may hold: their GPUs, and twice their pods: a restart makes new ones beside the old."""
    pools = [pool for plan in plans for pool in plan.pools if pool.instance_group is None]
    accelerators = sum(pool.replica_count * pool.accelerator_count for pool in pools)
    hard = {"pods": str(2 * sum(pool.replica_count for pool in pools))}
    return {**hard, "requests.nvidia.com/gpu": str(accelerators)} if accelerators else hard


class KubernetesJob(pulumi.ComponentResource):
    """One job of the plan. Outputs: the plan's properties and the name of the object that stands for the job."""

    def __init__(
        self,
        name: str,
        plan: JobPlan,
        placement: Placement,
        google_account: str | None,
        project: str,
        access: ClusterAccess | None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        objects, findings = deployed(plan, placement)
        props = to_props(plan)
        super().__init__(tokens.KUBERNETES_JOB, name, props, opts)
        for finding in findings:
            pulumi.log.info(f"{finding.path}: {finding.message}", self)
        child = pulumi.ResourceOptions(parent=self)
        before: list[pulumi.Resource] = []
        if placement.service_account is not None:
            before.append(self._account(plan, placement.service_account, google_account, project, child))
        after = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=before))
        resources = [_object(body, after) for body in objects]
        kind = workload_in_cluster(plan)
        head = kind.head(plan)
        path = f"namespaces/{plan.job.namespace}/{kind.resource}/{head}"
        self.job = next(
            resource
            for body, resource in zip(objects, resources, strict=True)
            if (body["kind"], body["metadata"]["name"]) == (kind.object_kind, head)
        )
        if plan.job.wait_for != "submitted":
            uid = pulumi.get(self.job, "metadata").apply(lambda metadata: metadata["uid"])
            Completion(
                f"{name}-completion",
                CompletionArgs(
                    job=pulumi.Output.concat(path, "#", uid),
                    wait_for=plan.job.wait_for,
                    run=plan.job.run,
                    kubeconfig=access.kubeconfig if access else None,
                    context=access.context if access else None,
                ),
                pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=list(resources))),
            )
        self.outputs: dict[str, Any] = {
            **props,
            "namespace": plan.job.namespace,
            "name": head,
            "jobId": path,
            "consoleUrl": None,
        }
        self.register_outputs(self.outputs)

    def _account(
        self, plan: JobPlan, account: str, google_account: str | None, project: str, child: pulumi.ResourceOptions
    ) -> pulumi.Resource:
        namespace = plan.job.namespace
        annotations = {ACCOUNT_ANNOTATION: google_account} if google_account else {}
        if google_account is not None:
            declare(tokens.SERVICE_ACCOUNT_IAM_MEMBER)(
                f"{plan.name}-workload",
                {
                    "serviceAccountId": f"projects/{project}/serviceAccounts/{google_account}",
                    "role": WORKLOAD_ROLE,
                    "member": f"serviceAccount:{project}.svc.id.goog[{namespace}/{account}]",
                },
                child,
            )
        metadata: kubernetes.ObjectMeta = {"name": account, "namespace": namespace, "labels": MANAGED}
        if annotations:
            metadata["annotations"] = annotations
        body: kubernetes.ServiceAccount = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": metadata,
            # A replica asks Google by Workload Identity, and the API server nothing.
            "automountServiceAccountToken": False,
        }
        return KubernetesObject(f"{plan.name}-account", body, child)


def account_of(plan: JobPlan) -> str | None:
    """Returns the Kubernetes account to declare for a job, None where the user names one that is there."""
    named = plan.job.service_account
    return legal_name(plan.name, 0) if named is None or "@" in named else None


def _object(body: dict[str, Any], opts: pulumi.ResourceOptions) -> KubernetesObject:
    name = str(body["metadata"]["name"])
    if body["kind"] == "Service":
        return KubernetesObject(f"{name}-service", body, opts)
    return KubernetesObject(name, body, opts, REPLACED)
