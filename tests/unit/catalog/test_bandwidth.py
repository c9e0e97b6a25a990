"""Egress: machine, accelerators, platform, tier and region."""

import math

import pytest

from trainingjobs import catalog


def egress(machine: str, accelerator: str | None = None, count: int = 0, platform: str = "vertex", tier1: bool = False,
           region: str | None = None) -> catalog.Egress:  # fmt: skip
    bandwidth = catalog.egress(machine, accelerator, count, platform=platform, tier1=tier1, region=region)
    assert bandwidth is not None
    return bandwidth


def test_the_two_documented_reducer_pools() -> None:
    each = egress("n1-highcpu-16").host_gbps
    workers = 5 * egress("n1-highmem-96", "NVIDIA_TESLA_V100", 8).host_gbps
    assert (each, workers, math.ceil(workers / each)) == (32, 500, 16)
    assert 16 * each >= workers > 15 * each
    assert math.ceil(8 * egress("a2-megagpu-16g").host_gbps / each) == 25


def test_gpus_raise_the_egress_of_n1_only() -> None:
    assert egress("n1-highmem-96").total_gbps == 32
    assert egress("n1-highmem-96", "NVIDIA_TESLA_V100", 8).total_gbps == 100
    assert egress("n1-highmem-96", "NVIDIA_TESLA_P100", 4).total_gbps == 32
    assert egress("a2-highgpu-8g", "NVIDIA_TESLA_A100", 8) == egress("a2-highgpu-8g")


def test_published_rows_are_sure_and_ranges_take_the_high_end() -> None:
    assert egress("n1-highmem-96", "NVIDIA_TESLA_V100", 8).unsure == ""
    ranges = [
        (key, row) for key, row in catalog.n1.n1_combinations().items() if row.egress_gbps != row.egress_gbps_high
    ]
    assert len(ranges) == 18
    for (machine, accelerator, count), row in ranges:
        bandwidth = egress(machine, accelerator, count)
        assert bandwidth.total_gbps == row.egress_gbps_high
        assert bandwidth.unsure


def test_tier1_only_where_the_machine_has_it_and_the_platform_can_select_it() -> None:
    assert egress("n2-highcpu-80", platform="gke", tier1=True) == catalog.Egress(100, 100, True, "")
    assert egress("n2-highcpu-80", platform="gce", tier1=True).total_gbps == 100
    assert egress("n2-highcpu-80", platform="gke", tier1=False).total_gbps == 32
    assert egress("n2-highcpu-80", platform="vertex", tier1=True).total_gbps == 32
    assert catalog.tier1_gbps("n2-highcpu-80", "kubernetes") is None
    assert egress("n2d-standard-64", platform="gke", tier1=True).total_gbps == 50
    assert egress("c3-standard-176", platform="gke", tier1=True).total_gbps == 200


@pytest.mark.parametrize("name", catalog.machine_names())
def test_tier1_is_on_documented_families_from_30_vcpus_and_never_on_n1(name: str) -> None:
    tier1 = catalog.tier1_gbps(name, "gke")
    if tier1 is not None:
        machine = catalog.machine(name)
        assert machine is not None
        assert machine.family in {"n2", "n2d", "c2", "c2d", "c3", "c3d", "c4", "c4d"}
        assert machine.vcpus >= (48 if machine.family == "n2d" else 30)
        assert tier1 > machine.egress_gbps
    assert catalog.tier1_gbps(name, "vertex") is None


def test_reducers_are_reached_by_the_host_nics() -> None:
    hosts = {"a3-highgpu-8g": 200, "a3-megagpu-8g": 200, "a3-ultragpu-8g": 400, "a4-highgpu-8g": 400}
    for name, host in hosts.items():
        bandwidth = egress(name)
        assert bandwidth.host_gbps == host
        assert bandwidth.gpu_nic_gbps == bandwidth.total_gbps - host
    assert egress("a2-megagpu-16g").gpu_nic_gbps == 0


def test_edge_machines_depend_on_the_region() -> None:
    assert egress("a3-edgegpu-8g", platform="gke").total_gbps == 400
    for region in ("asia-south1", "northamerica-northeast2"):
        bandwidth = egress("a3-edgegpu-8g", platform="gke", region=region)
        assert (bandwidth.total_gbps, bandwidth.host_gbps, bandwidth.gpu_nic_gbps) == (600, 200, 400)


def test_accelerators_that_do_not_fit_leave_the_machine_s_own_egress() -> None:
    bandwidth = egress("n1-highmem-96", "NVIDIA_TESLA_P100", 8)
    assert bandwidth.total_gbps == 32
    assert bandwidth.unsure


def test_unknown_machines_have_no_egress() -> None:
    assert catalog.egress("no-such-machine", None, 0, platform="gke", tier1=True) is None
    assert catalog.egress("cloud-tpu", None, 0, platform="vertex", tier1=False) is None
