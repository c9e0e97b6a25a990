"""The order of the environments, and what a release carries from one to the next: policies/config/promotion.json.

A path names a part of a job document, key by key; `*` stands for any one key. A part goes with everything in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainingjobs.core.documents import DocumentError
from trainingjobs.project.files import project, read_file

Pattern = tuple[str, ...]
KEYS = ("order", "carries", "keeps")
# Bound to one project: never carried, not even into a stack that does not have the job yet.
BOUND = (
    "serviceAccount",
    "network",
    "reservedIpRanges",
    "pscInterfaceConfig",
    "tensorboard",
    "baseOutputDirectory",
    "encryptionSpec",
    "persistentResourceId",
    "run",
    "allowReplaceWhileRunning",
    "pools.*.reservationAffinity",
    "pools.*.nfsMounts",
    "pools.*.instanceGroup",
    "pools.*.nodePool.nodeLocations",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """`carries` less `keeps` and BOUND is what a release holds of a job; everything else is the environment's own."""

    order: tuple[str, ...]
    carries: tuple[Pattern, ...]
    keeps: tuple[Pattern, ...]

    def is_carried(self, path: Pattern) -> bool:
        """Returns whether a place in a job document belongs to the release."""
        return _within(path, self.carries) and not _within(path, self.keeps) and not is_bound(path)

    def next_after(self, stack: str) -> str | None:
        """Returns the stack that releases of `stack` go to, None for the last one and for one that has no place."""
        at = self.order.index(stack) + 1 if stack in self.order else len(self.order)
        return self.order[at] if at < len(self.order) else None


def is_bound(path: Pattern) -> bool:
    """Returns whether a place in a job document never leaves its environment."""
    return _within(path, _BOUND)


def read_rules(path: Path | None = None) -> Rules:
    """Returns the rules of promotion. Raises DocumentError where the file is not there or says something else."""
    path = path or project().policy_file("promotion")
    source = f"policies/config/{path.name}"
    try:
        document = read_file(path)
    except DocumentError as error:
        raise DocumentError(error.finding.message, error.finding.fix, source) from None
    for key in document:
        if key not in KEYS:
            raise DocumentError(f"no such key; allowed: {', '.join(KEYS)}", "remove it", f"{source}: {key}")
    order, carries, keeps = (_words(document, key, source) for key in KEYS)
    if len(order) < 2 or len(set(order)) != len(order):
        raise DocumentError("two stacks or more, each once, are needed", 'such as ["dev", "prod"]', f"{source}: order")
    return Rules(order=order, carries=_patterns(carries), keeps=_patterns(keeps))


def _words(document: Mapping[str, Any], key: str, source: str) -> tuple[str, ...]:
    value = document.get(key, [])
    if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
        raise DocumentError("a list of words is needed", "", f"{source}: {key}")
    return tuple(value)


def _patterns(words: tuple[str, ...]) -> tuple[Pattern, ...]:
    return tuple(tuple(word.split(".")) for word in words)


def _within(path: Pattern, patterns: tuple[Pattern, ...]) -> bool:
    return any(
        len(pattern) <= len(path) and all(p in ("*", word) for p, word in zip(pattern, path, strict=False))
        for pattern in patterns
    )


_BOUND = _patterns(BOUND)
