"""Machine types: size, built-in accelerators, bandwidth figures, and the platforms that take them.

Owns the look-up by name. What accelerators and Tier_1 do to the egress is in bandwidth.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from infra.catalog.files import read_rows, vertex_facts
from infra.problems import did_you_mean

# Shared-core types of the N1 series: GKE's nodes cannot run on them.
_NO_NODE = frozenset({"f1-micro", "g1-small"})


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine type. Bandwidths are maxima in Gbps per VM within a VPC (Compute Engine machine family pages).

    `gpu_type` is Vertex AI's enumeration name, "" where the type has no GPU of its own. `host_egress_gbps` is the part
    of the egress that ordinary TCP reaches through the host's NICs; the rest belongs to `gpu_nics` NICs that carry only
    traffic between GPUs (A3 with eight GPUs and newer). `tier1_egress_gbps` is None where Tier_1 is not offered.
    `unsure` says why a figure may be wrong, "" where it is published.
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
    unsure: str
    source: str


@lru_cache(maxsize=1)
def _machines() -> dict[str, Machine]:
    return {row[0]: _machine_of(row) for row in read_rows("machines.csv")}


def _machine_of(row: list[str]) -> Machine:
    name, family, vcpus, memory, gpu, gpus, egress, tier1, host, nics, nic_gbps, unsure, source = row
    return Machine(
        machine_type=name,
        family=family,
        vcpus=int(vcpus),
        memory_gib=float(memory),
        gpu_type=gpu,
        gpu_count=int(gpus),
        egress_gbps=float(egress),
        tier1_egress_gbps=float(tier1) if tier1 else None,
        host_egress_gbps=float(host),
        gpu_nics=int(nics),
        gpu_nic_gbps=float(nic_gbps),
        unsure=unsure,
        source=source,
    )


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
    found = machine(machine_type)
    return (found.gpu_type, found.gpu_count) if found and found.gpu_type else None


def on_platform(machine_type: str, platform: str) -> str | None:
    """Returns None where the platform takes the machine type, else one sentence saying what it takes.

    Vertex AI: the types of "Configure compute resources for custom training". GKE and Compute Engine: every type but
    those that cannot be nodes. A type that is not known at all is not judged.
    """
    if not is_known_machine(machine_type):
        return None
    if platform == "vertex":
        return None if machine_type in vertex_facts()["machine_types"] else _vertex_takes(machine_type)
    if platform == "gke" and machine_type in _NO_NODE:
        return f"{machine_type} cannot be a GKE node; e2-medium is the smallest useful one"
    if machine_type == "cloud-tpu":
        return "cloud-tpu is a name of Vertex AI's own; elsewhere a TPU machine is named, such as ct5lp-hightpu-4t"
    return None


def _vertex_takes(machine_type: str) -> str:
    accepted = vertex_facts()["machine_types"]
    series = machine_type.rpartition("-")[0]
    same = sorted((name for name in accepted if name.rpartition("-")[0] == series), key=_by_size)
    if same:
        return f"Vertex AI custom training does not take {machine_type}; of {series} it takes {', '.join(same)}"
    families = ", ".join(sorted({name.partition("-")[0] for name in accepted}))
    return f"Vertex AI custom training does not take {machine_type}; it takes types of {families}"


def _by_size(name: str) -> tuple[int, str]:
    found = machine(name)
    return (found.vcpus if found else 0, name)


def nearest_on_platform(machine_type: str, platform: str) -> str | None:
    """Returns the type nearest in GPU, vCPUs and memory that the platform takes, or None where none has that GPU.

    None too for a machine type without figures.
    """
    wanted = machine(machine_type)
    if wanted is None:
        return None
    usable = [
        name
        for name, found in _machines().items()
        if found.gpu_type == wanted.gpu_type and on_platform(name, platform) is None
    ]
    ranked = sorted(usable, key=lambda name: (_distance(_machines()[name], wanted), name))
    return ranked[0] if ranked else None


def _distance(one: Machine, other: Machine) -> tuple[float, float, bool, bool]:
    return (
        abs(one.vcpus - other.vcpus),
        abs(one.memory_gib - other.memory_gib),
        one.family != other.family,
        one.family != "n2",
    )
