"""The Go module in which a group is compiled: its go.mod, our own sources, and pinned modules with changes.

Owns what is written before the compiler runs. Which modules, at which versions: pins.json.
"""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from dev.engine.pins import Change, Group


class WorkspaceFault(Exception):
    """A pinned module is not what its pins expect; the text says which file and what."""


def prepare(group: Group, folders: Mapping[str, Path], work: Path) -> None:
    """Fills `work` for the compiler; `folders` are the pinned modules' own, by path. WorkspaceFault as it says."""
    lines = ["module training-infra/engine", "", "go 1.24", ""]
    if group.staging_of:
        version = next(module.version for module in group.modules if module.path == group.staging_of)
        lines += _staging(folders[group.staging_of] / "go.mod", "v0." + version.partition(".")[2])
    for number, module in enumerate(sorted({change.module for change in group.changes})):
        local = work / f"changed-{number}"
        _unpack(folders[module], local)
        for change in group.changes:
            if change.module == module:
                _apply(change, local)
        lines.append(f"replace {module} => ./{local.name}")
    (work / "go.mod").write_text("\n".join([*lines, ""]))
    for folder in group.go_sources:
        shutil.copytree(folder, work / folder.name)


def _staging(go_mod: Path, version: str) -> list[str]:
    """Returns a replace line for each module that `go_mod` replaces by a path: published under `version` as well."""
    paths = re.findall(r"^\s*(?:replace\s+)?(\S+)\s+=>\s+\./", go_mod.read_text(), re.MULTILINE)
    return [f"replace {path} => {path} {version}" for path in paths]


def _unpack(source: Path, target: Path) -> None:
    # The module cache is read-only, folders too: as they are, nothing could be changed, nor removed afterwards.
    shutil.copytree(source, target, copy_function=shutil.copyfile)
    for folder in (target, *(path for path in target.rglob("*") if path.is_dir())):
        folder.chmod(0o755)


def _apply(change: Change, local: Path) -> None:
    if change.copy:
        shutil.copyfile(local / change.copy, local / change.file)
        return
    file = local / change.file
    text = file.read_text()
    for old, new in change.replace:
        if text.count(old) != 1:
            raise WorkspaceFault(f"{change.module}: {old!r} is in {change.file} {text.count(old)} times, not once")
        text = text.replace(old, new)
    file.write_text(text)
