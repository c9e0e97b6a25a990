"""The subnets of GPU NICs: each machine type has its own parts of a stack's range."""

from __future__ import annotations

from collections import Counter

from trainingjobs import catalog
from trainingjobs.plan.gpu_networks import PIECE_BITS, networks_of


def test_machines_with_gpu_nics_have_a_kind_of_nic_and_a_part_of_the_range() -> None:
    for name in catalog.machine_names():
        machine = catalog.machine(name)
        assert machine is not None
        assert bool(machine.gpu_nics) == bool(machine.gpu_nic_kind) == (machine.gpu_subnet_slot is not None), name


def test_no_two_machine_types_share_a_part_of_the_range() -> None:
    slots = Counter(
        slot
        for name in catalog.machine_names()
        if (machine := catalog.machine(name)) and machine.gpu_nics
        for network in networks_of(name, machine.gpu_nics, "us-central1-a")
        for slot in network.slots
    )
    assert slots
    assert {slot for slot, count in slots.items() if count > 1} == set()
    assert max(slots) < 2**PIECE_BITS
