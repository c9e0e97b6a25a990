"""Container images that Google publishes for custom training: the reduction server's and the prebuilt ones."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trainingjobs.catalog.files import vertex_facts
from trainingjobs.catalog.locations import multi_region

_PREBUILT = re.compile(
    r"(?P<multi_region>us|europe|asia)-docker\.pkg\.dev/vertex-ai/training/(?P<name>[a-z0-9._-]+)(?:[:@].*)?"
)
_NAME = re.compile(
    r"(?P<framework>tf|pytorch|xgboost|sklearn|scikit-learn)-(?P<device>cpu|gpu|xla|tpu)"
    r"\.(?P<version>\d+(?:-\d+)*)(?:\.py\d+)?"
)
_FRAMEWORKS = {
    "tf": "tensorflow",
    "pytorch": "pytorch",
    "xgboost": "xgboost",
    "sklearn": "sklearn",
    "scikit-learn": "sklearn",
}


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """What the URI of a prebuilt training image says: (2, 12) is version 2.12; device is cpu, gpu, xla or tpu."""

    framework: str
    version: tuple[int, ...]
    device: str
    multi_region: str


def reduction_server_images() -> tuple[str, ...]:
    """Returns the three documented reduction server images, sorted (Vertex AI distributed training guide)."""
    return tuple(sorted(vertex_facts()["reduction_server_images"].values()))


def reduction_server_image(region: str) -> str:
    """Returns the reduction server image of the multi-region nearest to the region ("might reduce latency")."""
    return vertex_facts()["reduction_server_images"][multi_region(region)[0]]


def is_prebuilt(image_uri: str) -> bool:
    """Returns whether the image is one of Vertex AI's prebuilt training images, whatever its framework."""
    return _PREBUILT.fullmatch(image_uri) is not None


def image_framework(image_uri: str) -> ImageInfo | None:
    """Returns framework and version of a prebuilt training image, or None where its URI does not say them."""
    prebuilt = _PREBUILT.fullmatch(image_uri)
    name = _NAME.fullmatch(prebuilt["name"]) if prebuilt else None
    if prebuilt is None or name is None:
        return None
    version = tuple(int(part) for part in name["version"].split("-"))
    return ImageInfo(_FRAMEWORKS[name["framework"]], version, name["device"], prebuilt["multi_region"])
