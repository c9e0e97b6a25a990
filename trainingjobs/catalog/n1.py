"""N1 machine types with accelerators attached: which combinations exist and what egress they have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from trainingjobs.catalog.files import read_rows


@dataclass(frozen=True, slots=True)
class N1Combination:
    """An N1 type with accelerators. Egress in Gbps, from low to high where it lies between two published rows.

    `confidence`: published, derived, derived-range (Compute Engine "GPU network bandwidth" and attach limits).
    """

    egress_gbps: float
    egress_gbps_high: float
    vertex_accepts: bool
    confidence: str


Key = tuple[str, str, int]


@lru_cache(maxsize=1)
def n1_combinations() -> dict[Key, N1Combination]:
    """Returns (machine type, accelerator, count) → combination, for all that Compute Engine lets attach."""
    return {
        (machine_type, accelerator, int(count)): N1Combination(float(low), float(high), accepts == "yes", confidence)
        for machine_type, accelerator, count, low, high, accepts, confidence, _ in read_rows("n1_accelerators.csv")
    }


@lru_cache(maxsize=1)
def _counts() -> dict[str, dict[str, tuple[int, ...]]]:
    counts: dict[str, dict[str, tuple[int, ...]]] = {}
    for machine_type, accelerator, count in sorted(n1_combinations()):
        per_machine = counts.setdefault(machine_type, {})
        per_machine[accelerator] = (*per_machine.get(accelerator, ()), count)
    return counts


def n1_counts(machine_type: str) -> dict[str, tuple[int, ...]]:
    """Returns accelerator → counts that Compute Engine lets attach to an N1 type; empty for every other type."""
    return _counts().get(machine_type, {})
