"""Boot disks of Vertex AI worker pools: types, sizes and defaults (Vertex AI compute page)."""

from __future__ import annotations

from trainingjobs.catalog.files import vertex_facts

MIN_BOOT_DISK_GB = 100
MAX_BOOT_DISK_GB = 64000
DEFAULT_BOOT_DISK_GB = 100


def boot_disk_types() -> tuple[str, ...]:
    """Returns the boot disk types that a worker pool may name, in the documents' order."""
    return tuple(vertex_facts()["boot_disk"]["types"])


def default_boot_disk_type(machine_type: str) -> str:
    """Returns the boot disk type that Vertex AI gives a machine type when none is named."""
    facts = vertex_facts()["boot_disk"]
    return facts["default_by_machine"].get(machine_type, facts["default"])
