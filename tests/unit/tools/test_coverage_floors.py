"""A package under its floor, one without a floor and a floor without a package are each said, and fail."""

from __future__ import annotations

import pytest

from tools.coverage import by_package, judged


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
        "infra/problems.py": file(1, 2),
        "infra/plan/pools.py": file(3, 4),
        "infra/plan/rules/gke.py": file(1, 4, 2, 2),
        "policies/observe.py": file(5, 5),
        "infra/empty.py": file(0, 0),
        "sandbox/gcp/__init__.py": file(0, 0),
    }
    assert by_package(files) == {"infra": 50.0, "infra/plan": 60.0, "policies": 100.0}


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
