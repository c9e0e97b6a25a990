"""Documents that are made to hang or to fill the memory: a whole process each, measured from outside."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.lab import ROOT
from trainingjobs.core.documents import SIZE_LIMIT

# Of the processor's time that the command's start and the parsing of a plain document of that size take together, in
# the same run: what grows faster than the document is caught, a slow machine is not.
MOST_TIMES = 6
MOST_MEGABYTES = 300

LAUGHS = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
)
MERGES = "a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 30))
BOMBS: dict[str, Callable[[], str | bytes]] = {
    "a billion laughs": lambda: LAUGHS,
    "merges of merges": lambda: MERGES,
    "an alias of itself": lambda: "a: &a [*a, *a]\n",
    "brackets": lambda: "[" * 1_000_000,
    "braces": lambda: "{a: " * 400_000,
    "closed brackets": lambda: "a: " + "[" * 500_000 + "]" * 500_000,
    "indentation": lambda: "".join(" " * n + "a:\n" for n in range(1400)),
    "sequences in sequences": lambda: "- " * 500_000,
    "nested JSON": lambda: '{"a":' * 300_000 + "1" + "}" * 300_000,
    "a long number": lambda: "replicaCount: " + "9" * 1_900_000,
    "many numbers": lambda: "a: [" + "1e999, " * 150_000 + "1]",
    "a long text": lambda: "imageUri: " + "x" * 1_900_000,
    "a long key": lambda: "k" * 1_900_000 + ": 1",
    "many keys": lambda: "".join(f"key{n}: 1\n" for n in range(90_000)),
    "many unknown keys of a job": lambda: "framework: jax\n" + "".join(f"machineTypo{n}: 1\n" for n in range(60_000)),
    "many unknown keys of a body": lambda: "jobSpec: {" + ", ".join(f"machineTypo{n}: 1" for n in range(60_000)) + "}",
    "many unknown keys of a TFJob": lambda: (
        "{apiVersion: kubeflow.org/v1, kind: TFJob, spec: {"
        + ", ".join(f"tfReplicaSpec{n}: 1" for n in range(60_000))
        + "}}"
    ),
    "many unknown keys of AI Platform": lambda: (
        "trainingInput: {" + ", ".join(f"masterTyp{n}: 1" for n in range(60_000)) + "}"
    ),
    "many empty pools of a body": lambda: "jobSpec: {workerPoolSpecs: [" + "{}, " * 90_000 + "{}]}",
    "many wrong pools of a body": lambda: "jobSpec: {workerPoolSpecs: [" + "{a: 1}, " * 40_000 + "{}]}",
    "many pools": lambda: "pools: {" + ", ".join(f"workers{n}: {{}}" for n in range(50_000)) + "}",
    "many labels": lambda: "labels: {" + ", ".join(f"Key{n}: VALUE" for n in range(50_000)) + "}",
    "many arguments": lambda: "container: {imageUri: a, args: [" + ", ".join(["--password=x"] * 90_000) + "]}",
    "arguments for the patterns": lambda: "container: {imageUri: a, args: ['" + "a-" * 900_000 + "']}",
    "an address for the patterns": lambda: "container: {imageUri: a, env: {A: '" + "a://b:" * 300_000 + "'}}",
    "the same key": lambda: "a: 1\n" * 300_000,
    "anchors": lambda: "".join(f"a{n}: &a{n} 1\n" for n in range(90_000)),
    "quotes": lambda: "a: '" + "''" * 900_000,
    "a block of text": lambda: "a: |\n" + "  x\n" * 400_000,
    "look-alikes": lambda: "".join(f"pоols{n}: 1\nｐools{n}: 1\n" for n in range(20_000)),
    "not UTF-8": lambda: b"a: " + b"\xff" * 1_900_000,
    "UTF-16": lambda: ("a: " + "x" * 900_000).encode("utf-16"),
    "nothing but zeros": lambda: b"\0" * 1_900_000,
    "more than is read": lambda: "a: " + "x" * (4 * SIZE_LIMIT + 10),
    "workers by the quintillion": lambda: "jobSpec: {workerPoolSpecs: [{replicaCount: 999999999999999999}]}",
    "a command": lambda: "gcloud ai custom-jobs create " + "--args=^" * 200_000,
    "a command of quotes": lambda: "gcloud ai custom-jobs create " + "'\"" * 400_000,
    "many flags": lambda: "gcloud ai custom-jobs create " + " ".join(f"--flag{n}=1" for n in range(60_000)),
}


# The most memory of a process counts that of the process which started it: a small one has to.
STARTER = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
said = done.stdout.decode(errors="replace")
print(json.dumps([done.returncode, said, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def measured(*words: str) -> tuple[int, str, float, float]:
    """Returns the exit status, all output, the processor's seconds and the most megabytes of a Python process."""
    command = [sys.executable, "-c", STARTER, sys.executable, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    status, output, seconds, megabytes = json.loads(done.stdout)
    return status, output, seconds, megabytes


@pytest.fixture(scope="module")
def unit() -> float:
    """The processor's seconds for the start of a command and for parsing a plain document of two megabytes."""
    parsing = "import yaml; [0 for _ in yaml.parse('key: 1\\n' * 250_000, Loader=yaml.CSafeLoader)]"
    return measured("-m", "trainingjobs", "schema")[2] + measured("-c", parsing)[2]


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("verb", ["validate", "convert"])
def test_it_is_refused_soon_and_small(bomb: str, verb: str, tmp_path: Path, unit: float) -> None:
    content = BOMBS[bomb]()
    path = tmp_path / "bomb.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    words = ("validate", f"--file={path}") if verb == "validate" else ("convert", str(path))
    status, output, seconds, megabytes = measured("-m", "trainingjobs", *words)
    assert status in (1, 2), output[-500:]
    assert "Traceback" not in output
    assert len(output) < 20_000
    assert seconds < MOST_TIMES * unit
    assert megabytes < MOST_MEGABYTES


def test_many_cases_do_not_fill_the_memory() -> None:
    """A process that judges thousands of documents, as an editor's would, keeps nothing of them."""
    code = (
        "from trainingjobs.judge.documents import judge\n"
        "from trainingjobs.judge.judgement import Source\n"
        "from tests.fuzz.mutation import STARTS, mutated\n"
        "for number in range(2000):\n"
        "    for start in STARTS.values():\n"
        "        judge(mutated(start(), number + 50_000), Source(name='job', label='file'))\n"
    )
    status, output, _, megabytes = measured("-c", code)
    assert status == 0, output[-500:]
    assert megabytes < MOST_MEGABYTES


@pytest.mark.parametrize(
    "text",
    [
        "framework: jax\nframework: jax\n",
        '{"framework": "jax", "framework": "jax"}',
        "pools: {primary: {}, primary: {}}",
        "a: 1\n'a': 2\n",
        'a: 1\n"\\x61": 2\n',
        "labels:\n  team: a\n  team: b\n",
        "jobSpec: {workerPoolSpecs: [], worker_pool_specs: []}",
    ],
)
@pytest.mark.parametrize("verb", ["validate", "convert"])
def test_a_key_that_stands_twice_is_refused(text: str, verb: str, tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(text)
    words = ("validate", f"--file={path}") if verb == "validate" else ("convert", str(path))
    status, output, *_ = measured("-m", "trainingjobs", *words)
    assert status in (1, 2)
    assert "twice" in output or "stands beside" in output


LOOK_ALIKES = ["ｎ1-highcpu-16", "n1‑highcpu‑16", "n1-highcpu-1６", "n1-highcpu-16\u200b", "N1-highcpu-16"]


@pytest.mark.parametrize("machine", LOOK_ALIKES)
def test_a_look_alike_is_no_machine(machine: str, tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    image = f"a/b@sha256:{'0' * 64}"
    path.write_text(f"container: {{imageUri: {image}}}\npools: {{primary: {{machineType: {machine}}}}}\n")
    status, output, *_ = measured("-m", "trainingjobs", "validate", f"--file={path}")
    assert status == 1
    assert "[machine-known]" in output
