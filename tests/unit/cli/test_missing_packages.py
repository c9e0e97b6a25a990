"""An interpreter without the locked packages is reported in one line; a missing module of the project's own is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trainingjobs import __main__ as program

ROOT = Path(__file__).resolve().parents[3]
# Stands for a broken checkout: a module of the project's own is not there.
HIDES = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "trainingjobs.cli.validate":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Finder())
"""


def run(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    words = [sys.executable, *options, "-m", "trainingjobs", "validate"]
    return subprocess.run(
        words, cwd=ROOT, env={**own, **environment}, capture_output=True, text=True, check=False, timeout=60
    )


def test_a_missing_package_is_one_line() -> None:
    done = run("-S")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert sys.executable in done.stderr and "pip install" in done.stderr and "lacks the package" in done.stderr


def test_a_missing_module_of_the_projects_own_is_a_fault_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HIDES)
    done = run(PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "pip install" not in done.stderr and "trainingjobs.cli.validate" in done.stderr


@pytest.mark.parametrize(
    ("package", "extra"),
    [("matplotlib.pyplot", "[report]"), ("kubernetes", "[kubernetes]"), ("yaml", ""), ("grpc", "[pulumi]")],
)
def test_the_extra_that_brings_a_package_is_named(
    package: str, extra: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_main(module: str) -> None:
        raise ModuleNotFoundError(module, name=package)

    monkeypatch.setattr(program, "run_main", run_main)
    with pytest.raises(SystemExit, match="2"):
        program.main()
    assert f"pip install 'trainingjobs{extra}'" in capsys.readouterr().err
