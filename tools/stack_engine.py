"""The engine on one stack as the make targets run it: with the terminal, or asked without it."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from infra.engine.stack_engine import lists, without_options
from tools import display
from tools.display import engine_options, run_engine, say
from tools.interrupt import INTERRUPTED
from tools.state_file import mending

__all__ = ["ROOT", "Engine", "StackError", "say"]

ROOT = Path(__file__).resolve().parents[1]


class StackError(Exception):
    """What a user has to put right first; one message."""


class Engine:
    """The engine on one stack: its environment, and the project folder that keeps the stack's file."""

    def __init__(self, stack: str, project: Path, environment: Mapping[str, str]) -> None:
        self.stack = stack
        self.project = project
        self.environment = dict(environment)

    def select(self) -> None:
        """Makes the stack in the back end if it is not there. Raises StackError with the engine's own words."""
        done = self.quiet("stack", "select", "--create", self.stack)
        if "already exists" in done.stderr:
            # Another run made it in between.
            done = self.quiet("stack", "select", self.stack)
        if done.returncode:
            raise StackError(self._without_back_end(done.stderr.strip() or "the stack cannot be selected"))

    def state(self) -> dict[str, Any]:
        """Returns the stack's state, empty where the back end has no such stack. Raises StackError."""
        try:
            return self.exported()
        except StackError:
            if self._is_listed():
                raise
            return {}

    def state_or_new(self) -> dict[str, Any]:
        """Returns the stack's state; makes the stack if the back end has none. Raises StackError."""
        try:
            return self.exported()
        except StackError:
            made = self.quiet("stack", "init", self.stack)
        if made.returncode == 0:
            return {}
        if "already exists" not in made.stderr:
            raise StackError(self._without_back_end(made.stderr.strip() or "the stack cannot be made"))
        # Its file is broken, or another run has made it in between.
        return self.exported()

    def _is_listed(self) -> bool:
        listed = self.quiet("stack", "ls", "--json")
        # The list fails where any stack's file is broken: what was said of this one's says more.
        return listed.returncode != 0 or lists(listed.stdout, self.stack)

    def exported(self, *options: str) -> dict[str, Any]:
        """Returns the state of a stack that is there. Raises StackError: where its file is broken, how to mend it."""
        exported = self.quiet("stack", "export", "-s", self.stack, *options)
        if exported.returncode:
            sandbox = self.environment.get("TRAINING_SANDBOX")
            mended = mending(self.back_end(), self.stack, Path(sandbox) if sandbox else None)
            raise StackError(self._without_back_end(f"the state cannot be read: {exported.stderr.strip()}{mended}"))
        return dict(json.loads(exported.stdout).get("deployment") or {})

    def back_end(self) -> str:
        """Returns the address of the state back end, "" where the engine does not say it."""
        said = self.environment.get("PULUMI_BACKEND_URL")
        if said:
            return said
        shown = self.quiet("whoami", "--json")
        return str(json.loads(shown.stdout).get("url", "")) if shown.returncode == 0 else ""

    def run(self, verb: str, *options: str) -> int:
        """Runs a verb with the terminal; returns the exit status, 130 where it was interrupted."""
        if display.is_quiet() and verb in ("up", "destroy") and "--yes" not in options:
            raise StackError("without its output nobody can be asked: YES=1 (--yes) goes with QUIET=1 (--quiet)")
        say(f"pulumi {verb} -s {self.stack}")
        own = ("--config-file", str(self.project / f"Pulumi.{self.stack}.yaml")) if self.project != ROOT else ()
        words = ["pulumi", verb, "-s", self.stack, *own, *engine_options(verb, options), *options]
        return run_engine(words, ROOT, self.environment, _status)

    def quiet(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a command on the back end without the terminal, and without the user's options for the engine."""
        return subprocess.run(
            ["pulumi", *words, "--non-interactive"],
            cwd=self.project,
            env=without_options(self.environment),
            check=False,
            capture_output=True,
            text=True,
        )

    def _without_back_end(self, words: str) -> str:
        if "PULUMI_BACKEND_URL" in self.environment:
            return words
        return f"{words}\na state back end is needed: pulumi login (README, A real project, step 3)"


def _status(engine: subprocess.Popen[bytes]) -> int:
    interrupted = False
    while True:
        try:
            status = engine.wait()
            return INTERRUPTED if interrupted and status else status
        except KeyboardInterrupt:
            # A terminal tells the engine too, which ends by itself and leaves its state in order. A second time it is
            # told here as well: the first may have come to this process alone.
            if interrupted:
                engine.send_signal(signal.SIGINT)
            interrupted = True
