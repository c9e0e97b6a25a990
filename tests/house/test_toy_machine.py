"""Machines that are added by rows of data alone: one with RDMA NICs has its networks, its node pool, its price and its
sizing, one for reducers is chosen as theirs.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.jobs import IMAGE

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "trainingjobs" / "catalog" / "data"
ROWS = {
    "machines.csv": (
        "z9-ultragpu-8g,z9,256,4096,NVIDIA_B200,8,3600,,400,8,3200,rdma,53,0,yes,,yes,no,,S-GPU",
        "z9-highcpu-32,z9,32,32,,0,100,,100,0,0,,,0,no,,yes,yes,,S-GP; S-VD",
    ),
    "prices.csv": (
        "machine,z9-ultragpu-8g,123.40,S-GPU,2026-11-22,",
        "machine,z9-highcpu-32,1.00,S-GP,2026-11-22,",
    ),
}
STACK = {
    "gcp:project": "acme-ml-dev",
    "training:network": {"cidr": "10.20.0.0/16"},
    "training:cluster": {},
    "training:jobs": {
        "toy": {
            "platform": "gke",
            "framework": "pytorch",
            "container": {"imageUri": IMAGE},
            "pools": {
                "primary": {
                    "machineType": "z9-ultragpu-8g",
                    "nodePool": {"gpuNetworks": 8, "nodeLocations": ["us-central1-a"]},
                },
                "workers": {"replicaCount": 3},
            },
        }
    },
}
SIZE = ("--worker-pool-spec=machine-type=z9-ultragpu-8g,replica-count=4", "--reducer-machine-type=auto")
# A process of its own: the catalogue is read once.
PROGRAM = """
import contextlib, io, json, sys
from pathlib import Path
from trainingjobs.catalog import files
files.DATA = Path(sys.argv[1])
from tests.components.recorder import declared
from trainingjobs.cli.main import main
found = [[each.token, each.name, each.inputs] for each in declared(json.loads(sys.argv[2]))]
out = io.StringIO()
with contextlib.redirect_stdout(out):
    assert main(["size", *sys.argv[3:], "--platform=gke", "--json"]) == 0, out.getvalue()
print(json.dumps({"declared": found, "size": json.loads(out.getvalue())}))
"""


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("toy")
    shutil.copytree(DATA, folder / "data")
    for name, rows in ROWS.items():
        with (folder / "data" / name).open("a") as file:
            file.writelines(f"{row}\n" for row in rows)
    words = [sys.executable, "-c", PROGRAM, str(folder / "data"), json.dumps(STACK), *SIZE]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def inputs(output: dict[str, Any], token: str) -> dict[str, Any]:
    """Returns the inputs of the resources of a token, by name."""
    return {name: given for each, name, given in output["declared"] if each == token}


def test_it_has_its_networks(output: dict[str, Any]) -> None:
    networks = inputs(output, "gcp:compute/network:Network")
    assert networks.keys() == {"training", "z9-ultragpu-8g-host", "z9-ultragpu-8g-rdma"}
    assert networks["z9-ultragpu-8g-rdma"]["networkProfile"].endswith("us-central1-a-vpc-roce")
    subnets = inputs(output, "gcp:compute/subnetwork:Subnetwork")
    assert len([name for name in subnets if name.startswith("z9-ultragpu-8g-rdma")]) == 8
    devices = inputs(output, "kubernetes:networking.gke.io/v1:GKENetworkParamSet")
    modes = [each["spec"]["deviceMode"] for name, each in sorted(devices.items())]
    assert sorted(modes) == ["NetDevice", *["RDMA"] * 8]


def test_it_has_its_node_pool(output: dict[str, Any]) -> None:
    [pool] = [each for each in inputs(output, "gcp:container/nodePool:NodePool").values() if each["name"] != "system"]
    assert pool["nodeConfig"]["machineType"] == "z9-ultragpu-8g"
    assert [(each["type"], each["count"]) for each in pool["nodeConfig"]["guestAccelerators"]] == [("nvidia-b200", 8)]
    assert len(pool["networkConfig"]["additionalNodeNetworkConfigs"]) == 9


def test_it_has_its_price_and_its_sizing(output: dict[str, Any]) -> None:
    size = output["size"]
    assert size["usdPerHour"] - size["reducers"]["usdPerHour"] == pytest.approx(4 * 123.4)
    assert size["workers"]["egressGbps"] == 4 * 400
    assert size["reducers"]["egressGbps"] >= 4 * 400


def test_one_that_is_proven_for_reducers_is_chosen(output: dict[str, Any]) -> None:
    reducers = output["size"]["reducers"]
    assert (reducers["machineType"], reducers["replicaCount"]) == ("z9-highcpu-32", 16)
