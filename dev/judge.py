"""`make judge CHANGE=FOLDER`: this tree's rules, pack and policy configurations on the stacks of another tree.

This tree is a checkout of the target branch, CHANGE one of a pull request: a change that weakens a rule does not judge
what uses it. `files` judges the stack files and runs nothing of the change; `previews` runs its program in its sandbox.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from trainingjobs.core.findings import has_errors
from trainingjobs.operations import display
from trainingjobs.operations.engine import Engine
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.project_folders import sandbox_project
from trainingjobs.project.files import Project, project, stack_names
from trainingjobs.project.judged import judge_stack_named
from trainingjobs.project.sandbox_folder import SANDBOX_VARIABLE
from trainingjobs.terminal.output import complain

ROOT = Path(__file__).resolve().parents[1]
DECIDES = "the target branch refuses this change: a person of .github/CODEOWNERS decides (docs/how-to/ci.md)"


def main(words: Sequence[str]) -> int:
    """Judges the stacks of the change; returns 1 where one is refused, 2 where there is no other tree."""
    parser = argparse.ArgumentParser(prog="python -m dev.judge", description=__doc__)
    parser.add_argument("step", choices=sorted(STEPS))
    parser.add_argument("change", type=Path, metavar="FOLDER")
    args = parser.parse_args(words)
    change = args.change.resolve()
    if change == ROOT or not (change / "Pulumi.yaml").is_file():
        print(f"{args.change}: a checkout of a pull request is needed, beside this one", file=sys.stderr)
        return 2
    os.chdir(ROOT)
    target = project()
    os.chdir(change)
    refused = STEPS[args.step](target, change)
    passed = len(stack_names()) - len(refused)
    print(f"{args.step}: {passed} passed, {len(refused)} refused" + "".join(f" {name}" for name in refused))
    if refused:
        print(DECIDES)
    return 1 if refused else 0


def refused_files(target: Project, change: Path) -> list[str]:  # noqa: ARG001 (one form for both steps)
    """Returns the stacks that the target's rules and policy configurations find an error in."""
    refused = []
    for name in stack_names():
        findings = judge_stack_named(name, target).findings
        complain(findings)
        if has_errors(findings):
            refused.append(name)
    return refused


def refused_previews(target: Project, change: Path) -> list[str]:
    """Returns the stacks whose preview with the target's pack fails, on a sandbox of the change that ends with it."""
    display.be_quiet()
    with tempfile.TemporaryDirectory(prefix="training-judge-") as folder:
        try:
            return [name for name in stack_names() if not _passes(name, target, change, Path(folder))]
        finally:
            _sandbox(change, Path(folder), "stop")


def _passes(name: str, target: Project, change: Path, state: Path) -> bool:
    judgement = judge_stack_named(name, target)
    if judgement.stack is None:
        return False
    cluster = ["--cluster"] if any(plan.job.platform != "vertex" for plan in judgement.plans) else []
    try:
        variables = _sandbox(change, state, "start", *cluster)["variables"]
        folder = sandbox_project(name, state, judgement.stack.environment)
        engine = Engine(name, {**os.environ, **variables}, folder)
        engine.select()
        return engine.run("preview", *_pack_options(target, name)) == 0
    except StackError as problem:
        print(f"{name}: {problem}")
        return False


def _pack_options(target: Project, name: str) -> list[str]:
    config = target.policy_file(name)
    configured = ["--policy-pack-config", str(config)] if config.is_file() else []
    return ["--policy-pack", str(target.policy_config.parent), *configured]


def _sandbox(change: Path, state: Path, *words: str) -> dict[str, Any]:
    completed = subprocess.run(
        [str(change / ".venv" / "bin" / "python"), "-m", "sandbox", *words, "--json"],
        cwd=change,
        env={**os.environ, SANDBOX_VARIABLE: str(state)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    answer = json.loads(completed.stdout) if completed.stdout else {"error": f"python -m sandbox {words[0]} failed"}
    if "error" in answer:
        raise StackError(str(answer["error"]))
    return dict(answer)


STEPS: dict[str, Callable[[Project, Path], list[str]]] = {"files": refused_files, "previews": refused_previews}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
