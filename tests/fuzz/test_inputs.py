"""Hostile inputs that are no documents: commands to convert, environments of the launcher, resources at the pack."""

from __future__ import annotations

import contextlib
import io
import json
import random
import shlex
from typing import Any

import pytest

from tests.fuzz.mutation import FIRST, SCALARS, body, mutated, one_case
from tests.policies.pack import UNKNOWN, analyzed, configured, secret
from trainingjobs.convert.recognise import recognise, to_job_document
from trainingjobs.core.documents import DocumentError
from trainingjobs.launcher.cli import main as launch
from trainingjobs.launcher.frameworks import FRAMEWORKS
from trainingjobs.workloads.vertex_environment import replica_environment

VERBS = ["gcloud ai custom-jobs create", "gcloud ai-platform jobs submit training", "gcloud ai hp-tuning-jobs create"]
FLAGS = [
    "--region", "--display-name", "--worker-pool-spec", "--args", "--command", "--labels", "--network", "--config",
    "--service-account", "--master-image-uri", "--master-machine-type", "--worker-count", "--scale-tier", "--quiet",
    "--module-name", "--packages", "--package-path", "--kms-key", "--max-trial-count", "--", "-x", "--worker-pool-spe",
]  # fmt: skip
VALUES = [
    "", "us-central1", "machine-type=n1-standard-4,replica-count=1,container-image-uri=gcr.io/a/b", "a=b,c=d", "=,,=",
    "^:^a=b:c=d", "^", "^^", "^##^", "a", "1", "-1", "9" * 400, "'", '"unclosed', "\\", "$(rm -rf x)", "\u202e",
    "x" * 3000,
    "replica-count=1e9", "１", "\n", "--args=--password=x", "machine-type", "replica-count=-1", "{}", "[[[",
]  # fmt: skip


@pytest.mark.parametrize("part", range(2))
def test_commands_are_converted_or_refused(part: int) -> None:
    for number in range(part * 1000, part * 1000 + 1000):
        chance = random.Random(FIRST + number)
        words = [chance.choice(VERBS)]
        for _ in range(chance.randint(0, 8)):
            value = chance.choice(VALUES)
            quoted = value if chance.random() < 0.3 else shlex.quote(value)
            words.append(chance.choice(FLAGS) + chance.choice(["=", " ", " \\\n "]) + quoted)
        text = " ".join(words)
        with one_case("command", number, text), contextlib.suppress(DocumentError):
            if recognise(text) == "gcloud":
                to_job_document("gcloud", text, "job")


def environment(number: int) -> dict[str, str]:
    """Returns what a replica of a job is told, with parts of it broken."""
    chance = random.Random(FIRST + number)
    pool, index = chance.choice([(0, 0), (1, 0), (2, 0), (2, 1)])
    variables = replica_environment(body()["jobSpec"], pool, index, host=lambda p, i: f"h{p}-{i}:2222", cloud="c")
    result = {}
    for name, text in variables.items():
        try:
            broken = json.dumps(mutated(json.loads(text), number))
        except ValueError:
            broken = text
        what = chance.randrange(8)
        if what == 0:
            broken = broken[: chance.randrange(len(broken) + 1)]
        elif what == 1:
            at = chance.randrange(len(broken) + 1)
            broken = broken[:at] + chance.choice(['"', "{", "]", "\u0000", "é", "NaN", "1e999"]) + broken[at:]
        if what != 2:
            result[name] = broken
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "PET_NNODES", "PET_NODE_RANK"):
        if chance.random() < 0.2:
            result[name] = str(chance.choice(SCALARS))
    return result


@pytest.mark.parametrize("part", range(2))
def test_environments_are_understood_or_refused_in_one_line(part: int) -> None:
    for number in range(part * 1000, part * 1000 + 1000):
        given = environment(number)
        framework = FRAMEWORKS[number % len(FRAMEWORKS)]
        out, err = io.StringIO(), io.StringIO()
        with one_case(f"environment for {framework}", number, given):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = launch(["--print-env", f"--framework={framework}"], given)
            assert status in (0, 2)
            assert "Traceback" not in err.getvalue()
            assert status == 0 or len(err.getvalue().strip().splitlines()) == 1


WIRE: tuple[Any, ...] = (UNKNOWN, secret("x"), secret({"a": [UNKNOWN]}), secret(UNKNOWN), 1e308, -1e308, 0.5, [UNKNOWN])
TOKENS = [
    "trainingjobs:vertex:CustomJob", "trainingjobs:vertex:HyperparameterTuningJob", "gcp:container/nodePool:NodePool",
    "trainingjobs:vertex:TrainingPipeline", "gcp:container/cluster:Cluster", "gcp:compute/subnetwork:Subnetwork",
    "training:vertex:VertexJob", "training:gke:GpuPool",
]  # fmt: skip


def on_the_wire(value: Any) -> Any:
    """Returns a value as the engine can send it: numbers are doubles, texts are UTF-8."""
    if isinstance(value, dict):
        return {on_the_wire(str(key)): on_the_wire(item) for key, item in value.items()}
    if isinstance(value, list):
        return [on_the_wire(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return float(min(value, 10**308)) if isinstance(value, int) and not isinstance(value, bool) else value


def resource(number: int) -> dict[str, Any]:
    spec = mutated(body(), number, WIRE)
    inputs = {
        "project": "acme-ml-dev", "location": "us-central1", "displayName": "x", "labels": {"team": "a"},
        "jobSpec": spec.get("jobSpec", {}), "trialJobSpec": spec.get("jobSpec", {}), "environment": "prod",
        "limits": {"maxUsdPerHour": 1.0, "accelerators": {"NVIDIA_TESLA_T4": 1}},
        "document": {"framework": "pytorch", "pools": {"reducers": {"replicaCount": 2}}},
    }  # fmt: skip
    properties: dict[str, Any] = on_the_wire(mutated(inputs, number + 1, WIRE))
    return properties


@pytest.mark.parametrize("part", range(2))
def test_resources_at_the_pack_get_a_verdict(part: int) -> None:
    pack = configured()
    for number in range(part * 1000, part * 1000 + 1000):
        given = resource(number)
        token = TOKENS[number % len(TOKENS)]
        with one_case(f"{token} at the pack", number, given):
            for policy, level, message in analyzed(pack, given, token):
                assert policy
                assert level in ("advisory", "mandatory")
                assert message
