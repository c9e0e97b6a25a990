"""What takes the place of AI Platform's own machines, tiers and runtime versions."""

from __future__ import annotations

import pytest

from trainingjobs import catalog
from trainingjobs.convert.ai_platform_machines import K80, LEGACY, TIERS, Machine, executor_image, modern

TRAINING = "us-docker.pkg.dev/vertex-ai/training"


@pytest.mark.parametrize(
    ("version", "accelerated", "image"),
    [
        ("1.4", False, "tf-cpu.1-15:latest"),
        ("1.14", False, "tf-cpu.1-15:latest"),
        ("1.15", True, "tf-gpu.1-15:latest"),
        ("1.16", False, "tf-cpu.1-15:latest"),
        ("1", False, "tf-cpu.1-15:latest"),
        ("2", False, "tf-cpu.2-1:latest"),
        ("2.0", True, "tf-gpu.2-1:latest"),
        ("2.1", False, "tf-cpu.2-1:latest"),
        ("2.2", False, "tf-cpu.2-2:latest"),
        ("2.11", True, "tf-gpu.2-11:latest"),
        ("2.11.1", False, "tf-cpu.2-11:latest"),
        ("2.11.x", False, "tf-cpu.2-11:latest"),
        ("2.12", False, "tf-cpu.2-12.py310:latest"),
        ("2.13", True, "tf-gpu.2-13.py310:latest"),
        ("3.0", False, "tf-cpu.3-0.py310:latest"),
    ],
)
def test_the_image_of_a_runtime_version(version: str, accelerated: bool, image: str) -> None:
    assert executor_image(version, accelerated=accelerated, region="us-central1")[0] == f"{TRAINING}/{image}"


@pytest.mark.parametrize(("region", "multi"), [("europe-west4", "europe"), ("asia-east1", "asia")])
def test_it_comes_from_the_jobs_continent(region: str, multi: str) -> None:
    assert executor_image("2.11", accelerated=False, region=region)[0].startswith(f"{multi}-docker.pkg.dev/")


def test_a_version_that_vertex_has_not_is_reported() -> None:
    notes = {
        version: executor_image(version, accelerated=False, region="us-central1")[1] for version in ("1.4", "1.15")
    }
    notes |= {
        version: executor_image(version, accelerated=False, region="us-central1")[1] for version in ("2.0", "2.11")
    }
    assert notes["1.15"] == notes["2.11"] != ""
    assert len({notes["1.4"], notes["2.0"], notes["2.11"]}) == 3


@pytest.mark.parametrize(
    ("given", "machine", "accelerator"),
    [
        (Machine("n1-standard-8", K80, 1), "n1-standard-8", "NVIDIA_TESLA_T4"),
        (Machine("n1-standard-16", K80, 4), "n1-standard-16", "NVIDIA_TESLA_T4"),
        (Machine("n1-standard-32", K80, 8), "n1-standard-32", "NVIDIA_TESLA_V100"),
        (Machine("n1-standard-8", "NVIDIA_TESLA_P100", 1), "n1-standard-8", "NVIDIA_TESLA_P100"),
        (Machine("n1-standard-8", K80, 3), "n1-standard-8", K80),  # nothing takes three
        (Machine("n1-highcpu-8"), "n1-highcpu-16", None),
        (Machine("n1-standard-1"), "n1-standard-4", None),
        (Machine("n1-standard-4"), "n1-standard-4", None),
        (Machine("n2-highcpu-96"), "n1-highcpu-96", None),  # none of its series is as large
    ],
)
def test_what_is_offered_in_its_place(given: Machine, machine: str, accelerator: str | None) -> None:
    replacement = modern(given)
    assert (replacement.machine_type, replacement.accelerator_type) == (machine, accelerator)
    assert replacement.accelerator_count == given.accelerator_count
    assert bool(replacement.note) == ((machine, accelerator) != (given.machine_type, given.accelerator_type))


def test_every_name_of_ai_platforms_own_has_a_machine_of_vertex() -> None:
    machines = [*LEGACY.values(), *(machine for tier in TIERS.values() for machine, _ in tier.values())]
    for machine in machines:
        replacement = modern(machine)
        assert catalog.on_platform(replacement.machine_type, "vertex") is None
        assert modern(replacement) == Machine(
            replacement.machine_type, replacement.accelerator_type, replacement.accelerator_count
        )
