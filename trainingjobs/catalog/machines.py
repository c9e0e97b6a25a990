"""Machine types: size, built-in accelerators, bandwidth figures, and the platforms that take them.

Owns the look-up by name. What accelerators and Tier_1 do to the egress is in bandwidth.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from trainingjobs.catalog.files import read_records, vertex_facts
from trainingjobs.core.findings import did_you_mean


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine type. Bandwidths are maxima in Gbps per VM within a VPC (Compute Engine machine family pages).

    `gpu_type` is Vertex AI's enumeration name, "" where the type has no GPU of its own. `host_egress_gbps` is the part
    of the egress that ordinary TCP reaches through the host's NICs; the rest belongs to `gpu_nics` NICs that carry only
    traffic between GPUs (A3 with eight GPUs and newer). `tier1_egress_gbps` is None where Tier_1 is not offered.
    `gpu_nic_kind` is a row of gpu_nics.csv, "" without GPU NICs; `gpu_subnet_slot` the first of the equal parts of a
    stack's GPU range that are this type's, for ever. `local_ssds` of 375 GB come with the machine. `compact_flex`:
    flex-start takes compact placement. `min_cpu_platform` is what the bandwidth needs, "" where any will do.
    `proven_reducer`: the distributed training guide speaks for it ("a general purpose VM with at least 16 vCPU that
    provides 32 Gbps egress"). `unsure` says why a figure may be wrong, "" where it is published.
    """

    machine_type: str
    family: str
    vcpus: int
    memory_gib: float
    gpu_type: str
    gpu_count: int
    egress_gbps: float
    tier1_egress_gbps: float | None
    host_egress_gbps: float
    gpu_nics: int
    gpu_nic_gbps: float
    gpu_nic_kind: str
    gpu_subnet_slot: int | None
    local_ssds: int
    compact_flex: bool
    min_cpu_platform: str
    gke_node: bool
    proven_reducer: bool
    unsure: str
    source: str


@dataclass(frozen=True, slots=True)
class GpuNics:
    """How GPU NICs of a kind are wired on GKE. MTU in bytes.

    `one_vpc`: one VPC of the zone's RoCE profile has a subnet for each NIC; else each NIC has a VPC of its own.
    `host_network`: the machine has a second host NIC, in a VPC beside those. `device_mode` is GKENetworkParamSet's.
    """

    kind: str
    mtu: int
    one_vpc: bool
    host_network: bool
    device_mode: str


@lru_cache(maxsize=1)
def _machines() -> dict[str, Machine]:
    return {row["machine_type"]: _machine_of(row) for row in read_records("machines.csv")}


def _machine_of(row: dict[str, str]) -> Machine:
    return Machine(
        machine_type=row["machine_type"],
        family=row["family"],
        vcpus=int(row["vcpus"]),
        memory_gib=float(row["memory_gib"]),
        gpu_type=row["gpu_type"],
        gpu_count=int(row["gpu_count"]),
        egress_gbps=float(row["egress_gbps"]),
        tier1_egress_gbps=float(row["tier1_egress_gbps"]) if row["tier1_egress_gbps"] else None,
        host_egress_gbps=float(row["host_egress_gbps"]),
        gpu_nics=int(row["gpu_nics"]),
        gpu_nic_gbps=float(row["gpu_nic_gbps"]),
        gpu_nic_kind=row["gpu_nic_kind"],
        gpu_subnet_slot=int(row["gpu_subnet_slot"]) if row["gpu_subnet_slot"] else None,
        local_ssds=int(row["local_ssds"]),
        compact_flex=row["compact_flex"] == "yes",
        min_cpu_platform=row["min_cpu_platform"],
        gke_node=row["gke_node"] == "yes",
        proven_reducer=row["proven_reducer"] == "yes",
        unsure=row["unsure"],
        source=row["source"],
    )


@lru_cache(maxsize=1)
def _gpu_nics() -> dict[str, GpuNics]:
    return {
        row["kind"]: GpuNics(
            row["kind"], int(row["mtu"]), row["networks"] == "one", row["host_network"] == "yes", row["device_mode"]
        )
        for row in read_records("gpu_nics.csv")
    }


def gpu_nics(machine_type: str) -> GpuNics | None:
    """Returns how the GPU NICs of a machine type are wired, None where it has none."""
    known = machine(machine_type)
    return _gpu_nics().get(known.gpu_nic_kind) if known else None


