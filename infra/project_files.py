"""The project's own files on disk: stacks, policy configurations, and documents that a user names."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from infra.plan.levels import read_levels
from infra.plan.rules.registry import DEFAULT_LEVELS, Levels
from infra.problems import Finding
from infra.spec.text import SIZE_LIMIT, DocumentError, decode, parse_document

ROOT = Path(__file__).resolve().parents[1]
STACKS = ROOT / "stacks"
POLICY_CONFIG = ROOT / "policies" / "config"
# What SIZE_LIMIT characters take at most.
MOST_BYTES = 4 * SIZE_LIMIT


def stack_names() -> list[str]:
    """Returns the names of the stacks that have a file, sorted."""
    return sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in STACKS.glob("Pulumi.*.yaml"))


def stack_levels(name: str, environment: str | None) -> tuple[Levels, tuple[Finding, ...], tuple[str, ...]]:
    """Returns the severities that policies/config/<stack>.json sets, its faults, and what to say of it."""
    path = POLICY_CONFIG / f"{name}.json"
    source = f"policies/config/{name}.json"
    if not path.is_file():
        return DEFAULT_LEVELS, (), (f"{source}: not there; rules have the default severities of {environment}",)
    try:
        config = read_file(path)
    except DocumentError as error:
        return DEFAULT_LEVELS, (error.finding.at(source),), ()
    levels, faults, lowered = read_levels(config, environment, datetime.now(UTC).date())
    notes = tuple(f"{source}: {finding.rule} {finding.message}" for finding in lowered)
    return levels, tuple(finding.at(source) for finding in faults), notes


def read_file(path: Path) -> dict[str, Any]:
    """Returns the mapping in a file. Raises DocumentError where it cannot be read or is none."""
    return parse_document(read_text(path))


def read_text(path: Path) -> str:
    """Returns the text of a regular file, or of a stream that the caller has open. Raises DocumentError.

    Reading anything else, a named pipe or a device, could wait or go on for ever.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not _is_open_stream(path, mode):
            raise DocumentError(f"cannot be read: it is a {_kind(mode)}", "name a file, or /dev/stdin")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror or error}", "name a readable file") from None
    if len(content) > MOST_BYTES:
        raise DocumentError(f"more than {MOST_BYTES} bytes; at most {SIZE_LIMIT} characters are read", "split the file")
    return decode(content)


def _is_open_stream(path: Path, mode: int) -> bool:
    """Returns whether the path stands for an open pipe or terminal: /dev/stdin, or a shell's `<(…)`."""
    given = path.as_posix()
    of_process = given in ("/dev/stdin", "/proc/self/fd/0") or given.startswith(("/dev/fd/", "/proc/self/fd/"))
    return of_process and (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode))


def _kind(mode: int) -> str:
    kinds = {stat.S_IFDIR: "folder", stat.S_IFIFO: "named pipe", stat.S_IFSOCK: "socket"}
    return kinds.get(stat.S_IFMT(mode), "device")
