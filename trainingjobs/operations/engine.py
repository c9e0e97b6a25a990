"""The engine on one stack: run with the user's terminal, or asked without it."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainingjobs.operations import display
from trainingjobs.operations.display import engine_options, run_engine, say
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.project_folders import passing_project, without_secrets
from trainingjobs.operations.run_environment import BACK_END, asking_environment, pack_options, without_options
from trainingjobs.operations.state_file import broken_state_fix
from trainingjobs.project.files import project
from trainingjobs.project.sandbox_folder import SANDBOX_VARIABLE
from trainingjobs.terminal.interrupt import INTERRUPTED

UPDATES = ("update", "destroy")
PAGE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A finished preview: its exit status, its events in order, and what it printed."""

    status: int
    events: list[dict[str, Any]]
    output: str


class Engine:
    """The engine on one stack.

    `environment` names its back end and credentials. `folder` is the project folder that keeps the stack's file; None
    for an engine that is only asked, which never sees that file.
    """

    def __init__(self, stack: str, environment: Mapping[str, str], folder: Path | None = None) -> None:
        self.stack = stack
        self.environment = dict(environment)
        self.folder = folder

    @classmethod
    def asked(cls, stack: str, *, in_sandbox: bool = False) -> Engine:
        """Returns an engine that is only asked about a stack. Raises StackError where there is none."""
        return cls(stack, asking_environment(stack, in_sandbox=in_sandbox))

    def select(self) -> None:
        """Makes the stack in the back end if it is not there. Raises StackError with the engine's own words."""
        completed = self.quiet("stack", "select", "--create", self.stack)
        if "already exists" in completed.stderr:
            # Another run made it in between.
            completed = self.quiet("stack", "select", self.stack)
        if completed.returncode:
            raise StackError(self._without_back_end(completed.stderr.strip() or "the stack cannot be selected"))

    def state(self) -> dict[str, Any] | None:
        """Returns the stack's state, None where the back end has no such stack. Raises StackError."""
        try:
            return self.exported()
        except StackError:
            if self._is_listed():
                raise
            return None

    def state_or_new(self) -> dict[str, Any]:
        """Returns the stack's state; makes the stack if the back end has none. Raises StackError."""
        try:
            return self.exported()
        except StackError:
            completed = self.quiet("stack", "init", self.stack)
        if completed.returncode == 0:
            return {}
        if "already exists" not in completed.stderr:
            raise StackError(self._without_back_end(completed.stderr.strip() or "the stack cannot be made"))
        # Its file is broken, or another run has made it in between.
        return self.exported()

    def _is_listed(self) -> bool:
        completed = self.quiet("stack", "ls", "--json")
        # The list fails where any stack's file is broken: the engine's words on this one's say more.
        return completed.returncode != 0 or lists(completed.stdout, self.stack)

    def exported(self, *options: str) -> dict[str, Any]:
        """Returns the state of a stack that is there. Raises StackError: where its file is broken, how to fix it."""
        exported = self.quiet("stack", "export", "-s", self.stack, *options)
        if exported.returncode:
            sandbox = self.environment.get(SANDBOX_VARIABLE)
            fix = broken_state_fix(self.back_end(), self.stack, Path(sandbox) if sandbox else None)
            raise StackError(self._without_back_end(f"the state cannot be read: {exported.stderr.strip()}{fix}"))
        return dict(json.loads(exported.stdout).get("deployment") or {})

    def back_end(self) -> str:
        """Returns the address of the state back end, "" where the engine does not say it."""
        named = self.environment.get(BACK_END)
        if named:
            return named
        completed = self.quiet("whoami", "--json")
        return str(json.loads(completed.stdout).get("url", "")) if completed.returncode == 0 else ""

    def last_update(self) -> dict[str, Any] | None:
        """Returns the last update or destruction in the stack's history, None without one. Raises StackError."""
        page = 1
        while True:
            words = ("stack", "history", "--json", "-s", self.stack, "--page-size", str(PAGE), "--page", str(page))
            entries = json.loads(self._answer(*words) or "[]")
            update = next((entry for entry in entries if entry.get("kind") in UPDATES), None)
            if update is not None or len(entries) < PAGE:
                return update
            page += 1

    def version(self) -> str:
        """Returns the engine's version, without the `v`. Raises StackError."""
        return self._answer("version").strip().removeprefix("v")

    def refreshed(self, text: str) -> Preview:
        """Returns a refresh in preview of the stack as its file's `text` says it: nothing is written."""
        return self._previewed(text, "refresh", "--preview-only")

    def previewed(self, text: str, *, is_new: bool) -> Preview:
        """Returns a preview with the policy pack of the stack as its file's `text` says it.

        A stack that the back end does not have is previewed on one that is gone afterwards: asking leaves no trace.
        """
        pack = pack_options(self.stack)
        if not is_new:
            return self._previewed(text, "preview", *pack)
        with tempfile.TemporaryDirectory(prefix="training-state-") as state:
            passing = {BACK_END: f"file://{state}", "PULUMI_CONFIG_PASSPHRASE": "passing"}
            engine = Engine(self.stack, {**self.environment, **passing})
            engine._answer("stack", "init", self.stack)
            return engine._previewed(without_secrets(text), "preview", *pack)

    def _previewed(self, text: str, *words: str) -> Preview:
        with passing_project(self.stack, text) as folder:
            log = folder / "events.json"
            options = ["-s", self.stack, "--non-interactive", "--color", "never"]
            options += ["--config-file", str(folder / f"Pulumi.{self.stack}.yaml"), "--event-log", str(log)]
            # The event log is one of the engine's debugging options.
            environment = {**self.environment, "PULUMI_DEBUG_COMMANDS": "true"}
            completed = subprocess.run(
                ["pulumi", *words, *options],  # The engine at the head of PATH.
                cwd=project().root,
                env=environment,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            return Preview(status=completed.returncode, events=read_events(log), output=completed.stdout)

    def run(self, verb: str, *options: str) -> int:
        """Runs a verb with the terminal; returns the exit status, 130 where it was interrupted."""
        if display.is_quiet() and verb in ("up", "destroy") and "--yes" not in options:
            raise StackError("without its output nobody can be asked: YES=1 (--yes) goes with QUIET=1 (--quiet)")
        say(f"pulumi {verb} -s {self.stack}")
        root = project().root
        is_own = self.folder in (None, root)
        config_options = () if is_own else ("--config-file", str(Path(str(self.folder)) / f"Pulumi.{self.stack}.yaml"))
        words = ["pulumi", verb, "-s", self.stack, *config_options, *engine_options(verb, options), *options]
        return run_engine(words, root, self.environment, _status)

    def quiet(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a command on the back end without the terminal, and without the user's options for the engine."""
        with ExitStack() as around:
            folder = self.folder or around.enter_context(passing_project(self.stack))
            return subprocess.run(
                ["pulumi", *words, "--non-interactive"],  # The engine at the head of PATH.
                cwd=folder,
                env=without_options(self.environment),
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )

    def _answer(self, *words: str) -> str:
        completed = self.quiet(*words)
        if completed.returncode:
            raise StackError(f"pulumi {' '.join(words[:2])}: {completed.stderr.strip() or completed.stdout.strip()}")
        return completed.stdout

    def _without_back_end(self, words: str) -> str:
        if BACK_END in self.environment:
            return words
        return f"{words}\na state back end is needed: pulumi login (README, A real project, step 3)"


def read_events(log: Path) -> list[dict[str, Any]]:
    """Returns the events of an engine's log; a line that was cut off is left out."""
    events = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        try:
            events.append(json.loads(line))
        except ValueError:
            continue
    return events


def lists(output: str, stack: str) -> bool:
    """Returns whether what `pulumi stack ls --json` prints has the stack."""
    return stack in [str(entry["name"]).rpartition("/")[2] for entry in json.loads(output)]


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
