"""Facts of one resource or of several → what the rules find: for what is observed and not read from a document."""

from __future__ import annotations

from collections.abc import Callable

from trainingjobs.core.findings import Finding
from trainingjobs.rules import evaluate
from trainingjobs.rules.registry import DEFAULT_LEVELS, Facts, Levels, Rule


def judge_facts(
    facts: Facts,
    levels: Levels = DEFAULT_LEVELS,
    *,
    say_unknown: bool = True,
    only: Callable[[Rule], bool] = lambda _: True,
) -> list[Finding]:
    """Returns what the rules find, or those of them that `only` takes; sorted.

    A rule that needs what is not known yet is advice at that field, unless `say_unknown` is off.
    """
    return evaluate(facts, levels, say_unknown=say_unknown, only=only)
