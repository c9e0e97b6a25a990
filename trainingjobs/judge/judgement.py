"""Where a document came from, and what was made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from trainingjobs.core.findings import Finding
from trainingjobs.plan.job import JobPlan
from trainingjobs.plan.stack import StackPlan
from trainingjobs.spec.stack import Stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a document came from.

    `name` is the stack's or the job's, `label` what findings are said of: a file, "" where there is but one document.
    `is_stack`: the document is a stack file, else a job in any language that convert/ reads. `policy` is the stack's
    policy configuration in Pulumi's format, None where it has none; its faults are said of `policy_label`, and
    `unread_policy` is why it could not be read. `today` is the day on which lowered levels are compared with their end.
    """

    name: str
    label: str = ""
    is_stack: bool = False
    policy: Mapping[str, Any] | None = None
    policy_label: str = ""
    unread_policy: Finding | None = None
    today: date = field(default_factory=date.today)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a document holds: its jobs as they will run, and the findings, each said of its source.

    `lowered` says which errors the policy configuration lowers, which is told on every run; `hints` what else is worth
    knowing. `stack` is None for a job, or where the document could not be read.
    """

    source: str
    plans: tuple[JobPlan, ...] = ()
    findings: tuple[Finding, ...] = ()
    lowered: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    stack: Stack | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Returns all lines that are worth telling beside the findings."""
        return (*self.hints, *self.lowered)

    @property
    def plan(self) -> StackPlan:
        """Returns the plan of a stack. Raises ValueError where there is none."""
        if self.stack is None:
            raise ValueError(self.source)
        return StackPlan(stack=self.stack, jobs=self.plans)

    def of_job(self, name: str) -> JobPlan | None:
        """Returns the plan of a job by its name, None where there is no such job."""
        return next((plan for plan in self.plans if plan.name == name), None)


def unreadable(label: str, finding: Finding) -> Judgement:
    """Returns the judgement of a document that could not be read."""
    return Judgement(label, findings=(finding.at(label),))
