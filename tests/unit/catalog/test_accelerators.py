"""Accelerator names, and which machine type takes how many."""

import pytest

from trainingjobs import catalog
from trainingjobs.catalog.files import vertex_facts
from trainingjobs.catalog.n1 import n1_combinations


def test_names_go_both_ways_between_vertex_and_gke() -> None:
    for name in catalog.accelerators():
        gke = catalog.gke_accelerator(name)
        assert gke is not None and catalog.vertex_accelerator(gke) == name
    assert catalog.gke_accelerator("NVIDIA_TESLA_A100") == "nvidia-tesla-a100"
    assert catalog.vertex_accelerator("nvidia-gb300") is None
    assert catalog.gke_accelerator("TPU_V3") is None
    assert set(catalog.accelerators()).isdisjoint(catalog.tpu_accelerators())


def test_notes_and_near_names() -> None:
    assert "2026-09-15" in (catalog.accelerator_note("NVIDIA_TESLA_P100") or "")
    assert catalog.accelerator_note("NVIDIA_L4") is None
    assert catalog.nearest_accelerator("nvidia-tesla-v100") == "NVIDIA_TESLA_V100"
    assert catalog.nearest_accelerator("NVIDIA_TESLA_V10") == "NVIDIA_TESLA_V100"
    for word, near in (("NVIDIA_A100", "NVIDIA_TESLA_A100"), ("T4", "NVIDIA_TESLA_T4"), ("H100", "NVIDIA_H100_80GB")):
        assert catalog.nearest_accelerator(word) == near


@pytest.mark.parametrize(
    ("machine", "accelerator", "count", "platform"),
    [
        ("n1-highmem-96", "NVIDIA_TESLA_V100", 8, "vertex"),
        ("n1-standard-4", "NVIDIA_TESLA_T4", 1, "vertex"),
        ("n1-highcpu-64", "NVIDIA_TESLA_P100", 4, "vertex"),
        ("n1-highmem-96", "NVIDIA_TESLA_P100", 4, "gke"),
        ("n1-standard-1", "NVIDIA_TESLA_V100", 1, "gce"),
        ("a2-highgpu-8g", "NVIDIA_TESLA_A100", 8, "vertex"),
        ("a3-edgegpu-8g", "NVIDIA_H100_80GB", 8, "gke"),
        ("a2-highgpu-8g", None, 0, "vertex"),
        ("c3-standard-8", None, 0, "gke"),
        ("cloud-tpu", "TPU_V3", 8, "vertex"),
        ("no-such-machine", "NVIDIA_L4", 1, "vertex"),
    ],
)
def test_what_fits(machine: str, accelerator: str | None, count: int, platform: str) -> None:
    assert catalog.accelerator_fit(machine, accelerator, count, platform) is None


@pytest.mark.parametrize(
    ("machine", "accelerator", "count", "platform", "allowed"),
    [
        ("n1-highmem-96", "NVIDIA_TESLA_V100", 4, "vertex", "8 NVIDIA_TESLA_V100"),
        ("n1-highmem-96", "NVIDIA_TESLA_P100", 4, "vertex", "8 NVIDIA_TESLA_V100"),
        ("n1-standard-16", "NVIDIA_TESLA_V100", 1, "vertex", "2, 4 or 8 NVIDIA_TESLA_V100"),
        ("n1-standard-4", "NVIDIA_TESLA_T4", 3, "gke", "1, 2 or 4 NVIDIA_TESLA_T4"),
        ("n1-highmem-96", "NVIDIA_TESLA_V100", 1, "gce", "NVIDIA_TESLA_V100"),
        ("n2-highcpu-80", "NVIDIA_TESLA_T4", 1, "gke", "takes no accelerators"),
        ("n2-standard-8", "NVIDIA_TESLA_T4", 1, "vertex", "takes no accelerators"),
        ("a2-highgpu-8g", "NVIDIA_TESLA_A100", 4, "vertex", "8 NVIDIA_TESLA_A100"),
        ("a2-highgpu-8g", "NVIDIA_TESLA_A100", 0, "gke", "8 NVIDIA_TESLA_A100"),
        ("a2-highgpu-8g", "NVIDIA_TESLA_V100", 8, "gke", "8 NVIDIA_TESLA_A100"),
        ("n1-standard-4", "NVIDIA_TESLA_K80", 1, "vertex", "no longer accepted"),
        ("n1-standard-4", "NVIDIA_L4", 1, "gke", "NVIDIA_TESLA_T4"),
        ("cloud-tpu", "NVIDIA_L4", 1, "vertex", "TPU"),
        ("n1-standard-4", None, 1, "vertex", "acceleratorType"),
        ("n1-standard-4", "nvidia-tesla-t4", 1, "vertex", "NVIDIA_TESLA_T4"),
        ("n1-standard-4", "?", 1, "vertex", "NVIDIA_TESLA_V100"),
    ],
)
def test_what_does_not_fit_says_what_does(
    machine: str, accelerator: str | None, count: int, platform: str, allowed: str
) -> None:
    message = catalog.accelerator_fit(machine, accelerator, count, platform)
    assert message is not None and allowed in message
    assert "\n" not in message


def test_every_n1_combination_of_vertex_is_within_the_attach_limits() -> None:
    accepted = {
        (machine, accelerator, count)
        for machine, allowed in vertex_facts()["machine_types"].items()
        if machine.startswith("n1-")
        for accelerator, counts in allowed.items()
        for count in counts
    }
    combinations = n1_combinations()
    assert accepted <= set(combinations)
    assert accepted == {key for key, row in combinations.items() if row.vertex_accepts}
    for machine, accelerator, count in accepted:
        for platform in ("vertex", "gke", "gce"):
            assert catalog.accelerator_fit(machine, accelerator, count, platform) is None


def test_the_n1_table_holds_the_documented_attach_limits() -> None:
    combinations = n1_combinations()
    assert len(combinations) == 217
    most_vcpus = {("NVIDIA_TESLA_V100", 1): 12, ("NVIDIA_TESLA_V100", 2): 24, ("NVIDIA_TESLA_V100", 4): 48,
                  ("NVIDIA_TESLA_T4", 1): 48, ("NVIDIA_TESLA_P4", 1): 24, ("NVIDIA_TESLA_P100", 1): 16}  # fmt: skip
    for machine, accelerator, count in combinations:
        entry = catalog.machine(machine)
        assert entry is not None and entry.vcpus <= most_vcpus.get((accelerator, count), 96)
