"""Reads this replica's cluster description from the environment: CLUSTER_SPEC, TF_CONFIG, or none.

Sources: Vertex AI distributed training guide (workerpool0…3), AI Platform containers guide (master, worker, ps,
evaluator), AI Platform TF_CONFIG guide, TFJob guide. What a PyTorchJob injects is in operators.py.
"""

from __future__ import annotations

import json

from .operators import read_operator
from .training_cluster import (
    EVALUATOR,
    PARAMETER_SERVERS,
    PRIMARY,
    REDUCTION_SERVER,
    SERVERS,
    UNKNOWN,
    WORKER,
    Cluster,
    RefusedError,
    join_address,
    quoted,
    split_address,
    world_of_one,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CLUSTER_SPEC, TF_CONFIG = "CLUSTER_SPEC", "TF_CONFIG"
_POOLS = {"workerpool0": PRIMARY, "workerpool1": WORKER, "workerpool2": SERVERS, "workerpool3": EVALUATOR}
_TASKS = {"chief": PRIMARY, "master": PRIMARY, "worker": WORKER, "ps": SERVERS, "evaluator": EVALUATOR}

# Linux passes no longer string to a process than 128 KiB; this is far above it and far below what hurts.
_LENGTH_LIMIT = 1 << 20
_REPOSITORY = "docker.pkg.dev/vertex-ai-restricted/training/reductionserver"
_REDUCTION_SERVER = (_REPOSITORY, f"{_REPOSITORY}:latest")


def describe(environ: Mapping[str, str], pool2: str = UNKNOWN) -> Cluster:
    """Returns this replica's place in the cluster.

    `pool2` ("ps", "reducers" or "") says what pool 2 holds where the description's own job does not. CLUSTER_SPEC goes
    before TF_CONFIG, which goes before an operator's variables; both are checked when both are set.
    Raises RefusedError for a description that is broken.
    """
    documents = [(name, parsed(environ, name)) for name in (CLUSTER_SPEC, TF_CONFIG)]
    clusters = [_read(name, document, pool2) for name, document in documents if document]
    return clusters[0] if clusters else read_operator(environ) or world_of_one()


def parsed(environ: Mapping[str, str], name: str) -> dict[str, object] | None:
    """Returns the object in the variable `name`, None where it is absent or empty.

    Raises RefusedError where it is set but not a JSON object, or an empty one.
    """
    text = environ.get(name, "")
    if not text:
        return None
    if len(text) > _LENGTH_LIMIT:
        raise RefusedError(f"{name} is {len(text)} characters long; at most {_LENGTH_LIMIT} are read")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedError(f"{name} is set but is no JSON: {quoted(text)}") from None
    if not isinstance(document, dict):
        raise RefusedError(f"{name} is set but is no JSON object: {quoted(text)}")
    if not document:
        raise RefusedError(f"{name} is an empty object; it needs cluster and task, or unset it")
    return document


def job_of(document: dict[str, object]) -> dict[str, object] | None:
    """Returns the job that a description carries as an object or as JSON text; None where it carries none."""
    job = document.get("job")
    if isinstance(job, str):
        try:
            job = json.loads(job)
        except (ValueError, RecursionError):
            return None
    return job if isinstance(job, dict) else None


def _read(name: str, document: dict[str, object], pool2_option: str) -> Cluster:
    cluster, task = _object(name, document, "cluster"), _object(name, document, "task")
    vertex = name == CLUSTER_SPEC and any(key.startswith("workerpool") for key in cluster)
    roles = _POOLS if vertex else _TASKS
    pools = _pools(name, cluster, roles)
    role, index = _task(name, task, roles, cluster, pools)
    primary, workers = pools.get(PRIMARY, {}), pools.get(WORKER, {})
    if primary.keys() - {0} or (not primary and name == CLUSTER_SPEC):
        raise RefusedError(f"{name}: cluster has {len(primary)} primary replicas; exactly one is needed")
    # A TFJob without a Chief: its worker 0 is the chief, and worker i has rank i.
    chief_first = [*primary.values(), *(workers[i] for i in sorted(workers))]
    # Kubeflow's dynamic form: a worker's map holds itself alone, the chief's is empty.
    dynamic = name == TF_CONFIG and cluster.get("worker") == {}
    nodes = chief_first if not dynamic and sorted(workers) == list(range(len(workers))) else []
    rank = None if role in (SERVERS, EVALUATOR) or not nodes else 0 if role == PRIMARY else index + len(primary)
    job = job_of(document)
    trial = task.get("trial")
    pool2 = pools.get(SERVERS, {})
    return Cluster(
        role=PRIMARY if rank == 0 else role,
        index=index,
        rank=rank,
        count=len(nodes),
        primary=nodes[0] if nodes else "",
        nodes=tuple(nodes),
        pool2=tuple(pool2[i] for i in sorted(pool2)),
        pool2_kind=_pool2_kind(name, vertex, job, pool2_option) if pool2 else UNKNOWN,
        evaluators=tuple(pools.get(EVALUATOR, {}).values()),
        job=job,
        trial=trial if isinstance(trial, str) else "",
    )


def _object(name: str, document: dict[str, object], key: str) -> dict[str, object]:
    value = document.get(key)
    if not isinstance(value, dict):
        raise RefusedError(f"{name}: {key} is {quoted(value) if key in document else 'missing'}; an object is needed")
    return value


def _pools(name: str, cluster: dict[str, object], roles: dict[str, str]) -> dict[str, dict[int, str]]:
    """Returns index → address of every pool that has replicas; a pool of null is an absent one."""
    pools: dict[str, dict[int, str]] = {}
    addresses: set[str] = set()
    for key, members in cluster.items():
        role = roles.get(key)
        if role is None:
            raise RefusedError(f"{name}: cluster.{quoted(key)} is no pool; allowed: {', '.join(roles)}")
        pool = {} if members is None else _members(name, key, members)
        if pool and role in pools:
            raise RefusedError(f"{name}: cluster has both master and chief; one of them is the primary")
        for address in pool.values():
            if address in addresses:
                raise RefusedError(f"{name}: cluster has the address {quoted(address)} twice")
            addresses.add(address)
        if pool:
            pools[role] = pool
    return pools


def _members(name: str, key: str, members: object) -> dict[int, str]:
    """Returns index → address of one pool: a list, or TensorFlow's map from the index (Kubeflow's dynamic workers)."""
    path = f"{name}: cluster.{key}"
    if isinstance(members, list):
        return {i: _address(path, address) for i, address in enumerate(members)}
    if not isinstance(members, dict):
        raise RefusedError(f"{path} is {quoted(members)}; a list of addresses is needed")
    pool: dict[int, str] = {}
    for text, address in members.items():
        if not (text.isascii() and text.isdigit() and len(text) <= 9) or text != str(int(text)):
            raise RefusedError(f"{path} has the index {quoted(text)}; a whole number is needed")
        pool[int(text)] = _address(path, address)
    return pool


def _address(path: str, address: object) -> str:
    try:
        if isinstance(address, str):
            return join_address(*split_address(address))
    except ValueError:
        pass
    raise RefusedError(f"{path} has {quoted(address)}, which is no address; host:port is needed")


def _task(
    name: str,
    task: dict[str, object],
    roles: dict[str, str],
    cluster: dict[str, object],
    pools: dict[str, dict[int, str]],
) -> tuple[str, int]:
    """Returns role and index of this replica. An evaluator may be absent from TF_CONFIG's cluster."""
    kind, index = task.get("type"), task.get("index")
    if not isinstance(kind, str) or kind not in roles:
        raise RefusedError(f"{name}: task.type is {quoted(kind)}; allowed: {', '.join(roles)}")
    if not isinstance(index, int) or isinstance(index, bool) or index < 0:
        raise RefusedError(f"{name}: task.index is {quoted(index)}; a whole number from 0 is needed")
    role = roles[kind]
    outside = name == TF_CONFIG and role == EVALUATOR and role not in pools
    # By its own key: master and chief are one role, and a master is not in a cluster that has a chief.
    if not outside and not (cluster.get(kind) and index in pools[role]):
        raise RefusedError(f"{name}: task {kind} {quoted(index)} is not in the cluster")
    return role, index


def _pool2_kind(name: str, vertex: bool, job: object, pool2: str) -> str:
    if name == CLUSTER_SPEC and not vertex:
        return PARAMETER_SERVERS
    image = _pool2_image(job)
    if image:
        vertex_own = image.partition("@")[0].endswith(_REDUCTION_SERVER)
        return REDUCTION_SERVER if vertex_own else PARAMETER_SERVERS
    # TF_CONFIG calls pool 2 `ps` by position, so that alone is the weakest witness.
    return pool2 or (PARAMETER_SERVERS if name == TF_CONFIG else UNKNOWN)


def _pool2_image(job: object) -> str:
    """Returns the image of the job's third worker pool, "" where the job does not say.

    The job is the CustomJobSpec, with the API's names in either spelling.
    """
    pools = _member(job, "workerPoolSpecs", "worker_pool_specs")
    pool = pools[2] if isinstance(pools, list) and len(pools) > 2 else None
    container = _member(pool, "containerSpec", "container_spec")
    package = _member(pool, "pythonPackageSpec", "python_package_spec")
    image = _member(container, "imageUri", "image_uri") or _member(package, "executorImageUri", "executor_image_uri")
    return image if isinstance(image, str) else ""


def _member(value: object, *names: str) -> object:
    values = [value[name] for name in names if name in value] if isinstance(value, dict) else []
    return values[0] if values else None
