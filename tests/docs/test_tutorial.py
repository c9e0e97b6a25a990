"""The tutorial as a stranger follows it: in a clean clone, every command in order, in one shell.

The engine's cache may be there already. What needs a cloud account is tried with TRAINING_SANDBOX in its place.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.doc_commands import ROOT, commands, matches

PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(
    r"(?P<cloud><!-- needs: a cloud account -->\n+)?```(?P<language>console|sh)\n(?P<body>.*?)```", re.DOTALL
)
# What the sandbox stands for: signing in, and the state's place.
OF_THE_CLOUD = ("gcloud ", "pulumi login", "export PULUMI_CONFIG_PASSPHRASE")
ENDED = "the command has ended with status "
OUTSIDE = ("TRAINING_", "PULUMI_", "VIRTUAL_ENV", "PYTHON", "MAKE", "MFLAGS", "COLUMNS")


class Shell:
    """A stranger's shell in the clone: what one command sets or activates is there for the next."""

    def __init__(self, clone: Path, home: Path) -> None:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(OUTSIDE)}
        kept |= {key: os.environ[key] for key in ("TRAINING_CACHE",) if key in os.environ}
        if "TRAINING_CACHE" not in kept and "XDG_CACHE_HOME" not in kept:
            kept["XDG_CACHE_HOME"] = str(Path.home() / ".cache")
        own_bin = Path(sys.prefix) / "bin"
        path = [folder for folder in os.environ["PATH"].split(os.pathsep) if Path(folder) != own_bin]
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            cwd=clone,
            env={**kept, "PATH": os.pathsep.join(path), "HOME": str(home), "PYTHON": str(base_python())},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, typed: str) -> tuple[int, str]:
        """Returns the exit status of a command, and what it printed."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin and stdout
        stdin.write(f"{{ {typed}\n}} </dev/null\nprintf '\\n%s%s\\n' '{ENDED}' $?\n")
        stdin.flush()
        lines: list[str] = []
        for line in stdout:
            if line.startswith(ENDED):
                return int(line.removeprefix(ENDED)), "".join(lines).removesuffix("\n")
            lines.append(line)
        raise AssertionError(f"the shell is gone: {''.join(lines)}")

    def leave(self) -> None:
        """Ends the shell."""
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait(timeout=30)


def base_python() -> Path:
    """Returns the interpreter that this one's virtual environment was made with."""
    return Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Path]:
    """The project as it stands here, committed or not, as a repository of its own."""
    folder, listed = tmp_path / "clone", ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in (name for name in names if name and (ROOT / name).is_file()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    own = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    for words in (["init", "-q"], ["add", "-A"], [*own, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    yield folder
    for state in (folder / ".sandbox", tmp_path / "try", tmp_path / "cloud"):
        own_environment = {**os.environ, "TRAINING_SANDBOX": str(state)}
        subprocess.run([sys.executable, "-m", "sandbox", "stop"], cwd=folder, env=own_environment, check=False)


def steps() -> list[tuple[str, str | None, bool]]:
    """Returns (command, what the page says it prints, whether it needs a cloud account) in the page's order."""
    listed: list[tuple[str, str | None, bool]] = []
    for match in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        body, cloud = match["body"], match["cloud"] is not None
        if match["language"] == "console":
            listed += [(command.typed, command.says, cloud) for command in commands(body)]
        else:
            lines = body.replace("\\\n", "").splitlines()
            listed += [(line, None, cloud) for line in lines if line.strip()]
    return listed


def test_the_tutorial_from_a_clean_clone(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    shell = Shell(clone, tmp_path / "home")
    printed: dict[str, str] = {}
    try:
        for typed, says, cloud in steps():
            if cloud and typed.startswith(OF_THE_CLOUD):
                continue
            in_sandbox = f"TRAINING_SANDBOX={tmp_path / 'cloud'} " if cloud else ""
            words = typed.replace("/tmp/try-mine", str(tmp_path / "try"))
            status, output = shell.run(in_sandbox + words)
            assert status == 0, f"$ {typed}\n{output}"
            assert says is None or matches(says, output), f"$ {typed}\n{output}"
            printed.setdefault(typed, output)
    finally:
        shell.leave()
    accuracy = re.search(r"digits: accuracy (?P<value>[0-9.]+)", printed["make up"])
    assert accuracy and float(accuracy["value"]) > 0.9
    assert "SUCCEEDED" in printed["trainingjobs status sandbox"]
    assert (clone / "report.html").stat().st_size > 10_000
    untracked = subprocess.run(["git", "status", "--short"], cwd=clone, check=True, capture_output=True, text=True)
    assert untracked.stdout.split() == ["??", "stacks/Pulumi.mine.yaml"]


def test_the_tutorial_says_which_steps_need_a_cloud_account() -> None:
    words = [typed for typed, _, cloud in steps() if cloud]
    assert any(typed.startswith("gcloud ") for typed in words)
    assert any(typed.startswith("make up") for typed in words)
    assert [typed for typed, _, cloud in steps() if not cloud and typed.startswith(OF_THE_CLOUD)] == []
