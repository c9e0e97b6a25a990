"""Which images are Google's reduction server, and which pools are meant to run a copy of it under another name."""

from __future__ import annotations

import re

from trainingjobs.spec.roles import POSITION

# The repository of an image without its tag and digest: what a copy is called says what it is.
SERVER = re.compile(r"/((google|vertex)[-_.]?(ai[-_.]?)?)?reduction[-_.]?server[-_.]?v?[0-9]{0,4}$")
LIKE_SERVER = re.compile(r"(?P<before>[a-z0-9]{0,40})[-_.]?reduction[-_.]?server")
# A server of another reduction: of dimensions, of noise.
OTHER_REDUCTIONS = ("dimension", "dimensionality", "noise", "cost", "data", "feature", "model", "size", "variance")


def is_reduction_server(image: str | None) -> bool:
    """Returns whether an image is the reduction server, or a copy of it that is called so and nothing else."""
    return bool(image and SERVER.search(_repository(image)))


def is_like_reduction_server(image: str | None) -> bool:
    """Returns whether an image's name has the reduction server in it: a copy of it, or a trainer made for it."""
    match = LIKE_SERVER.search(_repository(image)) if image else None
    return match is not None and not match["before"].endswith(OTHER_REDUCTIONS)


def is_meant_as_reducers(
    image: str | None, primary_image: str | None, *, position: int, has_accelerators: bool
) -> bool:
    """Returns whether the pool at a position is meant as reducers, by what it runs.

    A trainer's image may name the reduction server too: it has accelerators, or is what the primary runs.
    """
    if is_reduction_server(image):
        return True
    is_trainer = position == 0 or image == primary_image or (has_accelerators and position != POSITION["reducers"])
    return not is_trainer and is_like_reduction_server(image)


def _repository(image: str) -> str:
    path = image.lower().partition("@")[0]
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.partition(':')[0]}"
