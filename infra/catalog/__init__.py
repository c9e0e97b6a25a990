"""Machine types, accelerators, bandwidth, prices, regions and images: typed look-ups over the files in data/.

Each figure has its source and date there; a figure that no document gives is marked unsure. Nothing is read before it
is asked for.
"""

from infra.catalog.accelerator_types import (
    accelerator_fit,
    accelerator_note,
    accelerators,
    all_accelerators,
    allowed_accelerators,
    attaches,
    gke_accelerator,
    nearest_accelerator,
    tpu_accelerators,
    vertex_accelerator,
)
from infra.catalog.bandwidth import Egress, egress, tier1_gbps
from infra.catalog.disks import (
    DEFAULT_BOOT_DISK_GB,
    MAX_BOOT_DISK_GB,
    MIN_BOOT_DISK_GB,
    boot_disk_types,
    default_boot_disk_type,
)
from infra.catalog.files import sources
from infra.catalog.images import (
    ImageInfo,
    image_framework,
    is_prebuilt,
    reduction_server_image,
    reduction_server_images,
)
from infra.catalog.locations import multi_region, nearest_region, region_accelerators, region_note, regions
from infra.catalog.machines import (
    Machine,
    built_in_accelerators,
    families,
    is_known_machine,
    machine,
    machine_names,
    nearest_machine,
    nearest_on_platform,
    on_platform,
)
from infra.catalog.prices import PRICE_REGION, Price, PriceFileError, Prices, load_prices, usd_per_hour

__all__ = [
    "DEFAULT_BOOT_DISK_GB",
    "MAX_BOOT_DISK_GB",
    "MIN_BOOT_DISK_GB",
    "PRICE_REGION",
    "Egress",
    "ImageInfo",
    "Machine",
    "Price",
    "PriceFileError",
    "Prices",
    "accelerator_fit",
    "accelerator_note",
    "accelerators",
    "all_accelerators",
    "allowed_accelerators",
    "attaches",
    "boot_disk_types",
    "built_in_accelerators",
    "default_boot_disk_type",
    "egress",
    "families",
    "gke_accelerator",
    "image_framework",
    "is_known_machine",
    "is_prebuilt",
    "load_prices",
    "machine",
    "machine_names",
    "multi_region",
    "nearest_accelerator",
    "nearest_machine",
    "nearest_on_platform",
    "nearest_region",
    "on_platform",
    "reduction_server_image",
    "reduction_server_images",
    "region_accelerators",
    "region_note",
    "regions",
    "sources",
    "tier1_gbps",
    "tpu_accelerators",
    "usd_per_hour",
    "vertex_accelerator",
]
