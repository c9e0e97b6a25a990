"""`make up`, `make preview`, `make down`: one stack through the engine, with the sandbox where it is asked for.

Nothing here that plain Pulumi could not do by hand (README, "Plain Pulumi"): it finds the engine, starts the sandbox of
a sandbox stack, says which policy configuration is in force, runs the engine, and shows how the jobs ended.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from infra.cli.inputs import judged_stack
from infra.problems import has_errors, render_findings
from sandbox import lifecycle
from sandbox.kubernetes.lifecycle import BedError
from sandbox.state import state_folder
from tools import cluster, preview_summary, recovery
from tools.engine.cli import engine_bin
from tools.engine.gobuild import BuildFailed

ROOT = Path(__file__).resolve().parents[1]
LAST_LINES = 3


class StackError(Exception):
    """What a user has to put right first; one message."""


def main(words: list[str]) -> int:
    """Runs one verb on a stack; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.stack", description=__doc__)
    parser.add_argument("verb", choices=("up", "preview", "down"))
    parser.add_argument("stack")
    parser.add_argument("--yes", action="store_true", help="ask nothing")
    parser.add_argument("--without-pack", action="store_true", help="preview only: leave the policy pack out")
    args = parser.parse_args(words)
    try:
        return run(args.verb, args.stack, yes=args.yes, pack=not args.without_pack)
    except (StackError, BuildFailed, BedError, lifecycle.SandboxError, recovery.RecoveryError) as problem:
        print(f"make {args.verb}: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def run(verb: str, stack: str, *, yes: bool, pack: bool) -> int:
    """Runs `pulumi up`, `preview` or `destroy`; returns its exit status. Raises StackError."""
    judged = judged_stack(stack)
    if judged.stack is None or (has_errors(judged.findings) and verb != "down"):
        by_hand = "\nwithout it, by hand: docs/operating.md, section Destroying without the stack's file"
        raise StackError(
            "the stack's configuration has to be mended first:\n"
            + render_findings(judged.findings)
            + (by_hand if verb == "down" else "")
        )
    in_sandbox = judged.stack.environment == "sandbox" or "TRAINING_SANDBOX" in os.environ
    environment = sandbox_environment() if in_sandbox else own_environment()
    if in_sandbox and cluster.needs_cluster(judged.plans):
        environment = cluster.cluster_environment(environment, say)
    project = sandbox_project(stack, environment) if in_sandbox else ROOT
    engine = Engine(stack, project, environment)
    engine.select()
    asks_nothing = yes or in_sandbox
    doubts = []
    if verb != "preview":
        recovery.free(engine, say)
        doubts = recovery.settle(engine, judged.stack, judged.plans, say, down=verb == "down")
    if verb == "down":
        status = engine.run("destroy", *(("--yes", "--skip-preview") if asks_nothing else ()))
        if status == 0:
            recovery.sweep(engine, doubts, say)
        if in_sandbox and status == 0:
            cluster.stop_cluster()
            say(lifecycle.stop(state_folder()))
        return status
    options = pack_options(stack) if pack else ()
    if verb == "preview":
        return preview_summary.previewed(engine, options, say)
    status = engine.run("up", *options, *(("--yes",) if asks_nothing else ()))
    if status == 0:
        recovery.sweep(engine, doubts, say)
    if in_sandbox and status == 0:
        show_ends(Path(environment["TRAINING_SANDBOX"]), engine)
    return status


class Engine:
    """The engine on one stack: its environment, and the project folder that keeps the stack's file."""

    def __init__(self, stack: str, project: Path, environment: Mapping[str, str]) -> None:
        self.stack = stack
        self.project = project
        self.environment = dict(environment)

    def select(self) -> None:
        """Makes the stack in the back end if it is not there. Raises StackError with the engine's own words."""
        done = self.quiet("stack", "select", "--create", self.stack)
        if done.returncode:
            words = done.stderr.strip() or "the stack cannot be selected"
            raise StackError(f"{words}\na state back end is needed: pulumi login (README, A real project, step 3)")

    def run(self, verb: str, *options: str) -> int:
        """Runs a verb with the terminal; returns the exit status."""
        say(f"pulumi {verb} -s {self.stack}")
        own = ("--config-file", str(self.project / f"Pulumi.{self.stack}.yaml")) if self.project != ROOT else ()
        words = ["pulumi", verb, "-s", self.stack, *own, *options]
        return subprocess.run(words, cwd=ROOT, env=self.environment, check=False).returncode

    def quiet(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a command on the back end without the terminal."""
        return subprocess.run(
            ["pulumi", *words, "--non-interactive"],
            cwd=self.project,
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
        )


def say(text: str) -> None:
    """Tells the user what happens."""
    print(f"» {text}", flush=True)


def pack_options(stack: str) -> tuple[str, ...]:
    """Returns the engine's options for the policy pack and the stack's configuration of it."""
    config = ROOT / "policies" / "config" / f"{stack}.json"
    if not config.is_file():
        say(f"policies/config/{stack}.json is not there: the rules have their default severities")
        return ("--policy-pack", "policies")
    return ("--policy-pack", "policies", "--policy-pack-config", str(config.relative_to(ROOT)))


def sandbox_environment() -> dict[str, str]:
    """Returns the environment of a run in the sandbox, which is started if it is not running."""
    engine_bin()
    say("sandbox: " + lifecycle.start(state_folder()))
    script = f"{lifecycle.exports(state_folder())}\nexec env -0"
    listed = subprocess.run(["sh", "-c", script], check=True, capture_output=True, text=True).stdout
    return dict(entry.split("=", 1) for entry in listed.split("\0") if "=" in entry)


def own_environment() -> dict[str, str]:
    """Returns the user's environment with the engine on PATH."""
    return {**os.environ, "PATH": f"{engine_bin()}{os.pathsep}{os.environ.get('PATH', '')}"}


def sandbox_project(stack: str, environment: Mapping[str, str]) -> Path:
    """Returns a folder with a copy of the stack's file: the engine writes a salt into it, never into the tracked one.

    The folder is a project of the same name, so that `pulumi stack select --create` writes there too.
    """
    tracked = ROOT / "stacks" / f"Pulumi.{stack}.yaml"
    folder = Path(environment["TRAINING_SANDBOX"]) / "project"
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / tracked.name
    before = copy.read_text(encoding="utf-8").splitlines() if copy.exists() else []
    salt = [line for line in before if line.startswith("encryptionsalt:")]
    text = tracked.read_text(encoding="utf-8")
    if salt and "encryptionsalt:" not in text:
        text = text.rstrip("\n") + "\n" + salt[0] + "\n"
    for path, content in ((folder / "Pulumi.yaml", "name: training\nruntime: python\n"), (copy, text)):
        temporary = path.with_suffix(".tmp")
        temporary.write_text(content, encoding="utf-8")
        temporary.replace(path)
    return folder


def show_ends(state: Path, engine: Engine) -> None:
    """Prints the last lines of each primary's log of the stack's jobs."""
    outputs = engine.quiet("stack", "output", "--json", "-s", engine.stack)
    jobs = json.loads(outputs.stdout).get("jobs", {}) if outputs.returncode == 0 and outputs.stdout.strip() else {}
    for name, job in sorted(jobs.items()):
        job_id = str(job.get("jobId", ""))
        log = cluster.primary_log(state, job_id) or state / "logs" / job_id.rpartition("/")[2] / "workerpool0-0.log"
        if log.is_file():
            for line in log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:]:
                say(f"{name}: {line}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
