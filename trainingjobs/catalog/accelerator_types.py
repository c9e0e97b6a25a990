"""Accelerators: their names on each platform, and which machine type takes how many. Owns no bandwidth and no price."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from trainingjobs.catalog.files import read_rows, vertex_facts
from trainingjobs.catalog.machines import built_in_accelerators, is_known_machine
from trainingjobs.catalog.n1 import n1_counts
from trainingjobs.core.findings import did_you_mean

_PLATFORM_NAMES = {"vertex": "on Vertex AI", "gke": "on GKE", "gce": "on Compute Engine"}


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One accelerator by Vertex AI's name. `gke_name` and `compute_quota` (a regional metric) are "" where it has none.

    `note` is what a user should know of it: an end of support, a reservation that it needs.
    """

    name: str
    gke_name: str
    compute_quota: str
    note: str


@lru_cache(maxsize=1)
def _accelerators() -> dict[str, Accelerator]:
    return {name: Accelerator(name, gke, quota, note) for name, _, gke, quota, note in read_rows("accelerators.csv")}


@lru_cache(maxsize=1)
def accelerators() -> tuple[str, ...]:
    """Returns the GPU names of Vertex AI's AcceleratorType enumeration, sorted, those no longer accepted included."""
    return tuple(sorted(name for name in _accelerators() if not name.startswith("TPU_")))


@lru_cache(maxsize=1)
def tpu_accelerators() -> tuple[str, ...]:
    """Returns the TPU names of Vertex AI's AcceleratorType enumeration, sorted."""
    return tuple(sorted(name for name in _accelerators() if name.startswith("TPU_")))


@lru_cache(maxsize=1)
def all_accelerators() -> tuple[str, ...]:
    """Returns every name of Vertex AI's AcceleratorType enumeration, GPUs first."""
    return accelerators() + tpu_accelerators()


def gke_accelerator(name: str) -> str | None:
    """Returns GKE's name (nvidia-tesla-v100) of a Vertex AI accelerator, None where it has none."""
    accelerator = _accelerators().get(name)
    return accelerator.gke_name or None if accelerator else None


def vertex_accelerator(gke_name: str) -> str | None:
    """Returns Vertex AI's name (NVIDIA_TESLA_V100) of a GKE accelerator, None where it has none."""
    return _by_gke_name().get(gke_name)


@lru_cache(maxsize=1)
def _by_gke_name() -> dict[str, str]:
    return {accelerator.gke_name: name for name, accelerator in _accelerators().items() if accelerator.gke_name}


def accelerator_note(name: str) -> str | None:
    """Returns what a user should know of the accelerator (end of support, reservation), or None."""
    accelerator = _accelerators().get(name)
    return accelerator.note or None if accelerator else None


def compute_quota(name: str) -> str | None:
    """Returns Compute Engine's regional quota metric of an accelerator by Vertex AI's name, None where it has none."""
    accelerator = _accelerators().get(name)
    return accelerator.compute_quota or None if accelerator else None


def nearest_accelerator(name: str) -> str | None:
    """Returns the accelerator name that was probably meant, GKE's names included, or None where none is near."""
    words, known = name.upper().replace("-", "_"), all_accelerators()
    return vertex_accelerator(name.lower()) or _with_words(words, known) or did_you_mean(words, known)


def _with_words(words: str, known: tuple[str, ...]) -> str | None:
    """Returns the name that has all the words and the fewest others: NVIDIA_A100 is nearer to NVIDIA_TESLA_A100."""
    parts = set(words.split("_"))
    matches = [name for name in known if parts <= set(name.split("_"))] if re.search("[0-9]", words) else []
    return min(matches, key=lambda name: (name.count("_"), "_TESLA_" not in name, name), default=None)


def accelerator_fit(machine_type: str, accelerator_type: str | None, count: int, platform: str) -> str | None:
    """Returns None where the machine type takes that many of that accelerator, else one sentence of what is allowed.

    (None, 0) says nothing of accelerators and always fits: A2, A3, A4, G2 and G4 types bring their own. Vertex AI's
    N1 table is that of "Configure compute resources for custom training"; elsewhere Compute Engine's attach limits
    hold ("GPU machine types"). A machine type that is not known is not judged.
    """
    if not accelerator_type and not count:
        return None
    if not accelerator_type:
        return f"acceleratorCount {count} needs an acceleratorType"
    if accelerator_type not in _accelerators():
        return _unknown_accelerator(accelerator_type)
    if not is_known_machine(machine_type):
        return None
    return _misfit(machine_type, accelerator_type, count, platform)


def _unknown_accelerator(name: str) -> str:
    nearest = nearest_accelerator(name)
    hint = f"did you mean {nearest}?" if nearest else f"it is one of {', '.join(all_accelerators())}"
    return f"{name} is no accelerator type; {hint}"


def _misfit(machine_type: str, accelerator_type: str, count: int, platform: str) -> str | None:
    if _is_tpu_machine(machine_type):
        # No document read gives counts for TPU machines: only the kind is judged.
        return None if accelerator_type.startswith("TPU_") else f"{machine_type} takes TPU accelerators only"
    allowed = allowed_accelerators(machine_type, platform)
    where = _PLATFORM_NAMES.get(platform, "on this platform")
    if count in allowed.get(accelerator_type, ()):
        return None
    note = accelerator_note(accelerator_type)
    remark = f" ({note})" if note else ""
    if not allowed:
        return f"{machine_type} takes no accelerators {where}"
    if accelerator_type not in allowed:
        return f"{machine_type} does not take {accelerator_type}{remark} {where}; it takes {_listed(allowed)}"
    return f"{machine_type} takes {_listed({accelerator_type: allowed[accelerator_type]})} {where}, not {count}"


def _is_tpu_machine(machine_type: str) -> bool:
    return machine_type == "cloud-tpu" or machine_type.startswith("ct")


def allowed_accelerators(machine_type: str, platform: str) -> Mapping[str, tuple[int, ...]]:
    """Returns accelerator → allowed counts of a machine type on a platform; empty: it takes none.

    A type that Vertex AI does not take at all is judged by Compute Engine's limits: that it is not taken is another
    finding.
    """
    machine_types = vertex_facts()["machine_types"]
    if platform == "vertex" and machine_type in machine_types:
        return {name: tuple(counts) for name, counts in sorted(machine_types[machine_type].items())}
    built_in = built_in_accelerators(machine_type)
    if built_in:
        return {built_in[0]: (built_in[1],)}
    return n1_counts(machine_type)


def attaches(machine_type: str | None, accelerator: str | None) -> bool:
    """Returns whether accelerators of this kind can be attached to a machine type that brings none of its own."""
    return accelerator in n1_counts(machine_type or "")


def _listed(allowed: Mapping[str, tuple[int, ...]]) -> str:
    return "; ".join(f"{_or(counts)} {name}" for name, counts in allowed.items())


def _or(counts: tuple[int, ...]) -> str:
    words = [str(count) for count in counts]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
