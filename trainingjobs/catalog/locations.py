"""Regions of Vertex AI custom training, their accelerators, and the multi-region whose images are nearest."""

from __future__ import annotations

from functools import lru_cache

from trainingjobs.catalog.files import vertex_facts
from trainingjobs.core.findings import did_you_mean

DOCUMENTED = "documented multi-region name"
INFERRED = "inferred"
# No table of regions is published: us-, europe- and asia- go by their names, the rest by the map.
_BY_CONTINENT = {
    "us": ("us", DOCUMENTED),
    "europe": ("europe", DOCUMENTED),
    "asia": ("asia", DOCUMENTED),
    "africa": ("europe", INFERRED),
    "australia": ("asia", INFERRED),
    "me": ("europe", INFERRED),
    "northamerica": ("us", INFERRED),
    "southamerica": ("us", INFERRED),
}


@lru_cache(maxsize=1)
def regions() -> tuple[str, ...]:
    """Returns the regions of Vertex AI custom training, sorted (Vertex AI locations page)."""
    return tuple(sorted(vertex_facts()["regions"]))


def nearest_region(name: str) -> str | None:
    """Returns the region whose name is nearest, or None where none is near."""
    return did_you_mean(name, regions())


def region_note(region: str) -> str | None:
    """Returns why it is unsure that the region takes custom training, or None."""
    region_facts = vertex_facts()["regions"].get(region)
    return region_facts["unsure"] or None if region_facts else None


def region_accelerators(region: str) -> tuple[str, ...]:
    """Returns the accelerators that custom training has in a region, sorted; none in a region that is not known."""
    region_facts = vertex_facts()["regions"].get(region)
    return tuple(region_facts["accelerators"]) if region_facts else ()


def multi_region(region: str) -> tuple[str, str]:
    """Returns (us, europe or asia; basis: DOCUMENTED or INFERRED) for a region; us by default where it is unknown."""
    region_facts = vertex_facts()["regions"].get(region)
    if region_facts:
        return region_facts["multi_region"], region_facts["basis"]
    return _BY_CONTINENT.get(region.partition("-")[0], ("us", INFERRED))
