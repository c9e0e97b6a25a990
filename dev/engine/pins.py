"""What is built, at which versions: pins.json as types, and the key under which a build is cached."""

import hashlib
import json
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A Go module at an exact version; `sum` is the checksum of its zip as Go writes it (h1:…)."""

    path: str
    version: str
    sum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoProgram:
    """A program built from a package of the pinned modules."""

    name: str
    package: str
    ldflags: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFile:
    """A program file copied as it stands out of a pinned module's zip."""

    name: str
    module: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFolder:
    """A folder of data copied as it stands out of a pinned module's zip."""

    name: str
    module: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change to a pinned module's sources before they are compiled.

    `replace` maps the old text, which must be there exactly once, to the new; without it `file` is copied from `copy`.
    """

    module: str
    file: str
    copy: str
    replace: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Programs that are built and cached together: one entry of pins.json."""

    name: str
    version: str
    go: str  # the oldest Go that builds it
    minutes: int  # of a first build on two cores, for the message
    modules: tuple[Module, ...]
    programs: tuple[GoProgram, ...]
    module_files: tuple[ModuleFile, ...]
    own_files: tuple[Path, ...]  # folders of ours copied into bin/
    own_programs: tuple[Path, ...]  # scripts of ours copied into bin/ itself
    module_folders: tuple[ModuleFolder, ...] = ()
    changes: tuple[Change, ...] = ()
    go_sources: tuple[Path, ...] = ()  # folders of ours compiled beside the modules
    staging_of: str = ""  # the module whose go.mod replaces others by paths of its own, which its zip does not have
    no_checksum_database: str = ""  # modules that it does not have: the pinned checksum is then the only one
    key: str  # changes with any pin, any file of ours, and the platform


def load_group(name: str, here: Path = HERE) -> Group:
    """Returns the group `name` of the pins.json in the folder `here`; KeyError for another name."""
    entry = json.loads((here / "pins.json").read_text())[name]
    own = tuple(here / path for path in entry.get("ownFiles", ()))
    go_sources = tuple(here / path for path in entry.get("goSources", ()))
    return Group(
        name=name,
        version=entry["version"],
        go=entry["go"],
        minutes=entry["minutes"],
        modules=tuple(Module(path=path, **pin) for path, pin in sorted(entry["modules"].items())),
        programs=tuple(GoProgram(**program) for program in entry["programs"]),
        module_files=tuple(
            ModuleFile(name=file["name"], module=file["module"], source=file["from"])
            for file in entry.get("moduleFiles", ())
        ),
        own_files=own,
        own_programs=tuple(here / path for path in entry.get("ownPrograms", ())),
        module_folders=tuple(
            ModuleFolder(name=folder["name"], module=folder["module"], source=folder["from"])
            for folder in entry.get("moduleFolders", ())
        ),
        changes=tuple(
            Change(
                module=change["module"],
                file=change["file"],
                copy=change.get("copy", ""),
                replace=tuple(sorted(change.get("replace", {}).items())),
            )
            for change in entry.get("changes", ())
        ),
        go_sources=go_sources,
        staging_of=entry.get("stagingOf", ""),
        no_checksum_database=entry.get("noChecksumDatabase", ""),
        key=_key(entry, own + go_sources, here),
    )


def own_sources(folder: Path) -> Iterator[Path]:
    """Yields the files of a folder of ours that belong to it, in a fixed order."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def _key(entry: dict[str, object], folders: tuple[Path, ...], root: Path) -> str:
    digest = hashlib.sha256(json.dumps(entry, sort_keys=True).encode())
    digest.update(f"{sys.platform}/{platform.machine()}".encode())
    for folder in folders:
        for path in own_sources(folder):
            digest.update(f"\0{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]
