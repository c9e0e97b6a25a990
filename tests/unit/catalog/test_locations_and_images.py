"""Regions, multi-regions, and what the URI of a training image says."""

import subprocess
import sys
from pathlib import Path

import pytest

from trainingjobs import catalog
from trainingjobs.catalog.locations import _BY_CONTINENT, DOCUMENTED, INFERRED

ROOT = Path(__file__).parents[3]


def test_regions_are_those_of_the_locations_page() -> None:
    assert len(catalog.regions()) == 39
    assert "us-central1" in catalog.regions()
    assert catalog.region_note("asia-south2")
    assert catalog.region_note("us-central1") is None
    assert catalog.nearest_region("us-central-1") == "us-central1"


def test_accelerators_of_a_region() -> None:
    with_v100 = {region for region in catalog.regions() if "NVIDIA_TESLA_V100" in catalog.region_accelerators(region)}
    assert with_v100 == {"asia-east1", "europe-west4", "us-central1", "us-east1", "us-west1"}
    assert catalog.region_accelerators("africa-south1") == ()
    assert catalog.region_accelerators("moon-west1") == ()
    for region in catalog.regions():
        assert set(catalog.region_accelerators(region)) <= set(catalog.accelerators())


def test_multi_regions_go_by_name_or_are_marked_as_inferred() -> None:
    assert catalog.multi_region("us-central1") == ("us", DOCUMENTED)
    assert catalog.multi_region("europe-west4") == ("europe", DOCUMENTED)
    assert catalog.multi_region("asia-east1") == ("asia", DOCUMENTED)
    assert catalog.multi_region("me-west1") == ("europe", INFERRED)
    assert catalog.multi_region("us-east99") == ("us", DOCUMENTED)
    assert catalog.multi_region("moon-west1") == ("us", INFERRED)
    for region in catalog.regions():
        assert catalog.multi_region(region) == _BY_CONTINENT[region.partition("-")[0]]


def test_reduction_server_images_are_the_three_documented_ones() -> None:
    images = catalog.reduction_server_images()
    assert images == tuple(
        f"{place}-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest"
        for place in ("asia", "europe", "us")
    )
    assert catalog.reduction_server_image("australia-southeast1") == images[0]
    assert catalog.reduction_server_image("us-central1") == images[2]


@pytest.mark.parametrize(
    ("name", "framework", "version"),
    [
        ("tf-gpu.2-12.py310:latest", "tensorflow", (2, 12)),
        ("tf-cpu.2-3", "tensorflow", (2, 3)),
        ("pytorch-gpu.1-13", "pytorch", (1, 13)),
        ("pytorch-gpu.2-4.py310@sha256:" + 64 * "a", "pytorch", (2, 4)),
        ("pytorch-xla.1-11:latest", "pytorch", (1, 11)),
        ("xgboost-cpu.1-1", "xgboost", (1, 1)),
        ("sklearn-cpu.1-0", "sklearn", (1, 0)),
        ("scikit-learn-cpu.0-23", "sklearn", (0, 23)),
    ],
)
@pytest.mark.parametrize("place", ["us", "europe", "asia"])
def test_prebuilt_images_say_framework_and_version(
    place: str, name: str, framework: str, version: tuple[int, ...]
) -> None:
    uri = f"{place}-docker.pkg.dev/vertex-ai/training/{name}"
    info = catalog.image_framework(uri)
    assert info is not None
    assert (info.framework, info.version, info.multi_region) == (framework, version, place)
    assert catalog.is_prebuilt(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "us-docker.pkg.dev/acme/training/tf-gpu.2-12",
        "us-docker.pkg.dev/vertex-ai/prediction/tf2-gpu.2-12",
        "example.org/us-docker.pkg.dev/vertex-ai/training/tf-gpu.2-12",
        "us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest",
        "africa-docker.pkg.dev/vertex-ai/training/tf-gpu.2-12",
    ],
)
def test_other_images_say_nothing(uri: str) -> None:
    assert catalog.image_framework(uri) is None
    assert not catalog.is_prebuilt(uri)


def test_prebuilt_images_of_another_form_are_known_without_a_version() -> None:
    uri = "us-docker.pkg.dev/vertex-ai/training/tf-tpu.2-15-pod-base-cp310:latest"
    assert catalog.is_prebuilt(uri)
    assert catalog.image_framework(uri) is None


def test_answers_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from trainingjobs import catalog as c;"
        "print(c.accelerators(), c.machine_names(), c.nearest_machine('n1-highcpu-1'), c.regions(),"
        "[c.nearest_on_platform(n, 'vertex') for n in c.machine_names()[::20]],"
        "c.accelerator_fit('n1-standard-4', 'NVIDIA_L4', 1, 'gke'), c.on_platform('c3-standard-8', 'vertex'))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, env={"PYTHONHASHSEED": value}, capture_output=True, check=True
        ).stdout
        for value in ("0", "1", "7")
    }
    assert len(answers) == 1


def test_importing_reads_no_data_and_loads_no_pulumi() -> None:
    program = (
        "import sys, trainingjobs.catalog; from trainingjobs.catalog import files, machines, n1;"
        "assert files.vertex_facts.cache_info().misses == machines._machines.cache_info().misses == 0;"
        "assert n1.n1_combinations.cache_info().misses == 0;"
        "assert not {'pulumi', 'pydantic', 'yaml', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
