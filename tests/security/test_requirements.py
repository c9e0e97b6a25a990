"""What pip installs: every package by version and hash, exactly what the lists that people write bring."""

from __future__ import annotations

import importlib.metadata
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dev.lock_requirements import CONSTRAINTS, LISTS, ROOT, command, locked

HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
ENTRY = re.compile(
    r"^(?P<words>[A-Za-z0-9][^\n]*?)(?P<hashes>( \\\n    --hash=\S+)+)\n(?P<via>(    # .*\n)*)", re.MULTILINE
)


@dataclass(frozen=True)
class Locked:
    requirement: Requirement
    hashes: tuple[str, ...]
    via: tuple[str, ...]

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        (pin,) = self.requirement.specifier
        assert pin.operator == "=="
        return pin.version


def entries(path: Path) -> list[Locked]:
    text = path.read_text()
    packages = [
        Locked(
            Requirement(match["words"]),
            tuple(match["hashes"].replace("\\\n", " ").split()),
            tuple(word for line in match["via"].splitlines() if (word := line.strip(" #").removeprefix("via").strip())),
        )
        for match in ENTRY.finditer(text)
    ]
    left = [line for line in ENTRY.sub("", text).splitlines() if line and not line.startswith("#")]
    assert left == [], "only pinned packages with hashes: no index, no address, no folder"
    return packages


def written(name: str) -> dict[str, Requirement]:
    """Returns what a list of people's asks for, with what the list that it takes in asks for."""
    requirements: dict[str, Requirement] = {}
    for line in (ROOT / name).read_text().splitlines():
        if line.startswith("-r "):
            requirements |= written(str(Path(name).parent / line.removeprefix("-r ")))
        elif line and not line.startswith("#"):
            requirement = Requirement(line)
            requirements[canonicalize_name(requirement.name)] = requirement
    return requirements


def test_every_list_is_locked() -> None:
    lists = [path.relative_to(ROOT) for depth in ("", "*/", "*/*/") for path in ROOT.glob(f"{depth}*.in")]
    assert sorted(str(path) for path in lists if not path.parts[0].startswith(".")) == sorted(LISTS)


@pytest.mark.parametrize("name", LISTS)
def test_every_package_has_a_version_and_hashes(name: str) -> None:
    packages = entries(locked(name))
    assert packages
    for package in packages:
        assert package.version
        assert package.hashes
        assert all(HASH.fullmatch(word) for word in package.hashes), package


@pytest.mark.parametrize("name", LISTS)
def test_the_lock_is_what_the_list_asks_for(name: str) -> None:
    packages, asked = entries(locked(name)), written(name)
    own = {package.name for package in packages if any(word.startswith("-r ") for word in package.via)}
    assert own == asked.keys()
    for package in packages:
        if package.name in asked:
            assert asked[package.name].specifier.contains(package.version, prereleases=True)


@pytest.mark.parametrize("name", LISTS)
def test_every_package_is_there_for_another(name: str) -> None:
    packages = entries(locked(name))
    names = {package.name for package in packages}
    for package in packages:
        brought_by = [word for word in package.via if not word.startswith("-c ")]
        assert brought_by, package
        assert all(word.startswith("-r ") or canonicalize_name(word) in names for word in brought_by), package


@pytest.mark.parametrize("name", LISTS)
def test_what_people_ask_for_is_exact(name: str) -> None:
    for requirement in written(name).values():
        assert [pin.operator for pin in requirement.specifier] == ["=="], requirement


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_a_list_has_the_versions_of_the_one_it_goes_with(name: str) -> None:
    theirs = {(package.name, package.version) for package in entries(ROOT / CONSTRAINTS[name])}
    own = {(package.name, package.version) for package in entries(locked(name))}
    names = {each for each, _ in theirs}
    assert names <= {each for each, _ in own}
    assert {(each, version) for each, version in own if each in names} <= theirs


def test_this_environment_is_the_locked_one() -> None:
    here = [
        package
        for package in entries(ROOT / "requirements-dev.txt")
        if not package.requirement.marker or package.requirement.marker.evaluate()
    ]
    assert {package.name: importlib.metadata.version(package.name) for package in here} == {
        package.name: package.version for package in here
    }


def test_the_lock_holds_for_every_platform() -> None:
    words = command("requirements.in", Path("requirements.txt"), upgrade=False)
    assert {"--universal", "--generate-hashes", "--no-emit-index-url", "--no-emit-find-links"} <= set(words)


def test_whatever_installs_checks_the_hashes() -> None:
    lines = (ROOT / "Makefile").read_text().splitlines()
    # What is installed from here alone downloads nothing.
    (words,) = [line for line in lines if "pip install" in line and "--no-index" not in line]
    assert words.startswith("INSTALL := ")
    assert {"--require-hashes", "--only-binary"} <= set(words.split())
    # One recipe a list, and one for those of tools.
    assert sum("$(INSTALL)" in line for line in lines) == 1 + sum(not name.startswith("dev/") for name in LISTS)
    for path in ROOT.glob("examples/*/Dockerfile"):
        for line in path.read_text().splitlines():
            if "requirements.txt" in line and "pip install" in line:
                assert "--require-hashes" in line, path
