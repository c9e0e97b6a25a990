"""What every part of the configuration shares: strictness, camelCase keys, and the field types."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from trainingjobs.spec.forms import Form

Item = TypeVar("Item")

# A list in YAML, a tuple here: a parsed value is never changed.
Items = Annotated[tuple[Item, ...], Field(strict=False)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=4096)]
ImageName = Annotated[
    str, Form(r"^\S+$", "an image's name, without spaces,", "us-docker.pkg.dev/acme-ml-dev/train/bert:1", most=4096)
]
Version = Annotated[str, Form(r"^[0-9]+(\.[0-9]+)*$", "a version of numbers and dots", "2.18", most=40)]
Duration = Annotated[
    str,
    Form(r"^[0-9]{1,9}(\.[0-9]{1,9})?s$", "a number of seconds with its unit", "3600s"),
    Field(description="Seconds with the unit, as Vertex AI writes a duration.", examples=["86400s"]),
]
Replicas = Annotated[
    int, Field(ge=0, le=10_000, description="Number of replicas (VMs, or pods) of the pool; 0 means no pool.")
]
EnvName = Annotated[str, Form(r"^[A-Za-z_][A-Za-z0-9_]*$", "a name of letters, digits and _", "NCCL_DEBUG", most=256)]
EnvValue = Annotated[str, StringConstraints(max_length=32_768)]
Labels = dict[
    Annotated[str, Form(r"^[a-z][a-z0-9_-]{0,62}$", "a key of lower case letters, digits, _ and -", "cost-center")],
    Annotated[str, Form(r"^[a-z0-9_-]{0,63}$", "a value of lower case letters, digits, _ and -", "research")],
]


class Part(BaseModel):
    """A part of the configuration: immutable, camelCase outside, no key that is not known."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        frozen=True,
        strict=True,
        extra="forbid",
        populate_by_name=False,
        allow_inf_nan=False,
        defer_build=True,
    )
