"""Programs that somebody else wrote, run by the real engine with the policy pack: no component of ours in them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engine.lab import ROOT, Lab
from tests.state_files import checkpoint

Violation = tuple[str, str, str]

# A job declared as anybody may, from the inputs of the resource; `more` is code of the test's own.
PROGRAM = """
import json
import re
import sys

sys.path.insert(0, {root!r})

import pulumi

from trainingjobs.components.job_resources import CustomJob, CustomJobArgs


def job(name, inputs, opts=None):
    snake = lambda key: re.sub("[A-Z]", lambda found: "_" + found[0].lower(), key)
    args = CustomJobArgs(**{{snake(key): value for key, value in inputs.items()}})
    return CustomJob(name, args, opts)


jobs = json.loads(open("jobs.json").read())
{code}
"""


@dataclass(frozen=True)
class Run:
    """A finished run: its output, its exit status, its events, and what the pack said, as (resource, policy, level)."""

    status: int
    output: str
    violations: list[Violation]
    messages: list[str]
    events: list[dict[str, Any]]


def run(lab: Lab, verb: str, code: str, jobs: dict[str, dict[str, Any]], config: dict[str, Any] | None = None) -> Run:
    """Runs `pulumi preview` or `pulumi up` of a program over the inputs of jobs, with the pack."""
    folder = lab.state.parent / "hand-written"
    folder.mkdir(exist_ok=True)
    project = {
        "name": "hand-written",
        "runtime": {"name": "python", "options": {"virtualenv": sys.prefix}},
        "plugins": {"providers": [{"name": "trainingjobs", "path": str(ROOT / "trainingjobs" / "provider")}]},
    }
    (folder / "Pulumi.yaml").write_text(json.dumps(project))
    (folder / "__main__.py").write_text(PROGRAM.format(root=str(ROOT), code=code))
    (folder / "jobs.json").write_text(json.dumps(jobs))
    log = folder / "events.json"
    log.unlink(missing_ok=True)
    words = ["--non-interactive", "--policy-pack", str(ROOT / "policies"), "--event-log", str(log)]
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config))
        words += ["--policy-pack-config", str(folder / "config.json")]
    if verb == "up":
        words += ["--yes", "--skip-preview"]
    quiet: dict[str, Any] = {
        "cwd": folder,
        "env": {**lab.environment, "PULUMI_DEBUG_COMMANDS": "true"},
        "text": True,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
    }
    if not checkpoint(lab.state / "pulumi", "test", "hand-written").exists():
        subprocess.run(["pulumi", "stack", "init", "test", "--non-interactive"], **quiet, check=True)
    done = subprocess.run(["pulumi", verb, "-s", "test", *words], **quiet, check=False)
    events = _events(log)
    policy_events = [event["policyEvent"] for event in events if "policyEvent" in event]
    return Run(
        status=done.returncode,
        output=done.stdout,
        violations=sorted(map(_violation, policy_events)),
        messages=[event["message"].strip() for event in policy_events],
        events=events,
    )


def _violation(event: dict[str, Any]) -> Violation:
    return event["resourceUrn"].split("::")[-1], event["policyName"], event["enforcementLevel"]


def _events(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
