"""The engine on one stack, asked and never told to change anything: state, history, drift, and a preview.

It runs on a copy of the stack's file, since the engine writes a salt into the file that it is given.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from infra.project_files import POLICY_CONFIG, ROOT

ENVIRONMENTS = "TRAINING_ENVIRONMENTS"
BACK_END = "PULUMI_BACKEND_URL"
UPDATES = ("update", "destroy")


class EngineError(Exception):
    """The engine cannot be asked; its own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished preview: its exit status, its events in order, and what it printed."""

    status: int
    events: list[dict[str, Any]]
    output: str


@dataclass(slots=True)
class StackEngine:
    """The engine on `stack`; `environment` names its back end and credentials."""

    stack: str
    environment: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, stack: str, *, sandbox: bool = False) -> StackEngine:
        """Returns the engine with the environment of this process and what is said of the stack. Raises EngineError.

        With `sandbox` it is the sandbox's environment, unless what is said of the stack names a back end.
        """
        said = said_of(stack)
        environment = {**os.environ, **said}
        if sandbox and BACK_END not in said:
            environment = {**_sandbox_environment(environment), **said}
        folder = _of_tool("tools.engine", "--print-bin", environment=environment)
        environment["PATH"] = f"{folder}{os.pathsep}{environment.get('PATH', os.defpath)}"
        environment["PULUMI_SKIP_UPDATE_CHECK"] = "true"
        return cls(stack, without_options(environment))

    def state(self) -> dict[str, Any] | None:
        """Returns the stack's deployment, None where the back end has no such stack. Raises EngineError."""
        try:
            exported = json.loads(self._asked("stack", "export", "-s", self.stack))
        except EngineError:
            if self._is_listed():
                raise
            return None
        return dict(exported.get("deployment") or {})

    def _is_listed(self) -> bool:
        try:
            return lists(self._asked("stack", "ls", "--json"), self.stack)
        except EngineError:
            # The list fails where any stack's file is broken: what was said of this one's says more.
            return True

    def last_update(self) -> dict[str, Any] | None:
        """Returns the last update or destruction in the stack's history, None where there is none."""
        page = 1
        while True:
            words = ("stack", "history", "--json", "-s", self.stack, "--page-size", "20", "--page", str(page))
            entries = json.loads(self._asked(*words) or "[]")
            found = next((one for one in entries if one.get("kind") in UPDATES), None)
            if found is not None or len(entries) < 20:
                return dict(found) if found is not None else None
            page += 1

    def version(self) -> str:
        """Returns the engine's version, without the `v`."""
        return self._asked("version").strip().removeprefix("v")

    def refreshed(self, text: str) -> Run:
        """Returns a refresh in preview: state and reality compared, nothing written."""
        return self._previewed(text, "refresh", "--preview-only")

    def previewed(self, text: str, *, is_new: bool) -> Run:
        """Returns a preview with the policy pack of the stack as `text` says it.

        A stack that the back end does not have is previewed on one that is gone afterwards: asking leaves no trace.
        """
        config = POLICY_CONFIG / f"{self.stack}.json"
        pack = ["--policy-pack", str(ROOT / "policies")]
        pack += ["--policy-pack-config", str(config)] if config.is_file() else []
        if not is_new:
            return self._previewed(text, "preview", *pack)
        with tempfile.TemporaryDirectory(prefix="training-state-") as state:
            passing = {BACK_END: f"file://{state}", "PULUMI_CONFIG_PASSPHRASE": "passing"}
            engine = StackEngine(self.stack, {**self.environment, **passing})
            plain = "".join(line for line in text.splitlines(keepends=True) if not line.startswith(SECRETS))
            with _project(self.stack, plain) as folder:
                _finished(["pulumi", "stack", "init", self.stack, "--non-interactive"], folder, engine.environment)
            return engine._previewed(plain, "preview", *pack)

    def _previewed(self, text: str, *words: str) -> Run:
        with _project(self.stack, text) as folder:
            log = folder / "events.json"
            options = ["-s", self.stack, "--non-interactive", "--color", "never"]
            options += ["--config-file", str(folder / f"Pulumi.{self.stack}.yaml"), "--event-log", str(log)]
            # The event log is one of the engine's debugging options.
            environment = {**self.environment, "PULUMI_DEBUG_COMMANDS": "true"}
            done = subprocess.run(  # noqa: S603 (words of ours)
                ["pulumi", *words, *options],  # noqa: S607 (the engine at the head of PATH)
                cwd=ROOT,
                env=environment,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            return Run(status=done.returncode, events=read_events(log), output=done.stdout)

    def _asked(self, *words: str) -> str:
        with _project(self.stack, "config: {}\n") as folder:
            return _finished(["pulumi", *words, "--non-interactive"], folder, self.environment)


# What ties a file to the secrets of its own back end.
SECRETS = ("encryptionsalt:", "secretsprovider:", "encryptedkey:")


def read_events(log: Path) -> list[dict[str, Any]]:
    """Returns the events of an engine's log; a line that was cut off is left out."""
    events = []
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        try:
            events.append(json.loads(line))
        except ValueError:
            continue
    return events


def lists(listed: str, stack: str) -> bool:
    """Returns whether what `pulumi stack ls --json` prints has the stack."""
    return stack in [str(one["name"]).rpartition("/")[2] for one in json.loads(listed)]


def without_options(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment without the options that a user sets for the engine's commands."""
    # They hold for every command: a file for its output would take what is read here.
    return {name: value for name, value in environment.items() if not name.startswith("PULUMI_OPTION_")}


def said_of(stack: str) -> dict[str, str]:
    """Returns the variables of `<stack>.env` in the folder that TRAINING_ENVIRONMENTS names; none without it.

    For stacks on different back ends: a promotion asks two of them. Lines are NAME=value. Raises EngineError.
    """
    folder = os.environ.get(ENVIRONMENTS)
    path = Path(folder or "") / f"{stack}.env"
    if not folder or not path.is_file():
        return {}
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    said = [line for line in lines if line and not line.startswith("#")]
    if wrong := next((line for line in said if "=" not in line), None):
        raise EngineError(f"{path}: {wrong[:40]!r} is no NAME=value")
    return dict(line.split("=", 1) for line in said)


def _sandbox_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment with what `python -m sandbox env` exports, and the sandbox's cluster."""
    exports = _of_tool("sandbox", "env", environment=environment)
    listed = _finished(["sh", "-c", f"{exports}\nexec env -0"], ROOT, environment)
    exported = dict(entry.split("=", 1) for entry in listed.split("\0") if "=" in entry)
    # Also where it is not there: the user's own cluster must not answer for the sandbox's.
    exported.setdefault("KUBECONFIG", str(Path(exported["TRAINING_SANDBOX"]) / "kubernetes" / "kubeconfig"))
    return exported


def _of_tool(*words: str, environment: Mapping[str, str]) -> str:
    """Returns what `python -m …` prints. Raises EngineError with its own words."""
    command = [sys.executable, "-m", *words]
    done = subprocess.run(  # noqa: S603 (words of ours)
        command, cwd=ROOT, env=dict(environment), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise EngineError(done.stderr.strip())
    return done.stdout.strip()


@contextmanager
def _project(stack: str, text: str) -> Iterator[Path]:
    """Yields a folder with a project of the same name and the stack's file in it."""
    with tempfile.TemporaryDirectory(prefix="training-stack-") as name:
        folder = Path(name)
        (folder / "Pulumi.yaml").write_text("name: training\nruntime: python\n", encoding="utf-8")
        (folder / f"Pulumi.{stack}.yaml").write_text(text, encoding="utf-8")
        yield folder


def _finished(words: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    done = subprocess.run(  # noqa: S603 (words of ours)
        words, cwd=folder, env=dict(environment), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        raise EngineError(f"{' '.join(words[:3])}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
