"""Machine types against the documents' figures, and which platform takes which."""

import pytest

from trainingjobs import catalog
from trainingjobs.catalog.files import vertex_facts


@pytest.mark.parametrize(
    ("name", "vcpus", "egress"),
    [
        ("n1-highcpu-16", 16, 32),
        ("n1-highmem-96", 96, 32),
        ("n1-standard-1", 1, 2),
        ("n2-highcpu-80", 80, 32),
        ("c3-standard-176", 176, 100),
        ("c4-standard-48", 48, 34),
        ("n4-standard-80", 80, 50),
        ("e2-standard-32", 32, 16),
        ("t2d-standard-60", 60, 32),
        ("h3-standard-88", 88, 200),
        ("a2-megagpu-16g", 96, 100),
        ("a3-highgpu-8g", 208, 1000),
        ("a3-megagpu-8g", 208, 1800),
        ("a3-ultragpu-8g", 224, 3600),
        ("g4-standard-384", 384, 400),
    ],
)
def test_sizes_and_egress_are_those_of_the_machine_family_pages(name: str, vcpus: int, egress: float) -> None:
    machine = catalog.machine(name)
    assert machine is not None
    assert (machine.vcpus, machine.egress_gbps) == (vcpus, egress)


def test_names_are_sorted_and_all_have_figures() -> None:
    names = catalog.machine_names()
    assert list(names) == sorted(set(names))
    assert len(names) > 300
    assert all(catalog.machine(name) for name in names)


def test_unknown_names_have_no_machine_but_a_neighbour() -> None:
    assert catalog.machine("n1-highcpu-15") is None
    assert catalog.nearest_machine("n1-highcpu-15") == "n1-highcpu-16"
    assert catalog.nearest_machine("N1-HIGHCPU-16") == "n1-highcpu-16"
    assert catalog.nearest_machine("") is None


@pytest.mark.parametrize("name", catalog.machine_names())
def test_figures_are_consistent_with_each_other(name: str) -> None:
    machine = catalog.machine(name)
    assert machine is not None
    assert machine.vcpus > 0 and machine.memory_gib > 0 and machine.egress_gbps > 0
    assert machine.host_egress_gbps + machine.gpu_nic_gbps == machine.egress_gbps
    assert bool(machine.gpu_type) == bool(machine.gpu_count)
    assert bool(machine.gpu_nics) == bool(machine.gpu_nic_gbps)
    assert machine.gpu_type in {"", *catalog.accelerators()}
    assert machine.family == name.partition("-")[0] or machine.family == "n1"
    assert set(machine.source.replace(";", " ").split()) & set(catalog.sources())


def test_the_guide_speaks_for_reducers_of_n1_and_n2_with_16_vcpu_and_32_gbps() -> None:
    proven = {name for name in catalog.machine_names() if (m := catalog.machine(name)) and m.proven_reducer}
    assert {"n1-highcpu-16", "n2-standard-16"} <= proven
    assert not {"n1-standard-8", "n2-highcpu-8", "c2-standard-16", "e2-highcpu-32", "n2d-standard-16"} & proven
    for name in proven:
        machine = catalog.machine(name)
        assert machine is not None and machine.family in ("n1", "n2") and not machine.gpu_count
        assert machine.vcpus >= 16 and machine.host_egress_gbps >= 32


def test_figures_that_no_document_gives_are_marked() -> None:
    for name in ("a3-edgegpu-8g", "a4-highgpu-8g", "a4x-highgpu-4g", "m1-ultramem-40", "e2-small"):
        machine = catalog.machine(name)
        assert machine is not None and machine.unsure
    default = catalog.machine("n1-highcpu-16")
    assert default is not None and not default.unsure


@pytest.mark.parametrize(
    "name",
    [
        "n2d-standard-16",
        "c2d-standard-16",
        "c3-standard-8",
        "n1-highcpu-8",
        "n1-standard-2",
        "n2-standard-96",
        "a3-edgegpu-8g",
    ],
)
def test_vertex_takes_its_own_list_only(name: str) -> None:
    assert catalog.on_platform(name, "vertex")
    assert catalog.on_platform(name, "gke") is None
    near = catalog.nearest_on_platform(name, "vertex")
    assert near is not None and catalog.on_platform(near, "vertex") is None


def test_every_type_that_vertex_takes_is_known_and_fits_the_tables() -> None:
    for name, accepted in vertex_facts()["machine_types"].items():
        assert catalog.is_known_machine(name)
        assert catalog.on_platform(name, "vertex") is None
        built_in = catalog.built_in_accelerators(name)
        if built_in:
            assert accepted == {built_in[0]: [built_in[1]]}


def test_platforms_refuse_what_cannot_run_there() -> None:
    assert catalog.on_platform("f1-micro", "gke")
    assert catalog.on_platform("f1-micro", "gce") is None
    assert catalog.on_platform("cloud-tpu", "vertex") is None
    assert catalog.on_platform("cloud-tpu", "gke")
    assert catalog.on_platform("no-such-machine", "vertex") is None


def test_the_nearest_accepted_type_keeps_the_gpu() -> None:
    assert catalog.nearest_on_platform("a3-edgegpu-8g", "vertex") == "a3-highgpu-8g"
    assert catalog.nearest_on_platform("c3-standard-8", "vertex") == "n2-standard-8"
    assert catalog.nearest_on_platform("no-such-machine", "vertex") is None


def test_accelerator_optimized_types_bring_their_gpus() -> None:
    assert catalog.built_in_accelerators("a2-megagpu-16g") == ("NVIDIA_TESLA_A100", 16)
    assert catalog.built_in_accelerators("a2-ultragpu-8g") == ("NVIDIA_A100_80GB", 8)
    assert catalog.built_in_accelerators("g2-standard-24") == ("NVIDIA_L4", 2)
    assert catalog.built_in_accelerators("n1-highmem-96") is None
    assert catalog.built_in_accelerators("no-such-machine") is None


def test_boot_disks() -> None:
    assert catalog.default_boot_disk_type("n1-highcpu-16") == "pd-ssd"
    assert catalog.default_boot_disk_type("a4-highgpu-8g") == "hyperdisk-balanced"
    facts = vertex_facts()["boot_disk"]
    assert (catalog.MIN_BOOT_DISK_GB, catalog.MAX_BOOT_DISK_GB) == (facts["min_gb"], facts["max_gb"]) == (100, 64000)
    assert facts["default_gb"] == catalog.DEFAULT_BOOT_DISK_GB
    assert {facts["default"], *facts["default_by_machine"].values()} <= set(catalog.boot_disk_types())
