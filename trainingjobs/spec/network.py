"""The network of a stack as a user writes it. Only shape and types: trainingjobs.plan.network lays the ranges out."""

from __future__ import annotations

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, Field

from trainingjobs.spec.base import Items, Part, Text


def _is_range(value: str) -> str:
    """Returns the range. Raises ValueError for what is no IPv4 range, or has bits beyond its prefix."""
    try:
        ipaddress.IPv4Network(value)
    except ValueError:
        raise ValueError("must be an IPv4 range such as 10.20.0.0/16, with no bits set beyond its prefix") from None
    return value


Cidr = Annotated[str, AfterValidator(_is_range), Field(examples=["10.20.0.0/16"])]


class Network(Part):
    """The VPC that clusters, Compute Engine pools and peered jobs live in; Vertex AI's own pools do not."""

    cidr: Cidr | None = Field(
        None, description="Everything that the network needs is laid out in this range, a /8 to a /20."
    )
    mtu: Annotated[int, Field(ge=1300, le=8896)] = Field(8896, description="Bytes; 8896 are jumbo frames.")
    nodes_cidr: Cidr | None = Field(None, description="Left out: the first quarter of cidr.")
    pods_cidr: Cidr | None = Field(None, description="Left out: the upper half of cidr.")
    services_cidr: Cidr | None = Field(None, description="Left out: a sixteenth of cidr.")
    gpu_cidr: Cidr | None = Field(None, description="Subnets of the GPU NICs; left out: an eighth of cidr.")
    peering_cidr: Cidr | None = Field(
        None, description="Given to Vertex AI where a job peers (`network`); left out: a 32nd of cidr."
    )
    psc_cidr: Cidr | None = Field(
        None, description="Subnet of the network attachment where a job asks for one; left out: a 32nd of cidr."
    )
    reserved_cidrs: Items[Cidr] = Field(
        (), description="Ranges in use elsewhere that this network reaches: offices, peered VPCs."
    )
    shared: Text | None = Field(
        None, description="The stack whose network this one uses; beside it gpuCidr and reservedCidrs alone."
    )
