"""Machine types, accelerators, bandwidth, prices, regions and images: typed look-ups over the files in data/.

Each figure has its source and date there; a figure that no document gives is marked unsure. Nothing is read before it
is asked for.
"""

from trainingjobs.catalog.accelerator_types import (
    accelerator_fit,
    accelerator_note,
    accelerators,
    all_accelerators,
    allowed_accelerators,
    attaches,
    compute_quota,
    gke_accelerator,
    nearest_accelerator,
    tpu_accelerators,
    vertex_accelerator,
)
from trainingjobs.catalog.bandwidth import Egress, Target, egress, tier1_gbps
from trainingjobs.catalog.disks import (
    DEFAULT_BOOT_DISK_GB,
    MAX_BOOT_DISK_GB,
    MIN_BOOT_DISK_GB,
    boot_disk_types,
    default_boot_disk_type,
)
from trainingjobs.catalog.files import sources
from trainingjobs.catalog.images import (
    ImageInfo,
    image_framework,
    is_prebuilt,
    reduction_server_image,
    reduction_server_images,
)
from trainingjobs.catalog.locations import multi_region, nearest_region, region_accelerators, region_note, regions
from trainingjobs.catalog.machines import (
    GpuNics,
    Machine,
    brings_accelerators,
    built_in_accelerators,
    families,
    gpu_nics,
    is_known_machine,
    machine,
    machine_names,
    nearest_machine,
    nearest_on_platform,
    on_platform,
)
from trainingjobs.catalog.prices import PRICE_REGION, Price, PriceFileError, Prices, load_prices, usd_per_hour

__all__ = [
    "DEFAULT_BOOT_DISK_GB",
    "MAX_BOOT_DISK_GB",
    "MIN_BOOT_DISK_GB",
    "PRICE_REGION",
    "Egress",
    "GpuNics",
    "ImageInfo",
    "Machine",
    "Price",
    "PriceFileError",
    "Prices",
    "Target",
    "accelerator_fit",
    "accelerator_note",
    "accelerators",
    "all_accelerators",
    "allowed_accelerators",
    "attaches",
    "boot_disk_types",
    "brings_accelerators",
    "built_in_accelerators",
    "compute_quota",
    "default_boot_disk_type",
    "egress",
    "families",
    "gke_accelerator",
    "gpu_nics",
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
