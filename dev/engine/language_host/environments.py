"""Which Python a program runs with: its `virtualenv` option, and the environment variables that belong to that."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any


class EnvironmentMissing(Exception):
    """The program's virtual environment is not there; the text says what to do."""


def virtualenv_of(info: Any) -> Path | None:
    """Returns the folder that a ProgramInfo's `virtualenv` option names, from its root; None without the option."""
    named = info.options.fields["virtualenv"].string_value if "virtualenv" in info.options.fields else ""
    return Path(os.path.normpath(Path(info.root_directory, named))) if named else None


def python_of(info: Any) -> Path:
    """Returns the interpreter of a ProgramInfo: its virtualenv's, else the host's own. Raises EnvironmentMissing."""
    folder = virtualenv_of(info)
    if folder is None:
        return Path(sys.executable)
    python = folder / "bin" / "python"
    if not python.exists():
        raise EnvironmentMissing(
            f"the virtualenv option of the project in {info.root_directory} names {folder}, "
            "which is no virtual environment; create it with 'make setup' or 'pulumi install'"
        )
    return python


def activated(info: Any, base: Mapping[str, str]) -> dict[str, str]:
    """Returns `base` as the virtualenv's activate script would leave it."""
    env = dict(base)
    folder = virtualenv_of(info)
    if folder is not None:
        env["VIRTUAL_ENV"] = str(folder)
        env["PATH"] = os.pathsep.join([str(folder / "bin"), env.get("PATH", os.defpath)])
        env.pop("PYTHONHOME", None)
    return env


def install_steps(info: Any) -> list[list[str]]:
    """Returns the commands that make a program's virtual environment and install its requirements.txt."""
    folder = virtualenv_of(info)
    if folder is None:
        raise EnvironmentMissing("the project names no virtualenv under runtime.options: nothing to install into")
    steps = []
    if not (folder / "bin" / "python").exists():
        steps.append([sys.executable, "-m", "venv", str(folder)])
    requirements = Path(info.program_directory, "requirements.txt")
    if requirements.exists():
        steps.append([str(folder / "bin" / "python"), "-m", "pip", "install", "-r", str(requirements)])
    return steps


_LIST_INSTALLED = """
import json, re
from importlib.metadata import distributions
found = {d.name: d for d in distributions()}
needed = {re.match(r"[\\w.-]+", r)[0].lower().replace("_", "-") for d in found.values() for r in d.requires or ()}
print(json.dumps([[n, d.version, n.lower().replace("_", "-") in needed] for n, d in sorted(found.items())]))
"""


def installed(info: Any, language_pb2: ModuleType, *, transitive: bool) -> list[Any]:
    """Returns a program's distributions as DependencyInfo; unless `transitive`, those that no other needs."""
    import json
    import subprocess

    listing = subprocess.run(  # the program's own interpreter
        [str(python_of(info)), "-c", _LIST_INSTALLED], capture_output=True, check=True, text=True
    )
    return [
        language_pb2.DependencyInfo(name=name, version=version)
        for name, version, needed in json.loads(listing.stdout)
        if transitive or not needed
    ]
