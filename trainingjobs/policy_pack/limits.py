"""The limits of a stack at the pack's gates: each job before it is made, with all that the run has come to before it.

A limit stands in the stack's configuration and, from our own program, in the jobs' property `limits`; the strictest of
all that are told holds. What AnalyzeStack finds comes too late to keep a job from being submitted.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.facts.environment import stricter
from trainingjobs.facts.job import JobFacts
from trainingjobs.facts.stack import StackFacts, limits_of
from trainingjobs.judge.resources import judge_facts
from trainingjobs.rules.registry import Levels

KEY = "training:limits"
PATH = "limits"
# A job's facts and its property `limits`.
LimitedJob = tuple[JobFacts, Any]


def configured_limits(config: Mapping[str, str]) -> Any:
    """Returns the limits of a stack's configuration, None where there are none."""
    try:
        return json.loads(config[KEY]) if config.get(KEY) else None
    except ValueError:
        # Our own program refuses such a configuration; here it limits nothing that could be read.
        return None


class JobsOfRun:
    """The jobs that a run has come to, by URN, and what was found of them together; the engine's calls may overlap.

    `configured` are the limits of the stack's configuration, `environment` is the stack's.
    """

    def __init__(self, configured: Any = None, environment: str | None = None) -> None:
        self._configured = configured
        self._environment = environment
        self._jobs: dict[str, LimitedJob] = {}
        self._together: list[Finding] = []
        self._reported: set[Finding] = set()
        self._lock = threading.Lock()

    def findings_with(self, urn: str, job: LimitedJob, levels: Levels) -> list[Finding]:
        """Returns what the limits find in a job by itself, and what it breaks together with all jobs before it.

        A job that is judged again takes its own place. One that adds nothing to a sum is not told of it.
        """
        with self._lock:
            if self._jobs.pop(urn, None) is not None:
                self._together = self._of_all(levels)
            known = set(self._together)
            self._jobs[urn] = job
            self._together = self._of_all(levels)
            added = [finding for finding in self._together if finding not in known]
            findings = sort_findings([*self._judged([job], levels), *added])
            self._reported.update(findings)
        return findings

    def stack_findings(self, jobs: Mapping[str, LimitedJob], levels: Levels) -> list[Finding]:
        """Returns what all jobs of the stack, by URN, show together and no job's own gate has told."""
        ordered = [jobs[urn] for urn in sorted(jobs)]
        alone = {finding for job in ordered for finding in self._judged([job], levels)}
        with self._lock:
            reported = alone | self._reported
        return [finding for finding in self._judged(ordered, levels) if finding not in reported]

    def _of_all(self, levels: Levels) -> list[Finding]:
        return self._judged([self._jobs[urn] for urn in sorted(self._jobs)], levels)

    def _judged(self, jobs: list[LimitedJob], levels: Levels) -> list[Finding]:
        return limit_findings(jobs, self._configured, levels, self._environment)


def limit_findings(
    jobs: Iterable[LimitedJob], configured: Any, levels: Levels, environment: str | None
) -> list[Finding]:
    """Returns what the limits find in jobs, each given with its property `limits`, sorted."""
    facts, all_limits = [], [configured]
    for job, limits in jobs:
        facts.append(job)
        all_limits.append(limits)
    if not facts:
        return []
    readings = [limits_of(limits, PATH) for limits in all_limits]
    strictest = _strictest([limits for limits, _ in readings])
    environment = reduce(stricter, (job.environment for job in facts), environment)
    stack = StackFacts(jobs=tuple(facts), path=PATH, environment=environment, **strictest)
    return sort_findings([*(finding for _, findings in readings for finding in findings), *judge_facts(stack, levels)])


def _strictest(all_limits: list[dict[str, Any]]) -> dict[str, Any]:
    amounts = [limits["max_usd_per_hour"] for limits in all_limits if limits.get("max_usd_per_hour") is not None]
    accelerators: dict[str, int] = {}
    for limits in all_limits:
        for name, count in limits.get("accelerators", {}).items():
            accelerators[name] = min(count, accelerators.get(name, count))
    return {
        "max_usd_per_hour": min(amounts, default=None),
        "accelerators": accelerators,
        "unknown": frozenset().union(*(limits.get("unknown", ()) for limits in all_limits)),
    }
