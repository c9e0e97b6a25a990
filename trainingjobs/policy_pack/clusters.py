"""Clusters whose node pools are resources of their own: whether their nodes are private only all of them together say.

At its own gate such a cluster is put off; here it is judged with the pools that name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from trainingjobs.core.findings import Finding, sort_findings
from trainingjobs.facts.gke import INLINE, cluster_facts, node_pool_facts
from trainingjobs.judge.resources import judge_facts
from trainingjobs.policy_pack.observe import CLUSTER, NODE_POOL, plain
from trainingjobs.rules.registry import Levels

RULE = "private-nodes"


def clusters_together(resources: Iterable[Any], levels: Levels, environment: str | None) -> list[Finding]:
    """Returns what is wrong with clusters by all their node pools, sorted; nothing of one that was judged alone."""
    listed = list(resources)
    pools = [(pool, plain(pool.properties)) for pool in listed if pool.type == NODE_POOL]
    findings: list[Finding] = []
    for cluster in listed:
        if cluster.type != CLUSTER:
            continue
        props = plain(cluster.properties)
        facts = cluster_facts(props, environment, cluster.name)
        own = [node_pool_facts(pool_props) for pool, pool_props in pools if _is_of(cluster, props, pool, pool_props)]
        if INLINE not in facts.unknown or not own or any("privateNodes" in pool.unknown for pool in own):
            continue
        together = replace(
            facts,
            pools_are_private=all(pool.private_nodes for pool in own),
            unknown=facts.unknown - {INLINE},
        )
        findings += judge_facts(together, levels, say_unknown=False, only=lambda rule: rule.id == RULE)
    return sort_findings(findings)


def _is_of(cluster: Any, props: Mapping[str, Any], pool: Any, pool_props: Mapping[str, Any]) -> bool:
    """Returns whether a node pool names the cluster: by what it comes from, else by its name or link."""
    if cluster.urn and cluster.urn in _sources(pool):
        return True
    link, name = pool_props.get("cluster"), props.get("name") or cluster.name
    return isinstance(link, str) and link.rpartition("/")[2] == name


def _sources(pool: Any) -> Iterator[str]:
    dependencies = pool.propertyDependencies
    yield from dependencies["cluster"].urns if "cluster" in dependencies else ()
