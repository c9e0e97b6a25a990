from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.jobs import IMAGE, gpu_job
from trainingjobs.catalog import load_prices, usd_per_hour
from trainingjobs.cli.main import main
from trainingjobs.project.files import stack_names

HEADING = "kind,name,usd_per_hour,source,date,unsure"


@pytest.fixture
def stacks(project_folder: Path) -> Any:
    """Writes stack files where the commands look for them."""

    def write(**stacks: dict[str, Any]) -> None:
        for name, keys in stacks.items():
            config = {"gcp:project": "acme-ml-dev", **{f"training:{key}": value for key, value in keys.items()}}
            config["gcp:region"] = config.pop("training:region", "us-central1")
            (project_folder / "stacks" / f"Pulumi.{name}.yaml").write_text(yaml.safe_dump({"config": config}))

    return write


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["cost", *words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    status, out, _ = run(capsys, "--json", *words)
    return status, {stack["stack"]: stack for stack in json.loads(out)["stacks"]}


def job(**changes: Any) -> dict[str, Any]:
    pools = {"primary": {"machineType": "a2-highgpu-8g"}, "workers": {"replicaCount": 3}}
    return {"framework": "pytorch", "container": {"imageUri": IMAGE}, "pools": pools, **changes}


def unpriced() -> dict[str, Any]:
    return job(pools={"primary": {"machineType": "a3-edgegpu-8g"}})


def test_every_stack_of_the_project_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    status, costs = run_json(capsys)
    assert status == 0
    assert sorted(costs) == stack_names()
    for stack in costs.values():
        known = [pool["usdPerHour"] for pool in stack["pools"] if pool["usdPerHour"] is not None]
        assert stack["usdPerHour"] == pytest.approx(sum(known), abs=0.01)


def test_the_pools_of_a_stack(capsys: pytest.CaptureFixture[str], stacks: Any) -> None:
    stacks(one={"jobs": {"bert": gpu_job()}})
    status, costs = run_json(capsys, "--stack", "one")
    pools = [[pool[key] for key in ("job", "pool", "machineType", "replicaCount")] for pool in costs["one"]["pools"]]
    assert status == 0
    assert pools == [
        ["bert", "primary", "n1-highmem-96", 1],
        ["bert", "workers", "n1-highmem-96", 4],
        ["bert", "reducers", "n1-highcpu-16", 16],
    ]
    each = usd_per_hour("n1-highmem-96", "NVIDIA_TESLA_V100", 8).usd
    assert each is not None
    assert costs["one"]["pools"][1]["usdPerHour"] == pytest.approx(4 * each, abs=0.001)
    assert costs["one"]["unknown"] == []


def test_an_unknown_price_is_named_and_never_counted_as_nothing(
    capsys: pytest.CaptureFixture[str], stacks: Any
) -> None:
    stacks(some={"jobs": {"bert": job(), "new": unpriced()}}, none={"jobs": {"new": unpriced()}}, empty={"jobs": {}})
    _, costs = run_json(capsys)
    assert costs["some"]["usdPerHour"] == pytest.approx(4 * 29.38708, abs=0.001)
    assert [entry.split(":")[0] for entry in costs["some"]["unknown"]] == ["new.primary"]
    assert "a3-edgegpu-8g" in costs["some"]["unknown"][0]
    assert costs["some"]["pools"][-1]["usdPerHour"] is None
    assert costs["none"]["usdPerHour"] is None
    assert costs["empty"] == {"stack": "empty", "usdPerHour": 0, "unknown": [], "pools": [], "reducers": []}
    _, out, _ = run(capsys, "--stack", "some")
    assert "unknown" in out
    assert "a3-edgegpu-8g" in out


@pytest.mark.parametrize(
    ("strategy", "shown"), [("SPOT", "SPOT"), ("LOW_COST", "SPOT"), ("FLEX_START", "FLEX_START"), ("STANDARD", None)]
)
def test_spot_and_flex_start_are_marked_at_the_list_price(
    capsys: pytest.CaptureFixture[str], stacks: Any, strategy: str, shown: str | None
) -> None:
    stacks(one={"jobs": {"bert": job(scheduling={"strategy": strategy})}}, plain={"jobs": {"bert": job()}})
    _, costs = run_json(capsys)
    assert {pool["strategy"] for pool in costs["one"]["pools"]} == {shown or "STANDARD"}
    assert costs["one"]["usdPerHour"] == costs["plain"]["usdPerHour"]
    _, out, _ = run(capsys, "--stack", "one")
    assert ((shown or "SPOT") in out) is (shown is not None)


def test_what_the_reducers_buy(capsys: pytest.CaptureFixture[str], stacks: Any) -> None:
    with_reducers = job()
    with_reducers["pools"]["reducers"] = {"machineType": "n1-highcpu-16"}
    alone = job(pools={"primary": {"machineType": "a2-highgpu-8g"}})
    stacks(four={"jobs": {"bert": with_reducers}}, one={"jobs": {"bert": alone}})
    _, costs = run_json(capsys)
    [gain] = costs["four"]["reducers"]
    # Four nodes of 100 Gbps: the ring takes 2 x 3/4 of a message, the reducers one; 13 x 32 Gbps are enough.
    assert gain["speedupOverRing"] == 1.5
    assert gain["secondsSavedPerStepAndGb"] == pytest.approx(0.12 - 0.08, abs=0.0001)
    assert gain["usdSavedPerStepAndGb"] == pytest.approx(0.04 * 4 * 29.38708 / 3600, abs=0.00001)
    assert gain["shareOfJob"] == pytest.approx(gain["usdPerHour"] / costs["four"]["usdPerHour"], abs=0.0001)
    assert 0 < gain["paysFromShareOfStep"] < 1
    assert costs["one"]["reducers"] == []


def test_reducers_that_save_nothing_pay_nowhere(capsys: pytest.CaptureFixture[str], stacks: Any) -> None:
    two = job()
    two["pools"] |= {"workers": {"replicaCount": 1}, "reducers": {"machineType": "n1-highcpu-16"}}
    stacks(two={"jobs": {"bert": two}})
    _, costs = run_json(capsys)
    [gain] = costs["two"]["reducers"]
    assert (gain["speedupOverRing"], gain["usdSavedPerStepAndGb"], gain["paysFromShareOfStep"]) == (1, 0, None)
    assert run(capsys, "--stack", "two")[0] == 0


def test_trials_that_run_at_once_are_all_paid_for(capsys: pytest.CaptureFixture[str], stacks: Any) -> None:
    tuning = {
        "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
        "parameters": [{"parameterId": "lr", "doubleValueSpec": {"minValue": 0.1, "maxValue": 1.0}}],
        "maxTrialCount": 8,
        "parallelTrialCount": 4,
    }
    stacks(one={"jobs": {"bert": job(kind="hyperparameterTuningJob", tuning=tuning)}}, plain={"jobs": {"bert": job()}})
    _, costs = run_json(capsys)
    assert costs["one"]["usdPerHour"] == pytest.approx(4 * costs["plain"]["usdPerHour"], abs=0.01)
    assert {pool["parallelTrialCount"] for pool in costs["one"]["pools"]} == {4}


def test_prices_of_the_users_own(capsys: pytest.CaptureFixture[str], stacks: Any, tmp_path: Path) -> None:
    stacks(one={"jobs": {"bert": job()}})
    own = tmp_path / "prices.csv"
    own.write_text(f"{HEADING}\nmachine,a2-highgpu-8g,10,contract,2026-11-01,\n")
    _, costs = run_json(capsys, "--prices", str(own))
    assert costs["one"]["usdPerHour"] == 40
    assert "2026-11-01" in run(capsys, "--prices", str(own))[1]
    own.write_text(f"{HEADING}\nmachine,a2-highgpu-8g,ten,contract,2026-11-01,\n")
    for bad in (own, tmp_path / "missing.csv"):
        status, out, err = run(capsys, "--prices", str(bad), "--json")
        assert (status, json.loads(out)["ok"]) == (2, False)
        assert str(bad) in err
        assert "Traceback" not in err


def test_the_date_of_the_prices_is_shown(capsys: pytest.CaptureFixture[str], stacks: Any) -> None:
    stacks(one={"jobs": {"bert": job()}})
    date = load_prices()["machine", "a2-highgpu-8g"].date
    assert date
    assert date in run(capsys)[1]


def test_a_stack_over_its_limit_is_shown_and_fails(capsys: pytest.CaptureFixture[str], stacks: Any) -> None:
    stacks(one={"jobs": {"bert": job()}, "limits": {"maxUsdPerHour": 100}})
    status, out, err = run(capsys)
    assert status == 1
    assert "117.55" in out
    assert "hourly-cost" in err


def test_a_region_of_other_prices_is_reported(capsys: pytest.CaptureFixture[str], stacks: Any) -> None:
    stacks(one={"jobs": {"bert": job()}, "region": "europe-west4"})
    assert "europe-west4" in run(capsys)[1]


def test_no_line_is_wider_than_a_terminal(capsys: pytest.CaptureFixture[str], stacks: Any) -> None:
    stacks(one={"jobs": {"bert": gpu_job(), "new": unpriced()}, "limits": {"maxUsdPerHour": 1000.5}})
    for words in ((), ("--stack", "one")):
        assert all(len(line) <= 80 for line in run(capsys, *words)[1].splitlines())


@pytest.mark.parametrize("name", ["none", "../x"])
def test_a_stack_that_is_not_there(capsys: pytest.CaptureFixture[str], stacks: Any, name: str) -> None:
    stacks(one={"jobs": {}})
    status, out, err = run(capsys, "--stack", name, "--json")
    assert status == 2
    output = json.loads(out)
    assert (output.keys(), output["ok"]) == ({"ok", "findings"}, False)
    assert [(finding["rule"], finding["source"]) for finding in output["findings"]] == [
        ("syntax", f"stacks/Pulumi.{name}.yaml")
    ]
    assert name in err


def test_what_can_be_read_is_shown_beside_what_cannot(capsys: pytest.CaptureFixture[str], stacks: Any) -> None:
    stacks(one={"jobs": {}}, nameless={"jobs": {}, "project": None})
    status, out, _ = run(capsys, "--stack=one", "--stack=none", "--json")
    output = json.loads(out)
    assert (status, output["ok"], [stack["stack"] for stack in output["stacks"]]) == (2, False, ["one"])
    assert [finding["source"] for finding in output["findings"]] == ["stacks/Pulumi.none.yaml"]


def test_every_figure_of_a_job_agrees(capsys: pytest.CaptureFixture[str], stacks: Any) -> None:
    pools = {"primary": {"machineType": "a2-highgpu-8g"}, "workers": {"replicaCount": 2}}
    stacks(
        one={
            "jobs": {"bert": job(pools={**pools, "reducers": {"replicaCount": 10}})},
            "limits": {"maxUsdPerHour": 93.8291},
        }
    )
    status, costs = run_json(capsys)
    assert (status, costs["one"]["usdPerHour"]) == (0, 93.8291)
    assert [pool["usdPerHour"] for pool in costs["one"]["pools"]] == [29.3871, 58.7742, 5.6679]
    main(["size", "--worker-pool-spec=machine-type=a2-highgpu-8g,replica-count=3", "--json"])
    assert json.loads(capsys.readouterr().out)["usdPerHour"] == 93.8291