def machine(name: str) -> Machine | None:
    """Returns the machine type of that exact name, or None where the catalogue has no figures for it."""
    return _machines().get(name)


@lru_cache(maxsize=1)
def machine_names() -> tuple[str, ...]:
    """Returns the names of all machine types that have figures, sorted."""
    return tuple(sorted(_machines()))


def is_known_machine(name: str) -> bool:
    """Returns whether the name exists: it has figures, or it is one of Vertex AI's TPU types, which have none here."""
    return name in _machines() or name in vertex_facts()["machine_types"]


def nearest_machine(name: str) -> str | None:
    """Returns the machine type whose name is nearest, or None where none is near."""
    return did_you_mean(name, {*_machines(), *vertex_facts()["machine_types"]})


def families() -> tuple[str, ...]:
    """Returns the machine families of the catalogue, sorted, such as a2 and n1."""
    return tuple(sorted({name.partition("-")[0] for name in {*_machines(), *vertex_facts()["machine_types"]}}))


def built_in_accelerators(machine_type: str) -> tuple[str, int] | None:
    """Returns (accelerator, count) that the type brings itself (A2, A3, A4, G2, G4), or None: it brings none."""
    machine_facts = machine(machine_type)
    return (machine_facts.gpu_type, machine_facts.gpu_count) if machine_facts and machine_facts.gpu_type else None


def brings_accelerators(machine_type: str) -> bool:
    """Returns whether the machine types of that family bring accelerators, also a size that has no figures; TPUs count.

    Of a machine type's URL the last part is its name.
    """
    return machine_type.rpartition("/")[2].partition("-")[0] in _accelerator_families()


@lru_cache(maxsize=1)
def _accelerator_families() -> frozenset[str]:
    with_gpus = {known.family for known in _machines().values() if known.gpu_type}
    tpus = {name.partition("-")[0] for name in vertex_facts()["machine_types"] if name not in _machines()}
    return frozenset(with_gpus | tpus)


def on_platform(machine_type: str, platform: str) -> str | None:
    """Returns None where the platform takes the machine type, else one sentence saying what it takes.

    Vertex AI: the types of "Configure compute resources for custom training". GKE and Compute Engine: every type but
    those that cannot be nodes. A type that is not known at all is not judged.
    """
    if not is_known_machine(machine_type):
        return None
    if platform == "vertex":
        return None if machine_type in vertex_facts()["machine_types"] else _vertex_takes(machine_type)
    known = machine(machine_type)
    if platform == "gke" and known is not None and not known.gke_node:
        return f"{machine_type} cannot be a GKE node; e2-medium is the smallest useful one"
    if machine_type == "cloud-tpu":
        return "cloud-tpu is a name of Vertex AI's own; elsewhere a TPU machine is named, such as ct5lp-hightpu-4t"
    return None


def _vertex_takes(machine_type: str) -> str:
    machine_types = vertex_facts()["machine_types"]
    series = machine_type.rpartition("-")[0]
    same_series = sorted((name for name in machine_types if name.rpartition("-")[0] == series), key=_by_size)
    if same_series:
        return f"Vertex AI custom training does not take {machine_type}; of {series} it takes {', '.join(same_series)}"
    families = ", ".join(sorted({name.partition("-")[0] for name in machine_types}))
    return f"Vertex AI custom training does not take {machine_type}; it takes types of {families}"


def _by_size(name: str) -> tuple[int, str]:
    machine_facts = machine(name)
    return (machine_facts.vcpus if machine_facts else 0, name)


def nearest_on_platform(machine_type: str, platform: str) -> str | None:
    """Returns the type nearest in GPU, vCPUs and memory that the platform takes, or None where none has that GPU.

    None too for a machine type without figures.
    """
    original = machine(machine_type)
    if original is None:
        return None
    usable = [
        name
        for name, candidate in _machines().items()
        if candidate.gpu_type == original.gpu_type and on_platform(name, platform) is None
    ]
    ranked = sorted(usable, key=lambda name: (_distance(_machines()[name], original), name))
    return ranked[0] if ranked else None


def _distance(candidate: Machine, original: Machine) -> tuple[float, float, bool, bool]:
    return (
        abs(candidate.vcpus - original.vcpus),
        abs(candidate.memory_gib - original.memory_gib),
        candidate.family != original.family,
        candidate.family != "n2",
    )
