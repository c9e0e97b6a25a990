"""The egress of a machine with its accelerators on a platform. Owns no sizing: the bandwidth rule is the plan's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trainingjobs.catalog.machines import Machine, machine
from trainingjobs.catalog.n1 import N1Combination, n1_combinations

# Where machines are bought.
Target = Literal["vertex", "gke", "gce"]
# Where a network tier can be chosen at all: Vertex AI's MachineSpec has no field for it.
_TIER1_PLATFORMS = frozenset({"gke", "gce"})
# Compute Engine "GPU machine types": 600 in these regions, 400 elsewhere.
_EDGE = "a3-edgegpu-8g"
_EDGE_REGIONS = frozenset({"asia-south1", "northamerica-northeast2"})
_EDGE_GBPS = 600.0


@dataclass(frozen=True, slots=True)
class Egress:
    """Egress of one VM in Gbps: the headline figure, and the part that reducers are reached by.

    They differ only where GPU NICs are counted (`gpu_nic_gbps`, 0 elsewhere). `tier1`: the figure needs Tier_1
    networking. `unsure` says why a figure may be wrong, "" where it is published.
    """

    total_gbps: float
    host_gbps: float
    tier1: bool
    unsure: str
    gpu_nic_gbps: float = 0.0


def tier1_gbps(machine_type: str, platform: str) -> float | None:
    """Returns the egress in Gbps with Tier_1, None where the machine type or the platform has no Tier_1.

    Compute Engine's tables have it on no N1, N4, N4D or E2; Vertex AI cannot select it.
    """
    machine_facts = machine(machine_type)
    return machine_facts.tier1_egress_gbps if machine_facts and platform in _TIER1_PLATFORMS else None


def egress(
    machine_type: str,
    accelerator_type: str | None,
    accelerator_count: int,
    *,
    platform: str,
    tier1: bool,
    region: str | None = None,
) -> Egress | None:
    """Returns the egress of a machine and its accelerators, or None where the machine type has no figures.

    Tier_1 counts only where `tier1` asks for it and tier1_gbps has a figure. N1 with accelerators goes by Compute
    Engine's "GPU network bandwidth"; between two published rows the high end holds, because a worker taken for too slow
    gives too few reducers.
    """
    machine_facts = machine(machine_type)
    if machine_facts is None:
        return None
    if machine_facts.family == "n1" and accelerator_type and accelerator_count > 0:
        return _n1_with_accelerators(machine_facts, accelerator_type, accelerator_count)
    if machine_facts.machine_type == _EDGE and region in _EDGE_REGIONS:
        return Egress(
            _EDGE_GBPS,
            machine_facts.host_egress_gbps,
            False,
            machine_facts.unsure,
            _EDGE_GBPS - machine_facts.host_egress_gbps,
        )
    faster = tier1_gbps(machine_type, platform) if tier1 else None
    if faster is not None:
        return Egress(faster, faster, True, machine_facts.unsure)
    return Egress(
        machine_facts.egress_gbps,
        machine_facts.host_egress_gbps,
        False,
        machine_facts.unsure,
        machine_facts.gpu_nic_gbps,
    )


def _n1_with_accelerators(machine_facts: Machine, accelerator_type: str, count: int) -> Egress:
    row = n1_combinations().get((machine_facts.machine_type, accelerator_type, count))
    if row is None:
        return Egress(
            machine_facts.egress_gbps,
            machine_facts.egress_gbps,
            False,
            "these accelerators do not fit the machine type",
        )
    return Egress(row.egress_gbps_high, row.egress_gbps_high, False, _doubt(row))


def _doubt(row: N1Combination) -> str:
    if row.confidence == "published":
        return ""
    if row.egress_gbps != row.egress_gbps_high:
        return f"between two published rows: {row.egress_gbps:g} to {row.egress_gbps_high:g} Gbps, the higher is taken"
    return "derived from the machine's vCPUs and the accelerators' published rows"
