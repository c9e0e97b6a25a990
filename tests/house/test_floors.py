"""The floors of the library: a package imports those below it alone; the sandbox and dev/ stay outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "trainingjobs"
# From the ground up; packages of one floor do not know each other, but for those of UPPER.
FLOORS = (
    ("core",),
    ("wire",),
    ("terminal",),
    ("catalog",),
    ("spec",),
    ("facts",),
    ("estimates",),
    ("rules",),
    ("plan",),
    ("workloads",),
    ("convert",),
    ("judge",),
    ("project",),
    ("engine",),
    ("clients",),
    ("components",),
    ("provider",),
    ("policy_pack",),
    ("operations",),
    ("report",),
    ("cli",),
)
FLOOR = {name: floor for floor, names in enumerate(FLOORS) for name in names}
# Run in containers: the standard library and themselves alone.
ALONE = ("launcher",)


def imports(path: Path) -> Iterator[str]:
    """Yields the names that a module imports, also within functions and for types alone."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules(package: str) -> list[Path]:
    return sorted((LIBRARY / package).rglob("*.py"))


def packages_of(names: Iterator[str]) -> set[str]:
    return {parts[1] for name in names if (parts := name.split("."))[0] == "trainingjobs" and len(parts) > 1}


def test_every_package_has_a_floor() -> None:
    folders = {path.name for path in LIBRARY.iterdir() if (path / "__init__.py").is_file()}
    assert folders == {*FLOOR, *ALONE}


@pytest.mark.parametrize("package", FLOOR)
def test_a_package_imports_those_below_it_alone(package: str) -> None:
    upwards = {
        f"{path.relative_to(ROOT)}: {imported}"
        for path in modules(package)
        for imported in packages_of(imports(path))
        if imported in FLOOR and imported != package and FLOOR[imported] >= FLOOR[package]
    }
    assert upwards == set()


@pytest.mark.parametrize("path", sorted([*LIBRARY.rglob("*.py"), *(ROOT / "infra").glob("*.py")]), ids=str)
def test_neither_the_library_nor_the_program_knows_what_only_developers_have(path: Path) -> None:
    own = (
        ("sandbox", "dev", "tests", "bench", "policies")
        if "infra" in path.parts
        else ("sandbox", "dev", "tests", "bench", "infra", "policies")
    )
    assert {name for name in imports(path) if name.split(".")[0] in own} == set()


@pytest.mark.parametrize("package", ALONE)
def test_what_runs_in_containers_imports_nothing_of_the_library(package: str) -> None:
    assert packages_of(name for path in modules(package) for name in imports(path)) == set()
