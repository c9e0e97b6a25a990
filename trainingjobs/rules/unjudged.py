"""The rule about what no other rule reads: a resource that can run training goes round all of them."""

from __future__ import annotations

from collections.abc import Iterator

from trainingjobs.facts.unjudged import UnjudgedFacts
from trainingjobs.rules.registry import Problem, rule


@rule(
    "unjudged-training",
    summary="What can run training is a job, so that the rules read it.",
    fix="declare it as a job, or count its cost and look after it by hand",
    source="docs/threat-model.md",
    severity="advice",
    subjects=(UnjudgedFacts,),
)
def unjudged_training(resource: UnjudgedFacts) -> Iterator[Problem]:
    """At the pack alone: of accelerators without a job, of services that run jobs, and of programs that may submit one.

    The table of what can run training is in trainingjobs/facts/unjudged.py.
    """
    resource.need()
    yield Problem(path=resource.path, message=f"{resource.what}; it can run training, and no rule reads that")
