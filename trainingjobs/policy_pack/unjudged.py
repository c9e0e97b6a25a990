"""What the pack cannot judge, said of the resource: it can run training, and no rule reads what it runs."""

from __future__ import annotations

from typing import Any

from trainingjobs.core.findings import Finding
from trainingjobs.facts.unjudged import trainable, unjudged_facts
from trainingjobs.judge.resources import judge_facts
from trainingjobs.policy_pack.observe import plain
from trainingjobs.rules.registry import Levels


def unjudged(token: str, struct: Any, levels: Levels, environment: str | None) -> list[Finding]:
    """Returns the finding of a resource that can run training and that no other rule reads, none of any other."""
    row = trainable(token)
    facts = unjudged_facts(row, plain(struct), environment) if row else None
    return judge_facts(facts, levels) if facts else []
