"""Jobs whose replicas are resources of their own, such as bare pods: what only all replicas of a job show together.

The replicas that a run has come to are judged as they come, so that a second primary is refused before it is made; what
a job lacks shows when all of them are known.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace

from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.judge.resources import judge_facts
from trainingjobs.rules.registry import Levels, Rule


class ReplicasOfRun:
    """The replicas that a run has come to, by URN; the engine's calls may overlap."""

    def __init__(self) -> None:
        self._replicas: dict[str, JobFacts] = {}
        self._reported: set[Finding] = set()
        self._lock = threading.Lock()

    def findings_with(self, urn: str, replica: JobFacts, levels: Levels) -> list[Finding]:
        """Returns what a replica shows together with those of its job before it, and none of them without it."""
        if not replica.part_of:
            return []
        with self._lock:
            before = {name: facts for name, facts in self._replicas.items() if name != urn}
            self._replicas[urn] = replica
            known = set(_judged(before, levels, replica.part_of, is_whole=False))
            together = _judged({**before, urn: replica}, levels, replica.part_of, is_whole=False)
            added = [finding for finding in together if finding not in known]
            self._reported.update(added)
        return added

    def stack_findings(self, replicas: Mapping[str, JobFacts], levels: Levels) -> list[Finding]:
        """Returns what the whole jobs of a stack's replicas, by URN, show and no replica's own gate has told."""
        jobs = {facts.part_of for facts in replicas.values() if facts.part_of}
        # A replica whose labels are not known yet may be any job's.
        is_whole = not any("labels" in facts.unknown for facts in replicas.values() if facts.form == "object")
        findings = [finding for job in jobs for finding in _judged(replicas, levels, job, is_whole=is_whole)]
        with self._lock:
            return sort_findings(finding for finding in findings if finding not in self._reported)


def _judged(replicas: Mapping[str, JobFacts], levels: Levels, job: str, *, is_whole: bool) -> list[Finding]:
    of_job = [(urn.rpartition("::")[2], facts) for urn, facts in sorted(replicas.items()) if facts.part_of == job]
    if not of_job:
        return []
    resource, first = of_job[0]
    pools = _merged(_of_resource(pool, name) for name, facts in of_job for pool in facts.pools)
    unknown = frozenset().union(*(facts.unknown for _, facts in of_job)) - {"pools"}
    whole = replace(
        first,
        name=job,
        part_of="",
        pools=pools,
        places=_named(first.places, resource),
        unknown=unknown | (frozenset() if is_whole else {"pools"}),
    )
    # What each replica shows by itself is told at its own gate.
    put_off = {rule_id for _, facts in of_job for rule_id in _put_off(facts, levels)}

    def of_all(rule: Rule) -> bool:
        return rule.structural or rule.id in put_off

    return judge_facts(whole, levels.without_remediation(), say_unknown=False, only=of_all)


def _put_off(replica: JobFacts, levels: Levels) -> set[str]:
    """Returns the rules that need the other replicas of a replica's job."""
    alone = replace(replica, unknown=replica.unknown | {"pools"})
    return {finding.rule for finding in judge_facts(alone, levels) if finding.path == replica.at("pools")}


def _of_resource(pool: PoolFacts, resource: str) -> PoolFacts:
    path = FieldPath(resource) / pool.path
    return replace(pool, path=path, places=_named(pool.places, resource), beside=())


def _named(places: Mapping[str, str], resource: str) -> dict[str, str]:
    """Returns places as the whole stack's findings name them: by their resource."""
    return {name: FieldPath(resource) / path for name, path in places.items()}


def _merged(pools: Iterable[PoolFacts]) -> tuple[PoolFacts, ...]:
    """Returns one pool a role and machine; its place is that of the last of its replicas."""
    merged: dict[tuple[object, ...], PoolFacts] = {}
    for pool in pools:
        key = (pool.role, pool.machine_type, pool.accelerator_type, pool.accelerator_count, pool.image, pool.unknown)
        count = merged[key].replica_count if key in merged else 0
        merged[key] = replace(pool, replica_count=count + pool.replica_count)
    return tuple(sorted(merged.values(), key=lambda pool: pool.position))
