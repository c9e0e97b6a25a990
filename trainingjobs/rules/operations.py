"""Rules of running jobs for months: what is protected, who pays, and what happens when machines are lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from trainingjobs.facts.infrastructure import STRATEGIES
from trainingjobs.facts.job import JobFacts
from trainingjobs.facts.stack import KeptFacts
from trainingjobs.rules.registry import Problem, rule

CHECKPOINT = ("checkpoint", "ckpt")
# Resource Manager's label value, and not an empty one: that is none.
LABEL_VALUE = re.compile(r"[a-z0-9_-]{1,63}")


@rule(
    "protect-production",
    summary="In prod, what holds data is protected, and a change does not cancel a live job.",
    fix="protect it",
    source="Pulumi, the protect option",
    severity="advice",
    prod_severity="error",
    subjects=(JobFacts, KeptFacts),
)
def protect_production(facts: JobFacts | KeptFacts) -> Iterator[Problem]:
    """Judges prod only. allowReplaceWhileRunning is meant for the one run that needs it, so it is advice."""
    if facts.environment != "prod":
        return
    if isinstance(facts, KeptFacts):
        if facts.protected is False:
            yield Problem(path=facts.path, message=f"{facts.what} is not protected")
        return
    facts.need("allowReplaceWhileRunning")
    if facts.allows_replacement:
        yield Problem(
            path=facts.at("allowReplaceWhileRunning"),
            message="true; any change of the document cancels the live job",
            fix="remove it after the run that needs it",
            advice=True,
        )


def labelled(job: JobFacts, parameters: Mapping[str, Any]) -> JobFacts:
    """Returns a Vertex AI job with the required labels that it lacks: the configured values, and its environment."""
    if job.platform != "vertex" or "labels" in job.unknown:
        return job
    values = dict(parameters["values"])
    if job.environment and LABEL_VALUE.fullmatch(job.environment):
        values.setdefault("environment", job.environment)
    missing = [
        key
        for key in parameters["labels"]
        if key in values and not job.labels.get(key) and f"labels.{key}" not in job.unknown
    ]
    return replace(job, labels={**job.labels, **{key: values[key] for key in missing}}) if missing else job


@rule(
    "required-labels",
    summary="A job carries the labels by which its cost is found again.",
    fix="add it under labels",
    source="Google Cloud, Labels overview",
    severity="advice",
    parameters={"labels": ("team", "cost-center"), "values": {}},
    remedy=labelled,
)
def required_labels(job: JobFacts, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    """Which ones is a parameter, and so are the values that remediation adds; an empty value is none."""
    job.need("labels")
    missing = [key for key in parameters["labels"] if not job.labels.get(key) and f"labels.{key}" not in job.unknown]
    if missing:
        single = len(missing) == 1
        yield Problem(
            path=job.at("labels"),
            message=f"{' and '.join(missing)} {'is' if single else 'are'} missing",
            fix=f"add {'it' if single else 'them'}",
        )
    job.need(*(f"labels.{key}" for key in parameters["labels"]))


@rule(
    "failure-plan",
    summary="A job on machines that can be taken away restarts as a whole and has a place for checkpoints.",
    fix="set scheduling.restartJobOnWorkerRestart, and baseOutputDirectory or a checkpoint argument",
    source="Vertex AI, Use Spot VMs with training; Use Flex-start VMs with training",
    severity="advice",
)
def failure_plan(job: JobFacts) -> Iterator[Problem]:
    """Judges SPOT and FLEX_START; code that writes checkpoints shows in a word of its arguments or variables."""
    job.need("scheduling", "scheduling.strategy")
    strategy = STRATEGIES.get(job.strategy)
    if strategy not in ("SPOT", "FLEX_START"):
        return
    path = job.at("scheduling.strategy")
    if not job.restarts:
        job.need("scheduling.restartJobOnWorkerRestart")
        yield Problem(
            path=path,
            message=f"{strategy} without restartJobOnWorkerRestart; the job ends when one machine is taken away",
            fix="set scheduling.restartJobOnWorkerRestart: true",
        )
    if not job.has_output and not _mentions_checkpoints(job):
        job.need("baseOutputDirectory", "workerPoolSpecs")
        for pool in job.pools:
            pool.need("container.env", "container.args")
        yield Problem(
            path=path,
            message=f"{strategy} without a place for checkpoints; a restart begins at the first step",
            fix="set baseOutputDirectory, or pass the code a checkpoint directory",
        )


def _mentions_checkpoints(job: JobFacts) -> bool:
    words = [word for pool in job.pools for word in (*pool.args, *pool.env, *pool.env.values())]
    return any(mark in word.lower() for word in words for mark in CHECKPOINT)
