"""A promotion that is killed at any of its writes leaves the old file or the new one, and can be done again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
OLD = "config: {}\n# old\n"
NEW = "config: {}\n# new\n"

# For each line "how N": a process that ends at the N-th event that touches a file under the folder, or that runs git.
PROGRAM = """
import os, sys
from pathlib import Path
folder = Path(sys.argv[1])
sys.path.insert(0, {root!r})
import trainingjobs.operations.promotion.promote as promote
from trainingjobs.operations.promotion.release import Release

os.chdir(folder)
found = promote.Promotion("dev", "staging", text={new!r})
versions = {{"engine": "1", "pack": "1", "project": "1"}}
found.release = Release(jobs={{("bert", "framework"): "jax"}}, versions=versions)

def go(how, left):
    def watch(event, args):
        nonlocal left
        touched = event in ("open", "os.rename", "os.mkdir", "os.chmod", "os.remove") and str(folder) in str(args[0])
        if touched or event == "subprocess.Popen":
            left -= 1
            if left == 0:
                os._exit(9)
    sys.addaudithook(watch)
    promote.write(found) if how == "write" else promote.write_commit(found)
    os._exit(0)

for line in sys.stdin:
    how, at = line.split()
    child = os.fork()
    if not child:
        go(how, int(at))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "stacks").mkdir()
    (tmp_path / "Pulumi.yaml").write_text("name: training\nstackConfigDir: stacks\n")
    (tmp_path / "stacks" / "Pulumi.staging.yaml").write_text(OLD)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "t")
    git(tmp_path, "config", "user.email", "t@example.invalid")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "stacks")
    return tmp_path


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def writer(folder: Path) -> Iterator[Callable[[str, int], int]]:
    """Returns the exit status of a promotion by `how` that is killed at its N-th write (0: never)."""
    words = [sys.executable, "-c", PROGRAM.format(root=str(ROOT), new=NEW), str(folder)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        requests, replies = process.stdin, process.stdout
        assert requests and replies

        def run(how: str, at: int) -> int:
            requests.write(f"{how} {at}\n")
            requests.flush()
            return int(replies.readline())

        yield run
        requests.close()


def test_killed_at_each_write(folder: Path, writer: Callable[[str, int], int]) -> None:
    file, records = folder / "stacks" / "Pulumi.staging.yaml", folder / "stacks" / "releases"
    contents = []
    for at in range(1, 40):
        file.write_text(OLD)
        shutil.rmtree(records, ignore_errors=True)
        status = writer("write", at)
        contents.append(file.read_text())
        for record in records.glob("r-*.json"):
            assert json.loads(record.read_text())["id"] == record.stem
        if status == 0:
            break
        assert status == 9
        assert writer("write", 0) == 0
        assert file.read_text() == NEW
    assert set(contents[:-1]) <= {OLD, NEW}
    assert (contents[0], contents[-1]) == (OLD, NEW)
    assert len(contents) > 5


def test_killed_at_each_step_of_a_commit(folder: Path, writer: Callable[[str, int], int]) -> None:
    head, steps = git(folder, "rev-parse", "HEAD"), 0
    for at in range(1, 40):
        status = writer("commit", at)
        branches = git(folder, "branch", "--list", "promote/*").split()
        assert (folder / "stacks" / "Pulumi.staging.yaml").read_text() == OLD
        assert git(folder, "status", "--porcelain") == ""
        assert git(folder, "rev-parse", "HEAD") == head
        if status == 0:
            break
        assert (status, branches) == (9, [])
        steps += 1
    [branch] = branches
    assert git(folder, "show", f"{branch}:stacks/Pulumi.staging.yaml") == NEW
    assert steps > 5
