"""What a run of the engine stands on: its environment, and the options of the policy pack."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from trainingjobs.operations import sandbox
from trainingjobs.operations.errors import StackError
from trainingjobs.project.files import project
from trainingjobs.project.sandbox_folder import project_root

ENVIRONMENTS: Final = "TRAINING_ENVIRONMENTS"
BACK_END: Final = "PULUMI_BACKEND_URL"
INSTALL_ENGINE: Final = "no pulumi on PATH; install it (https://www.pulumi.com/docs/install/)"


def pack_options(stack: str) -> list[str]:
    """Returns the engine's options for the project's policy pack and the stack's configuration of it; none without."""
    this_project = project()
    pack, config = this_project.policy_config.parent, this_project.policy_file(stack)
    if not (pack / "PulumiPolicy.yaml").is_file():
        return []
    configured = ["--policy-pack-config", this_project.label(config)] if config.is_file() else []
    return ["--policy-pack", this_project.label(pack), *configured]


def own_environment() -> dict[str, str]:
    """Returns the user's environment with the engine on PATH. Raises StackError."""
    return {**os.environ, "PATH": f"{engine_folder()}{os.pathsep}{os.environ.get('PATH', '')}"}


def asking_environment(stack: str, *, in_sandbox: bool) -> dict[str, str]:
    """Returns the environment in which the engine is asked about a stack: this process's, and what is set for it.

    In the sandbox it is the sandbox's, unless what is set for the stack names a back end. Raises StackError.
    """
    of_stack = variables_of(stack)
    environment = {**os.environ, **of_stack}
    if in_sandbox and BACK_END not in of_stack:
        environment = {**sandbox.environment(environment), **of_stack}
    environment["PATH"] = f"{engine_folder()}{os.pathsep}{environment.get('PATH', os.defpath)}"
    environment["PULUMI_SKIP_UPDATE_CHECK"] = "true"
    return without_options(environment)


def engine_folder() -> Path:
    """Returns the folder of the engine: of one that the project builds for itself, else PATH's. Raises StackError."""
    root = project_root()
    if (root / "dev" / "engine" / "__main__.py").is_file():
        completed = subprocess.run(
            [sys.executable, "-m", "dev.engine", "--print-bin"], cwd=root, capture_output=True, text=True, check=False
        )
        if completed.returncode:
            raise StackError(completed.stderr.strip())
        return Path(completed.stdout.strip())
    program = shutil.which("pulumi")
    if program is None:
        raise StackError(INSTALL_ENGINE)
    return Path(program).parent


def without_options(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment without the options that a user sets for the engine's commands."""
    # They hold for every command: a file for its output would take what is read here.
    return {name: value for name, value in environment.items() if not name.startswith("PULUMI_OPTION_")}


def variables_of(stack: str) -> dict[str, str]:
    """Returns the variables of `<stack>.env` in the folder that TRAINING_ENVIRONMENTS names; none without it.

    For stacks on different back ends: a promotion asks two of them. Lines are NAME=value. Raises StackError.
    """
    folder = os.environ.get(ENVIRONMENTS)
    path = Path(folder or "") / f"{stack}.env"
    if not folder or not path.is_file():
        return {}
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    settings = [line for line in lines if line and not line.startswith("#")]
    if malformed := next((line for line in settings if "=" not in line), None):
        raise StackError(f"{path}: {malformed[:40]!r} is no NAME=value")
    return dict(line.split("=", 1) for line in settings)
