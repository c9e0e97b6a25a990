"""The pulumi that is already on PATH: which one it is, and whether its version and its language host will do."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from dev.engine.cache import cache_root


@dataclass(frozen=True, slots=True, kw_only=True)
class PulumiOnPath:
    """A pulumi on PATH. `problem` is empty if it will do, else what is wrong with it."""

    program: Path
    version: str
    problem: str


def find_pulumi(sdk_version: str) -> PulumiOnPath | None:
    """Returns the first pulumi on PATH, None if there is none. One of our own cache does not count: its key may be old.

    `wanted` is the SDK's version: the engine may be newer within the same major version, never older.
    """
    cache = cache_root()
    folders = [
        folder
        for folder in os.environ.get("PATH", os.defpath).split(os.pathsep)
        if not Path(folder).is_relative_to(cache)
    ]
    program = shutil.which("pulumi", path=os.pathsep.join(folders))
    if program is None:
        return None
    version = _version_of(program)
    return PulumiOnPath(
        program=Path(program), version=version or "unknown", problem=_problem(Path(program), version, sdk_version)
    )


def _version_of(program: str) -> str | None:
    env = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"}
    try:
        completed = subprocess.run(  # the pulumi that the user has on PATH
            [program, "version"], capture_output=True, text=True, env=env, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"^v?(\d+\.\d+\.\d+\S*)$", completed.stdout, re.MULTILINE)
    return match[1] if match else None


def _problem(program: Path, version: str | None, sdk_version: str) -> str:
    if version is None:
        return "'pulumi version' does not say its version"
    actual, required = _numbers(version), _numbers(sdk_version)
    if actual[0] != required[0] or actual < required:
        return f"{sdk_version} or newer is needed, within version {required[0]}"
    if not _has_python_host(program):
        return "it has no Python language host (pulumi-language-python)"
    return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _has_python_host(program: Path) -> bool:
    """Looks where the engine does: on PATH, beside the real program, among the installed plugins."""
    name = "pulumi-language-python"
    home = Path(os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi")
    return bool(
        shutil.which(name)
        or (program.resolve().parent / name).exists()
        or any(home.glob(f"plugins/language-python-v*/{name}"))
    )
