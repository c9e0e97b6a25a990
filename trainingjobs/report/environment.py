"""The environment of every replica, in a form that a page can carry: what a replica has in common is said once.

A variable differs from one replica of a pool to the next in a few characters (its index), and is as long as the
cluster is large: each is written as the first replica's text with one stretch replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trainingjobs.convert.environments import ReplicaError, replica_environment
from trainingjobs.report.view import TITLES, JobView

# Of a pool with more replicas the page holds this many, and the last one: texts grow with the square of the cluster.
MOST_REPLICAS = 128


def environments(job: JobView) -> list[dict[str, Any]]:
    """Returns a pool for each role: its title, the indices that are there, the first one's variables, and the others'.

    None of them for a job with an error: it has no environment yet.
    """
    pools = [] if job.has_errors else [_pool(job, pool.role, pool.count) for pool in job.pools if pool.count]
    return [pool for pool in pools if pool["first"] is not None]


def _pool(job: JobView, role: str, count: int) -> dict[str, Any]:
    indices = list(range(count)) if count <= MOST_REPLICAS else [*range(MOST_REPLICAS), count - 1]
    try:
        first = replica_environment(job.plan, role, 0)
        others = {str(i): _difference(first, replica_environment(job.plan, role, i)) for i in indices[1:]}
    except ReplicaError:
        # A reducer of a TFJob is no replica of the operator's, so nothing sets variables on it.
        return {"first": None}
    return {
        "role": role,
        "title": TITLES[role],  # type: ignore[index]
        "count": count,
        "first": first,
        "others": others,
    }


def _difference(first: dict[str, str], other: dict[str, str]) -> dict[str, str | list[int | str]]:
    """Returns each variable as text, or as [start, rest, stretch] against the first replica's text."""
    return {name: stretch(first[name], text) if name in first else text for name, text in other.items()}


def stretch(base: str, text: str) -> str | list[int | str]:
    """Returns [n, m, middle] such that text is base's first n characters, middle, and base's last m."""
    if not (base.isascii() and text.isascii()):
        # The page counts characters as UTF-16 does.
        return text
    limit = min(len(base), len(text))
    start = _common(limit, lambda n: base[:n] == text[:n])
    end = _common(limit - start, lambda n: base[len(base) - n :] == text[len(text) - n :])
    return [start, end, text[start : len(text) - end]]


def _common(limit: int, same: Callable[[int], bool]) -> int:
    """The largest n up to `most` for which `same` holds, by halving: it holds for all smaller ones."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if same(middle) else (low, middle - 1)
    return low
