"""The samples of tests/samples: jobs, each with the resource that it becomes, whole stacks, and resources."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from trainingjobs.convert.recognise import recognise
from trainingjobs.core.findings import Finding
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.judge.jobs import judge_job
from trainingjobs.project.judged import judge_file
from trainingjobs.rules import evaluate
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads.custom_job import CustomJob

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "samples"
# What the program fills in where a document names no account.
ACCOUNT = "dev-job@acme-ml-dev.iam.gserviceaccount.com"
ENVIRONMENT = re.compile(r"^# environment: (\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Sample:
    """One file: what it holds, the rule that it is about, and whether that rule has something to say."""

    path: Path
    rule: str
    allowed: bool
    environment: str | None
    document: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.rule}-{self.path.stem}".replace("_", "-")

    @property
    def is_body(self) -> bool:
        return recognise(self.document) == "custom-job"

    @property
    def on_vertex(self) -> bool:
        """Whether the job becomes a CustomJob resource."""
        return self.is_body or self.document.get("platform", "vertex") == "vertex"

    def judged(self) -> list[Finding]:
        """What the command line says of the file; a file names no environment, so that is said beside it."""
        if self.environment is None:
            return list(judge_file(str(self.path)).findings)
        if self.is_body:
            body = self.document
            facts, findings = facts_of_body(body["jobSpec"], environment=self.environment, labels=body.get("labels"))
            return [*findings, *evaluate(facts)]
        job = read_job(self.document).value
        assert job is not None
        return judge_job(self.name, job, environment=self.environment)[1]

    def inputs(self) -> dict[str, Any]:
        """The inputs of the CustomJob resource that submits the job."""
        common = {"project": "acme-ml-dev", "location": "us-central1", "environment": self.environment}
        if self.is_body:
            given = {**common, **self.document}
        else:
            job = read_job(self.document).value
            assert job is not None
            plan, _ = judge_job(self.name, job, environment=self.environment)
            given = {**common, **CustomJob().body(plan), "document": self.document}
            given["jobSpec"].setdefault("serviceAccount", ACCOUNT)
            given["allowReplaceWhileRunning"] = job.allow_replace_while_running or None
        return {key: value for key, value in given.items() if value is not None}


def samples() -> list[Sample]:
    """Every sample of a job, by path."""
    return [sample for sample in _all() if sample.document.keys().isdisjoint(("config", "properties"))]


def stack_samples() -> list[Sample]:
    """Every sample of a whole stack, by path: a stack file, for the rules that need several jobs or a limit."""
    return [sample for sample in _all() if "config" in sample.document]


def resource_samples() -> list[Sample]:
    """Every sample of a resource that is no job, by path: its type token and its properties."""
    return [sample for sample in _all() if "properties" in sample.document]


def _all() -> list[Sample]:
    return [_sample(path) for path in sorted(SAMPLES.glob("*/*.yaml"))]


def _sample(path: Path) -> Sample:
    text = path.read_text()
    match = ENVIRONMENT.search(text)
    return Sample(
        path=path,
        rule=path.parent.name,
        allowed=path.name.startswith("allowed_"),
        environment=match[1] if match else None,
        document=yaml.safe_load(text),
    )
