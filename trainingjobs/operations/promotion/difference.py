"""The three-way difference: what the target was given last, what the source runs, what the target has now. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from trainingjobs.operations.promotion.order import Pattern
from trainingjobs.operations.promotion.release import Leaves, Release

Kind = Literal["changed", "added", "removed", "overridden"]


class Absent:
    """The value of a place that is not there."""

    def __repr__(self) -> str:
        return "-"


ABSENT = Absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One place of the target's jobs that a promotion changes, the job's name first.

    `overridden`: the target was changed by hand since its last promotion, and the release takes the place back.
    """

    path: Pattern
    kind: Kind
    base: Any
    source: Any
    target: Any

    def as_json(self) -> dict[str, Any]:
        """Returns the change as the command prints it; a place that is not there is null."""
        values = {key: getattr(self, key) for key in ("base", "source", "target")}
        known = {key: None if value is ABSENT else value for key, value in values.items()}
        return {"path": where(self.path), "kind": self.kind, **known}


def where(path: Pattern) -> str:
    """Returns a place of the jobs as it stands in a stack file."""
    return ".".join(("training:jobs", *path))


def changes(release: Release, target: Release, base: Release | None) -> list[Change]:
    """Returns what the target has to change to run the release, by path.

    `target` and `base` are what the target's file makes now and what it was given last. A job that the release no
    longer has leaves the target only where it came with the last release; a job of the target's own stays.
    """
    before: Leaves = base.jobs if base else {}
    target_jobs = {path[0] for path in (*target.jobs, *target.start)}
    released = dict(release.jobs)
    released.update({path: value for path, value in release.start.items() if path[0] not in target_jobs})
    in_release = {path[0] for path in release.jobs}
    known_jobs = in_release | {path[0] for path in before}
    leaving = known_jobs - in_release
    found_changes = [_change(path, before, released, target.jobs) for path in sorted(released)]
    found_changes += [
        _change(path, before, released, target.jobs) for path in sorted(target.jobs) if path[0] in in_release - leaving
    ]
    found_changes += [_gone(name, target) for name in sorted(leaving & target_jobs)]
    unique = {change.path: change for change in found_changes if change is not None}
    return [unique[path] for path in sorted(unique)]


def _change(path: Pattern, base: Leaves, released: Leaves, target: Mapping[Pattern, Any]) -> Change | None:
    was, new, now = (flat.get(path, ABSENT) for flat in (base, released, target))
    if _same(new, now):
        return None
    kind: Kind = "added" if now is ABSENT else "removed" if new is ABSENT else "changed"
    if base and path[0] in {leaf[0] for leaf in base} and not _same(was, now):
        kind = "overridden"
    return Change(path=path, kind=kind, base=was, source=new, target=now)


def _same(value: Any, other: Any) -> bool:
    """True is not 1 here, and an absent place is nothing else."""
    return type(value) is type(other) and value == other


def _gone(name: str, target: Release) -> Change:
    document = {path[1:]: value for path, value in (*target.start.items(), *target.jobs.items()) if path[0] == name}
    count = f"{len(document)} values"
    return Change(path=(name,), kind="removed", base=count, source=ABSENT, target=count)


def missing_pools(release: Release, target: Release) -> list[Pattern]:
    """Returns the pools that the release gives a container of their own, and that the target's job does not have."""
    pools = {path[:3] for path in (*target.jobs, *target.start) if path[1] == "pools" and len(path) > 2}
    target_jobs = {path[0] for path in (*target.jobs, *target.start)}
    release_pools = {
        path[:3] for path in release.jobs if path[1] == "pools" and len(path) > 3 and path[0] in target_jobs
    }
    return sorted(release_pools - pools)
