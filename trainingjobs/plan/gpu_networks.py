"""The networks of a machine's GPU NICs: how many VPCs, with which subnets, by what the catalogue says of the NICs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainingjobs import catalog

if TYPE_CHECKING:
    from trainingjobs.plan.node_pools import NodePool

# The GPU range of a stack is cut into two to this power equal parts: a machine type has its own for ever.
PIECE_BITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuNetwork:
    """One VPC for GPU NICs: name within the stack, MTU in bytes, places of its subnets, the zone of a RoCE profile."""

    name: str
    mtu: int
    slots: tuple[int, ...]
    device_mode: str = "NetDevice"
    zone: str | None = None

    @property
    def kubernetes_names(self) -> tuple[str, ...]:
        """Returns the names of its Kubernetes networks, which pods ask for: one a subnet."""
        return (self.name,) if len(self.slots) == 1 else tuple(f"{self.name}-{i}" for i in range(len(self.slots)))


def networks_of_pool(pool: NodePool) -> tuple[GpuNetwork, ...]:
    """Returns the VPCs of a node pool's GPU NICs."""
    return networks_of(pool.machine_type, pool.gpu_networks, next(iter(pool.zones), None))


def networks_of(machine_type: str, count: int, zone: str | None) -> tuple[GpuNetwork, ...]:
    """Returns the VPCs of a machine's GPU NICs; `count` is the number of GPU networks that the pool declares."""
    machine, nics = catalog.machine(machine_type), catalog.gpu_nics(machine_type)
    if machine is None or nics is None or machine.gpu_subnet_slot is None or not count:
        return ()
    first = machine.gpu_subnet_slot
    if not nics.one_vpc:
        return tuple(
            GpuNetwork(name=f"{machine_type}-gpu-{i}", mtu=nics.mtu, slots=(first + i,), device_mode=nics.device_mode)
            for i in range(count)
        )
    host = GpuNetwork(name=f"{machine_type}-host", mtu=nics.mtu, slots=(first,))
    fabric = GpuNetwork(
        name=f"{machine_type}-rdma",
        mtu=nics.mtu,
        slots=tuple(range(first + 1, first + 1 + count)),
        device_mode=nics.device_mode,
        zone=zone,
    )
    return (host, fabric) if nics.host_network else (fabric,)
