"""A package under its floor, one without a floor and a floor without a package are each reported, and fail."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from dev.coverage import by_package, judged

ROOT = Path(__file__).resolve().parents[3]


def file(covered: int, of: int, branches: int = 0, all_branches: int = 0) -> dict[str, dict[str, int]]:
    counts = {
        "covered_lines": covered,
        "num_statements": of,
        "covered_branches": branches,
        "num_branches": all_branches,
    }
    return {"summary": counts}


def test_packages_are_two_folders_deep() -> None:
    files = {
        "trainingjobs/__main__.py": file(1, 2),
        "trainingjobs/plan/pools.py": file(3, 4),
        "trainingjobs/plan/gke/pools.py": file(1, 4, 2, 2),
        "policies/__main__.py": file(5, 5),
        "infra/empty.py": file(0, 0),
        "sandbox/gcp/__init__.py": file(0, 0),
    }
    assert by_package(files) == {"trainingjobs": 50.0, "trainingjobs/plan": 60.0, "policies": 100.0}


@pytest.mark.parametrize(
    ("measured", "floors", "status", "named"),
    [
        ({"a": 90.0}, {"a": 90}, 0, ""),
        ({"a": 89.9, "b": 99.0}, {"a": 90, "b": 90}, 1, "a"),
        ({"a": 90.0, "new": 100.0}, {"a": 90}, 1, "new"),
        ({"a": 90.0}, {"a": 90, "gone": 90}, 1, "gone"),
    ],
)
def test_floors(
    measured: dict[str, float], floors: dict[str, int], status: int, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judged(measured, floors) == status
    assert capsys.readouterr().err.rpartition(": ")[2].strip() == named


def has_statements(path: Path) -> bool:
    return any(not isinstance(node, ast.Expr) for node in ast.parse(path.read_text()).body)


def test_every_package_of_the_library_has_a_floor() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["training"]["coverage"]
    modules = [path for path in (ROOT / "trainingjobs").glob("*/**/*.py") if has_statements(path)]
    packages = {f"trainingjobs/{path.relative_to(ROOT / 'trainingjobs').parts[0]}" for path in modules}
    assert packages == {name for name in settings["floors"] if name.startswith("trainingjobs/")}
