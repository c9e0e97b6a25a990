"""Rules of GKE node pools and clusters: GPU networks, fast socket, private nodes, Workload Identity."""

from __future__ import annotations

from collections.abc import Iterator

from trainingjobs import catalog
from trainingjobs.facts.infrastructure import ClusterFacts, NodePoolFacts
from trainingjobs.facts.job import JobFacts
from trainingjobs.rules.consumption import capacities
from trainingjobs.rules.registry import Problem, rule

FAST_SOCKET, REDUCTION_SERVER = "google-fast-socket", "google-reduction-server"


@rule(
    "nic-topology",
    summary="A pool with GPU networks has exactly as many as its machine has GPU NICs.",
    fix="set gpuNetworks to the number of the machine's GPU NICs",
    source="GKE, Maximize GPU network bandwidth; Compute Engine GPU machine types",
    subjects=(JobFacts, NodePoolFacts),
)
def nic_topology(facts: JobFacts | NodePoolFacts) -> Iterator[Problem]:
    """One network too many takes a GPU NIC's place as surely as one too few leaves it idle."""
    for pool in capacities(facts):
        machine = catalog.machine(pool.machine_type)
        if machine is None or pool.platform != "gke":
            continue
        if isinstance(facts, NodePoolFacts):
            if not machine.gpu_nics:
                # Other networks than those of GPUs: a pool may have them on any machine.
                continue
            facts.need("nodePool.gpuNetworks")
        # A node pool's own list also holds the second host NIC of RDMA machines, which a job does not count.
        nics = catalog.gpu_nics(pool.machine_type)
        has_host_network = nics is not None and nics.host_network
        expected = machine.gpu_nics + (isinstance(facts, NodePoolFacts) and has_host_network)
        path = pool.at("nodePool.gpuNetworks")
        if pool.gpu_networks and pool.gpu_networks != expected:
            yield Problem(
                path=path,
                message=f"{pool.gpu_networks} GPU networks on {pool.machine_type}, which has {expected} GPU NICs",
                fix=f"set it to {expected}" if expected else "remove it",
            )
        elif expected and not pool.gpu_networks and _is_distributed(facts):
            yield Problem(
                path=path,
                message=f"no GPU networks on {pool.machine_type}; its {machine.gpu_nics} GPU NICs, "
                f"{machine.gpu_nic_gbps:g} of {machine.egress_gbps:g} Gbps, stay idle",
                fix=f"set it to {expected}",
                advice=True,
            )
        elif (
            pool.gpu_networks and nics is not None and nics.one_vpc and pool.zones is not None and len(pool.zones) != 1
        ):
            if isinstance(facts, NodePoolFacts):
                facts.need("nodePool.nodeLocations")
            yield Problem(
                path=pool.at("nodePool.nodeLocations"),
                message=f"{len(pool.zones)} zones named for the RDMA network of {pool.machine_type}; 1 is needed",
                fix="name the one zone of the pool in nodeLocations",
            )


def _is_distributed(facts: JobFacts | NodePoolFacts) -> bool:
    if isinstance(facts, NodePoolFacts):
        return True
    return sum(pool.replica_count for pool in (*facts.of("primary"), *facts.of("workers"))) > 1


@rule(
    "fast-socket-conflict",
    summary="NCCL Fast Socket and the reduction server's plug-in exclude each other.",
    fix="remove one of the two",
    source="Vertex AI distributed training guide, Prerequisites; GKE, NCCL Fast Socket",
)
def fast_socket_conflict(job: JobFacts) -> Iterator[Problem]:
    """Looks at installed packages and at the node pool, not at an apt repository's name, which carries the other.

    Trainers beside Vertex AI's reducers need the plug-in, said or not.
    """
    primary = next((pool.declares for pool in job.pools if pool.role == "primary"), None)
    with_reducers = job.platform == "vertex" and bool(job.of("reducers"))
    for pool in job.pools:
        packages = (pool.declares.packages if pool.declares else None) or ()
        needs_plug_in = with_reducers and pool.role in ("primary", "workers")
        if REDUCTION_SERVER not in packages and not needs_plug_in:
            continue
        is_inherited = "image" in pool.inherited and pool.declares == primary
        if FAST_SOCKET in packages and not is_inherited:
            yield Problem(
                path=pool.at("container.declares.packages"),
                message=f"{FAST_SOCKET} beside {REDUCTION_SERVER}; the two cannot be installed together"
                if REDUCTION_SERVER in packages
                else f"{FAST_SOCKET} beside reducers, which need {REDUCTION_SERVER} in its place",
                fix=f"remove {FAST_SOCKET} from the image",
            )
        if pool.fast_socket and REDUCTION_SERVER in packages and "node_pool" not in pool.inherited:
            yield Problem(
                path=pool.at("nodePool.fastSocket"),
                message=f"fast socket on nodes whose image has {REDUCTION_SERVER}",
                fix="set fastSocket to false",
            )
    job.need("workerPoolSpecs")
    for pool in job.pools:
        pool.need("container.declares")


@rule(
    "private-nodes",
    summary="Nodes have no public addresses.",
    fix="set privateNodes to true",
    source="GKE, Hardening your cluster",
    severity="advice",
    prod_severity="error",
    subjects=(ClusterFacts, NodePoolFacts),
)
def private_nodes(facts: ClusterFacts | NodePoolFacts) -> Iterator[Problem]:
    """Cloud NAT lets them out. A node pool's own word holds for it, and the cluster's where it says nothing."""
    facts.need("privateNodes")
    if isinstance(facts, NodePoolFacts):
        if facts.private_nodes is False:
            yield Problem(path=facts.at("privateNodes"), message="false: nodes with public addresses")
    elif not facts.private_nodes and not facts.pools_are_private:
        if facts.private_nodes is None:
            facts.need("nodePools")
        yield Problem(path=facts.at("privateNodes"), message="nodes with public addresses")


@rule(
    "workload-identity",
    summary="Pods act as Google accounts by Workload Identity, not as their node.",
    fix="set workloadIdentity to true",
    source="GKE, Hardening your cluster",
    severity="advice",
    prod_severity="error",
    subjects=(ClusterFacts, NodePoolFacts),
)
def workload_identity(facts: ClusterFacts | NodePoolFacts) -> Iterator[Problem]:
    """Without it every pod has the roles of its node's account. A node pool may switch it off for its own nodes."""
    facts.need("workloadIdentity")
    if isinstance(facts, ClusterFacts) and not facts.workload_identity:
        yield Problem(path=facts.at("workloadIdentity"), message="pods that have their node's roles")
    elif isinstance(facts, NodePoolFacts) and facts.workload_identity is False:
        yield Problem(
            path=facts.at("workloadIdentity"),
            message="GCE_METADATA: pods that have their node's roles",
            fix="set it to GKE_METADATA",
        )
