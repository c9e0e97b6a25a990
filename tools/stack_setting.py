"""What a run stands on: the environment, the project folder, and the policy pack's options."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sandbox import lifecycle
from sandbox.gcp.schema import version as gcp_version
from sandbox.lifecycle import SandboxError
from sandbox.state import SERVER_LOCK, is_still, removed, state_folder
from tools.engine.cli import engine_bin
from tools.recovery import RecoveryError
from tools.stack_engine import ROOT, StackError, say

HOST = "pulumi-language-python"
# What ties a stack's file to the secrets of its own state.
SECRETS = ("encryptionsalt:", "secretsprovider:", "encryptedkey:")


def pack_options(stack: str) -> tuple[str, ...]:
    """Returns the engine's options for the policy pack and the stack's configuration of it."""
    config = ROOT / "policies" / "config" / f"{stack}.json"
    if not config.is_file():
        return ("--policy-pack", "policies")
    return ("--policy-pack", "policies", "--policy-pack-config", str(config.relative_to(ROOT)))


def sandbox_environment() -> dict[str, str]:
    """Returns the environment of a run in the sandbox, which is started if it is not running."""
    engine = engine_bin(quiet=True)
    say("sandbox: " + lifecycle.start(state_folder()))
    script = f"{lifecycle.exports(state_folder())}\nexec env -0"
    listed = subprocess.run(["sh", "-c", script], check=True, capture_output=True, text=True).stdout
    environment = dict(entry.split("=", 1) for entry in listed.split("\0") if "=" in entry)
    install_plugin(environment, "gcp", gcp_version(), ROOT / "sandbox" / "bin" / "pulumi-resource-gcp")
    # It would find plugins on PATH too, and warn of that at every run. Its language host may be there only.
    if (engine / HOST).exists():
        environment["PULUMI_IGNORE_AMBIENT_PLUGINS"] = "true"
    # Nothing of Google's is ever fetched to stand where the sandbox's own is missing.
    environment["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"] = "true"
    return environment


@contextmanager
def in_place(folder: Path) -> Iterator[None]:
    """Within it, the removal of the sandbox's state folder is the one reason that is given for a failure."""
    lock = folder / SERVER_LOCK
    with lock.open() as held:
        try:
            yield
        except (StackError, SandboxError, RecoveryError, OSError):
            if is_still(lock, held.fileno()):
                raise
            raise StackError(removed(folder)) from None
        if not is_still(lock, held.fileno()):
            raise StackError(removed(folder))


def install_plugin(environment: Mapping[str, str], name: str, version: str, program: Path) -> None:
    """Puts `program` where the engine has its installed plugins, as the provider of that name and version."""
    place = Path(environment["PULUMI_HOME"]) / "plugins" / f"resource-{name}-v{version}" / program.name
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists() or place.resolve() != program.resolve():
        temporary = place.with_name(f"{place.name}.{os.getpid()}")
        temporary.symlink_to(program)
        temporary.replace(place)


def own_environment() -> dict[str, str]:
    """Returns the user's environment with the engine on PATH."""
    return {**os.environ, "PATH": f"{engine_bin(quiet=True)}{os.pathsep}{os.environ.get('PATH', '')}"}


def sandbox_project(stack: str, environment: Mapping[str, str]) -> Path:
    """Returns a folder with a copy of the stack's file: the engine writes a salt into it, never into the tracked one.

    The folder is a project of the same name, so that `pulumi stack select --create` writes there too.
    """
    tracked = ROOT / "stacks" / f"Pulumi.{stack}.yaml"
    folder = Path(environment["TRAINING_SANDBOX"]) / "project"
    text = tracked.read_text(encoding="utf-8")
    if "encryptionsalt:" not in text:
        kept = secrets_of(folder / tracked.name)
        text = text.rstrip("\n") + "\n" + "".join(line for line in kept if line.startswith("encryptionsalt:"))
    return write_project(folder, stack, text)


def secrets_of(path: Path) -> list[str]:
    """Returns the lines of a stack's file that its secrets need, none where there is no such file."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True) if path.is_file() else []
    return [line.rstrip("\n") + "\n" for line in lines if line.startswith(SECRETS)]


def write_project(folder: Path, stack: str, text: str) -> Path:
    """Writes a project with the stack's file into `folder`, which it returns."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"Pulumi.yaml": "name: training\nruntime: python\n", f"Pulumi.{stack}.yaml": text}
    for name, content in files.items():
        # Two runs may write at once.
        temporary = folder / f"{name}.{os.getpid()}.tmp"
        temporary.write_text(content, encoding="utf-8")
        temporary.replace(folder / name)
    return folder
