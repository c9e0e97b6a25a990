"""What of a stack's Google resources holds data, and whether it is protected."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from trainingjobs.core.findings import Finding
from trainingjobs.facts.job import UNKNOWN
from trainingjobs.facts.stack import KeptFacts
from trainingjobs.judge.resources import judge_facts
from trainingjobs.policy_pack.observe import plain
from trainingjobs.rules.registry import Levels

# Type token → what it is. A job's service account is not here: it goes with its job, and holds nothing.
KEPT = {
    "gcp:artifactregistry/repository:Repository": "an image repository",
    "gcp:container/cluster:Cluster": "a cluster",
    "gcp:filestore/instance:Instance": "a file system",
    "gcp:kms/cryptoKey:CryptoKey": "an encryption key",
    "gcp:secretmanager/secret:Secret": "a secret",
    "gcp:storage/bucket:Bucket": "a bucket",
}
KEY = "training:unprotect"
CLUSTER = "gcp:container/cluster:Cluster"


def unprotected(token: str, struct: Any, protect: bool, levels: Levels, environment: str | None) -> list[Finding]:
    """Returns what the rules find in the protection of a resource; a cluster's own protection counts too."""
    what = KEPT.get(token)
    if what is None:
        return []
    cluster_protection = plain(struct).get("deletionProtection", True) if token == CLUSTER else False
    protected = True if protect else (None if cluster_protection is UNKNOWN else cluster_protection is not False)
    path = "deletionProtection" if token == CLUSTER else "protect"
    facts = KeptFacts(path=path, what=what, environment=environment, protected=protected)
    return judge_facts(facts, levels, say_unknown=False)


def configured_lifting(config: Mapping[str, str]) -> frozenset[str]:
    """Returns the names under `training:unprotect`: resources whose protection is lifted for one run."""
    try:
        names = json.loads(config.get(KEY) or "[]")
    except ValueError:
        return frozenset()
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def with_lifting(findings: Iterable[Finding], name: str, lifted: frozenset[str]) -> list[Finding]:
    """Returns the findings of a resource; where its protection is lifted on purpose, they are advice on every run."""
    if name not in lifted:
        return list(findings)
    fix = f"take {name} out of {KEY} after this run"
    return [replace(finding, severity="advice", fix=fix) for finding in findings]
