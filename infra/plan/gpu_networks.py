"""The networks of GPU NICs, by machine: how many, of which MTU, each a VPC or subnets of one RDMA VPC.

Sources: GKE, "Maximize GPU network bandwidth in Standard mode clusters" (A3 High: GPUDirect-TCPX, A3 Mega:
GPUDirect-TCPXO, one VPC for each NIC) and "Run AI workloads on A3 Ultra and A4" (GPUDirect RDMA: a second host NIC in
a VPC of its own, and one VPC of the zone's RoCE profile with a subnet for each GPU NIC).
"""

from __future__ import annotations

from dataclasses import dataclass

RDMA_MACHINES = frozenset({"a3-ultragpu-8g", "a4-highgpu-8g", "a4x-highgpu-4g"})
TCPX_MTU = 8244
RDMA_MTU = 8896
# First subnet of each machine among PIECES equal parts of the GPU range: fixed, so that a second machine moves nobody.
SLOTS = {
    "a3-highgpu-8g": 0,
    "a3-edgegpu-8g": 4,
    "a3-megagpu-8g": 8,
    "a3-ultragpu-8g": 16,
    "a4-highgpu-8g": 32,
    "a4x-highgpu-4g": 48,
}
PIECE_BITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuNetwork:
    """One VPC for GPU NICs: name within the stack, MTU in bytes, places of its subnets, the zone of a RoCE profile."""

    name: str
    mtu: int
    slots: tuple[int, ...]
    zone: str | None = None


def is_rdma(machine_type: str) -> bool:
    """Returns whether the machine's GPU NICs carry RDMA only, so that it has a second host NIC."""
    return machine_type in RDMA_MACHINES


def networks_of(machine_type: str, count: int, zone: str | None) -> tuple[GpuNetwork, ...]:
    """Returns the VPCs of a machine's GPU NICs; `count` is the number of GPU networks that the pool declares."""
    first = SLOTS.get(machine_type)
    if first is None or not count:
        return ()
    if is_rdma(machine_type):
        return (
            GpuNetwork(name=f"{machine_type}-host", mtu=RDMA_MTU, slots=(first,)),
            GpuNetwork(
                name=f"{machine_type}-rdma",
                mtu=RDMA_MTU,
                slots=tuple(range(first + 1, first + 1 + count)),
                zone=zone,
            ),
        )
    return tuple(GpuNetwork(name=f"{machine_type}-gpu-{i}", mtu=TCPX_MTU, slots=(first + i,)) for i in range(count))
