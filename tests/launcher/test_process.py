"""The launcher as a process: it becomes the command, wherever its folder was copied."""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from .clusters import VERTEX, cluster_spec, job_with_pool2

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "trainingjobs" / "launcher"
SHOW = [sys.executable, "-c", "import json, os, sys; print(json.dumps([dict(os.environ), sys.argv[1:]]))"]
HEADLESS = {"PATH": os.environ["PATH"], "HOME": "/nowhere"}


def run(
    arguments: Sequence[str], environ: Mapping[str, str], module: str = "trainingjobs.launcher", folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**HEADLESS, **environ}, cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def received(arguments: Sequence[str], environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Returns environment and arguments as the command finds them."""
    done = run([*arguments, "--", *SHOW], environ)
    assert done.returncode == 0, done.stderr
    variables, words = json.loads(done.stdout)
    return variables, words


def test_the_command_finds_the_variables() -> None:
    environ = {**cluster_spec(VERTEX, (1, 1), 1, 0), "OWN": "kept"}
    variables, words = received(["--framework=pytorch"], environ)
    assert (variables["RANK"], variables["WORLD_SIZE"], variables["OWN"], words) == ("1", "2", "kept", [])
    assert variables["CLUSTER_SPEC"] == environ["CLUSTER_SPEC"]


def test_inherited_ranks_are_taken_from_a_replica_that_is_none() -> None:
    environ = {**cluster_spec(VERTEX, (1, 1, 0, 1), 3, 0), "RANK": "5", "WORLD_SIZE": "9", "PET_NNODES": "9"}
    variables, _ = received(["--framework=pytorch"], environ)
    assert not {"RANK", "WORLD_SIZE", "PET_NNODES", "MASTER_ADDR"} & variables.keys()
    assert variables["NODE_ROLE"] == "evaluator"


@pytest.mark.parametrize(("pool", "job_name", "index"), [(0, "worker", 0), (1, "worker", 2), (2, "ps", 1)])
def test_flags(pool: int, job_name: str, index: int) -> None:
    environ = cluster_spec(VERTEX, (1, 2, 2, 1), pool, 0 if pool == 0 else 1, job=job_with_pool2("own-server:1"))
    _, words = received(["--framework=flags"], environ)
    assert words == [
        "--ps_hosts=workerpool2-0:2222,workerpool2-1:2222",
        "--worker_hosts=workerpool0-0:2222,workerpool1-0:2222,workerpool1-1:2222",
        f"--job_name={job_name}",
        f"--task_index={index}",
    ]


def test_evaluators_get_no_flags() -> None:
    variables, words = received(["--framework=flags"], cluster_spec(VERTEX, (1, 1, 0, 1), 3, 0))
    assert (variables["NODE_ROLE"], words) == ("evaluator", [])


def test_the_commands_words_are_its_own() -> None:
    words = ["--framework=nonsense", "--", "$(reboot)", "", "a b", "--help"]
    done = run(["--framework=jax", "--", *SHOW, *words], {})
    assert json.loads(done.stdout)[1] == words


def test_exit_status_and_pid_are_the_commands() -> None:
    assert run(["--", "sh", "-c", "exit 7"], {}).returncode == 7
    command = [sys.executable, "-m", "trainingjobs.launcher", "--", "sh", "-c", "echo $$"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    out, _ = process.communicate(timeout=60)
    assert int(out) == process.pid


def test_signals_are_not_left_ignored() -> None:
    done = run(["--", "sh", "-c", "kill -PIPE $$; echo survived"], {})
    assert (done.returncode, done.stdout) == (-signal.SIGPIPE, "")


@pytest.mark.parametrize(
    ("command", "status"), [("nosuch-command", 127), ("/nowhere/train", 127), ("/", 126), (str(ROOT / "README"), 127)]
)
def test_commands_that_cannot_be_run(command: str, status: int) -> None:
    done = run(["--", command], {})
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (status, "", 1)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--"],
        ["--", ""],
        ["python", "train.py"],
        ["--framework=torch", "--", "true"],
        ["--framework", "--", "true"],
        ["--nproc-per-node=0", "--", "true"],
        ["--nproc-per-node=-1", "--", "true"],
        ["--nproc-per-node=two", "--", "true"],
        ["--nproc-per-node", "--", "true"],
        ["--pool2=both", "--", "true"],
        ["--print-env=yes", "--", "true"],
        ["--verbose", "--", "true"],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    done = run(arguments, {})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage:")
    assert "Traceback" not in done.stderr


def test_help() -> None:
    done = run(["--help"], {"CLUSTER_SPEC": "nonsense"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage:")


def test_print_env_is_one_sorted_object() -> None:
    done = run(["--print-env", "--framework=pytorch", "--", "sh", "-c", "echo run"], {})
    variables = json.loads(done.stdout)
    assert list(variables) == sorted(variables)
    assert all(isinstance(value, str) for value in variables.values())


def test_the_folder_alone_is_enough(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "launcher", ignore=shutil.ignore_patterns("__pycache__"))
    done = run(["--framework=flags", "--", "echo"], cluster_spec(VERTEX, (1,), 0, 0), "launcher", tmp_path)
    assert done.stdout == "--ps_hosts= --worker_hosts=workerpool0-0:2222 --job_name=worker --task_index=0\n"


def test_old_images_can_read_it() -> None:
    for file in FOLDER.glob("*.py"):
        ast.parse(file.read_text(), feature_version=(3, 7))


def test_standard_library_and_nothing_slow_only() -> None:
    slow = {
        "argparse",
        "asyncio",
        "dataclasses",
        "importlib.metadata",
        "inspect",
        "logging",
        "pathlib",
        "subprocess",
        "typing",
    }
    for file in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = {str(node.module)}
            else:
                continue
            assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names, file
            assert not names & slow, file


def test_the_former_name_says_the_new_one_and_launches() -> None:
    done = run(["--framework=pytorch", "--", sys.executable, "-c", "print('ran')"], {}, "infra.launcher")
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert "python -m trainingjobs.launcher" in done.stderr
