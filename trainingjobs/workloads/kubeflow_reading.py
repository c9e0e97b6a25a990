"""Kubeflow's TFJob and PyTorchJob, v1's map and the array form of the TFJob guide → a job document.

Sources: TFJob guide, "TFJobSpec Object"; kubeflow/training-operator v1.9, pkg/apis/kubeflow.org/v1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trainingjobs.core.findings import Finding, not_carried, quote, schema_advice, schema_error
from trainingjobs.core.source import Node, pruned
from trainingjobs.workloads.job_document import Pools, job_document, labels
from trainingjobs.workloads.pod_reading import pool_of_template
from trainingjobs.workloads.pod_template import JOB_LABEL, output_directories

if TYPE_CHECKING:
    from trainingjobs.workloads.kubeflow import OperatorWorkload

DEFAULT_TYPE = "Chief"
RESTART_POLICIES = ("Always", "OnFailure", "Never", "ExitCode")
# What the API server writes into an object that it returns.
SERVER_KEYS = ("apiVersion", "kind", "status")
SERVER_METADATA = (
    "creationTimestamp", "generation", "resourceVersion", "uid", "managedFields", "ownerReferences", "selfLink",
)  # fmt: skip


def read_replicated_job(
    workload: OperatorWorkload, document: Mapping[str, Any], name: str
) -> tuple[dict[str, Any], list[Finding]]:
    """Returns the job document of an operator's object, and what is wrong with it or lost. `name`: the job's own."""
    findings: list[Finding] = []
    body = Node(document, "", findings)
    metadata, spec = body.node("metadata"), body.node("spec")
    object_name = metadata.text("name")
    namespace = metadata.text("namespace")
    fields: dict[str, Any] = {
        "displayName": object_name if object_name != name else None,
        "kind": workload.kind,
        "framework": workload.framework,
        "namespace": namespace if namespace != "default" else None,
        "labels": labels(metadata, skip=(JOB_LABEL,)),
        "scheduling": _run_policy(spec),
    }
    metadata.rest(server_written=SERVER_METADATA, strict=False)
    pools: Pools = {}
    for word, replica in _replicas(spec, workload.specs_key):
        _replica(replica, word, workload, pools, fields)
    if "primary" not in pools and "workers" in pools:
        _first_worker_leads(spec, pools)
    fields["baseOutputDirectory"] = _output_directory(pools)
    fields["platform"] = "gke" if pools and all(pool.get("machineType") for pool in pools.values()) else "kubernetes"
    _switches(spec)
    spec.rest(strict=False)
    body.rest(server_written=SERVER_KEYS)
    return job_document(_without_empty_scheduling(fields), pools), findings


def _without_empty_scheduling(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "scheduling": pruned(fields["scheduling"])}


def _replicas(spec: Node, specs_key: str) -> list[tuple[str, Node]]:
    """Returns type and specification of each group of replicas, of the map or of the guide's list."""
    if "replicaSpecs" in spec.value:
        return [(group.text("tfReplicaType") or DEFAULT_TYPE, group) for group in spec.nodes("replicaSpecs")]
    groups = spec.node(specs_key)
    if not groups.value:
        spec.say(schema_error(spec.at(specs_key), "missing; it describes the replicas", "add it"))
    return [(word, groups.node(word)) for word in groups.value]


def _replica(source: Node, word: str, workload: OperatorWorkload, pools: Pools, fields: dict[str, Any]) -> None:
    role = workload.types.get(word.lower())
    if role is None:
        fix = f"use {workload.type_names}"
        source.say(schema_error(source.path, f"{quote(word)} is no type of replica", fix))
        return
    workload.read_type(word, fields)
    if role in pools:
        source.say(schema_error(source.path, f"{quote(word)} stands twice", "keep one"))
        return
    count = source.integer("replicas")
    if source.value.get("template") is None:
        source.say(schema_error(source.at("template"), "missing; it describes the pods", "add it"))
    pool, of_job = pool_of_template(source.node("template"), workload.container)
    policy = source.word("restartPolicy", RESTART_POLICIES)
    if policy in ("Always", "OnFailure"):
        source.say(
            not_carried(source.at("restartPolicy"), f"{policy}; a replica that failed is not started again by itself")
        )
    elif policy == "Never":
        fields["scheduling"] = {**fields["scheduling"], "disableRetries": True}
    source.rest(strict=False)
    if count != 0:
        pools[role] = {**pool, "replicaCount": 1 if count is None else count}
    for key, value in of_job.items():
        fields[key] = {**fields[key], **value} if isinstance(value, dict) else fields.get(key) or value


def _first_worker_leads(spec: Node, pools: Pools) -> None:
    """A job without a chief: the operator lets worker 0 decide, so it becomes the primary."""
    workers = pools.pop("workers")
    count = workers["replicaCount"]
    pools["primary"] = {**workers, "replicaCount": 1}
    if count > 1:
        pools["workers"] = {**workers, "replicaCount": count - 1}
    fix = f"it becomes the primary, beside {count - 1} workers"
    spec.say(schema_advice(spec.path, "no Chief or Master, so worker 0 is the chief", fix))


def _output_directory(pools: Pools) -> dict[str, str] | None:
    """Returns the folder that our own rendering has turned into variables, and takes them out of every pool."""
    env = pools.get("primary", {}).get("container", {}).get("env", {})
    prefix = env.get("AIP_MODEL_DIR", "").removesuffix("/model/")
    expected = output_directories(prefix)
    if not prefix or any(env.get(name) != value for name, value in expected.items()):
        return None
    for pool in pools.values():
        pool_env = pool.get("container", {}).get("env", {})
        for name in [name for name in expected if pool_env.get(name) == expected[name]]:
            del pool_env[name]
        if not pool_env:
            pool.get("container", {}).pop("env", None)
    return {"outputUriPrefix": prefix}


def _run_policy(spec: Node) -> dict[str, Any]:
    """Returns the longest run; other settings of the whole job are reported."""
    policy = spec.node("runPolicy")
    seconds = policy.integer("activeDeadlineSeconds") or spec.integer("activeDeadlineSeconds")
    for source in (policy, spec):
        clean_policy = source.text("cleanPodPolicy")
        if clean_policy not in (None, "Running"):
            source.say(not_carried(source.at("cleanPodPolicy"), f"{clean_policy}; replicas that still run are stopped"))
    policy.rest(strict=False)
    return {"timeout": f"{seconds}s"} if seconds else {}


def _switches(spec: Node) -> None:
    policy = spec.text("successPolicy")
    if policy:
        spec.say(not_carried(spec.at("successPolicy"), f"{policy}; the primary decides"))
    if spec.boolean("enableDynamicWorker"):
        spec.say(not_carried(spec.at("enableDynamicWorker"), "replicas are told of all others"))
