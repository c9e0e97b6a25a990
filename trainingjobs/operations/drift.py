"""What of a resource differs between the state and reality, and how bad that is: harmless, by hand, or dangerous.

Pure: properties in, findings out. The table is the whole of the judgement; docs/drift.md shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from trainingjobs.core.paths import FieldPath

Class = Literal["harmless", "changed-by-hand", "dangerous"]
GONE = "(gone)"
SECRET = "4dabf18193072939515e22adb298388d"  # The engine's mark of a secret, not one.

# (type, place, class, why): the first row that fits decides; both are regular expressions, matched from their start.
_NODES = r"gcp:container/nodePool:"
_CLUSTER = r"gcp:container/cluster:"
_GRANT = r"gcp:.*[iI](am|AM)(Member|Binding|Policy)"
_JOB = r"trainingjobs:"
_GKES = r"(nodeVersion|masterVersion|minMasterVersion|endpoint|masterAuth|nodePools?\b|operation|servicesIpv4|tpu)"
_CONTROLLERS = r"(status|metadata\.(resourceVersion|generation|managedFields|uid|creationTimestamp))"
_COMPUTED = (
    r".*(etag|[fF]ingerprint|updateTime|updated|selfLink|generation|effectiveLabels|pulumiLabels|gatewayAddress)"
)
_LIFE = r"(state|startTime|endTime|error|createTime|updateTime|consoleUrl|bestTrials|modelName|backingJob)"
TABLE: tuple[tuple[str, str, Class, str], ...] = (
    (_NODES, r".*gpuDriver", "dangerous", "another driver may not fit the images' CUDA and NCCL"),
    (_NODES, r".*reservationAffinity", "dangerous", "machines are bought elsewhere, or not at all"),
    (_NODES, r"placementPolicy", "dangerous", "machines far apart slow every all-reduce"),
    (_NODES, r"(nodeConfig\.serviceAccount|.*workloadMetadata)", "dangerous", "identity"),
    (_NODES, r"(nodeCount|initialNodeCount|managedInstance|instanceGroup)", "harmless", "autoscaled"),
    (_NODES, r"version$", "harmless", "upgraded by GKE"),
    (_CLUSTER, r".*(workloadIdentity|[aA]uthorizedNetworks|rbacBinding)", "dangerous", "identity"),
    (_CLUSTER, r".*(enablePrivateNodes|enablePrivateEndpoint)", "dangerous", "open to the internet"),
    (_CLUSTER, r"deletionProtection", "dangerous", "nothing guards the cluster any more"),
    (_CLUSTER, _GKES, "harmless", "GKE's own"),
    (r"gcp:compute/instanceGroupManager:", r"(status|instanceGroup|targetSize)", "harmless", "autoscaled"),
    (r"gcp:compute/firewall:", r"(creationTimestamp|selfLink)", "harmless", "computed"),
    (r"gcp:compute/firewall:", r".*", "dangerous", "firewall"),
    (_GRANT, r"etag", "harmless", "computed"),
    (_GRANT, r".*", "dangerous", "identity"),
    (r"gcp:serviceaccount/", r"(disabled|email|member|\(gone\))", "dangerous", "identity"),
    (r"gcp:storage/bucket:Bucket", r"(publicAccessPrevention|uniformBucketLevelAccess)", "dangerous", "open access"),
    (_JOB, _LIFE, "harmless", "the job went on"),
    (_JOB, r"\(gone\)", "changed-by-hand", "the record was deleted"),
    (r"kubernetes:", _CONTROLLERS, "harmless", "the controllers'"),
    (r".*", _COMPUTED, "harmless", "computed"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One place of one resource that is not what the state says; a resource that is gone has the place `(gone)`."""

    urn: str
    kind: Class
    path: str
    was: Any
    is_: Any
    why: str = ""

    def as_json(self) -> dict[str, Any]:
        """Returns the finding as the command prints it."""
        return {"urn": self.urn, "class": self.kind, "path": self.path, "was": self.was, "is": self.is_}


def classify(resource_type: str, path: str) -> tuple[Class, str]:
    """Returns the class of a difference at a place of a resource, and why; what the table does not know is by hand."""
    for type_pattern, path_pattern, kind, why in TABLE:
        if re.match(type_pattern, resource_type) and re.match(path_pattern, path):
            return kind, why
    return "changed-by-hand", ""


def drift_of(events: Iterable[Mapping[str, Any]]) -> list[Drift]:
    """Returns what a refresh in preview found, from the engine's events: by class, the worst first, then by URN."""
    drifts: dict[tuple[str, str], Drift] = {}
    for event in events:
        metadata = (event.get("resOutputsEvent") or {}).get("metadata")
        if metadata and not str(metadata.get("type", "")).startswith("pulumi:"):
            for drift in _of_resource(metadata):
                drifts.setdefault((drift.urn, drift.path), drift)
    rank = {"dangerous": 0, "changed-by-hand": 1, "harmless": 2}
    return sorted(drifts.values(), key=lambda drift: (rank[drift.kind], drift.urn, drift.path))


def _of_resource(metadata: Mapping[str, Any]) -> Iterator[Drift]:
    urn, token = str(metadata["urn"]), str(metadata["type"])
    old, new = metadata.get("old") or {}, metadata.get("new")
    if not old:
        return
    if new is None or metadata.get("op") == "delete":
        kind, why = classify(token, GONE)
        yield Drift(urn=urn, kind=kind, path=GONE, was=old.get("id"), is_=None, why=why or "deleted by hand")
        return
    before, after = old.get("outputs") or {}, new.get("outputs") or {}
    declared = {FieldPath(path) for path in metadata.get("detailedDiff") or {}}
    for path, was, now in differences(before, after, FieldPath()):
        if path.startswith("__"):
            continue
        kind, why = classify(token, path)
        yield Drift(urn=urn, kind=kind, path=path, was=was, is_=now, why=why)
        declared = {place for place in declared if not _covers(place, path)}
    for path in sorted(declared):
        kind, why = classify(token, path)
        yield Drift(urn=urn, kind=kind, path=path, was=_at(before, path), is_=_at(after, path), why=why)


def differences(old: Any, new: Any, at: FieldPath) -> Iterator[tuple[FieldPath, Any, Any]]:
    """Yields the places that differ, with both values; a secret is never shown."""
    if _is_secret(old) or _is_secret(new):
        if old != new:
            yield at, "(secret)", "(secret)"
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}):
            yield from differences(old.get(key), new.get(key), at.key(str(key)))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (old_item, new_item) in enumerate(zip(old, new, strict=True)):
            yield from differences(old_item, new_item, at.item(index))
    elif old != new and not (_is_empty(old) and _is_empty(new)):
        yield at, old, new


def _is_secret(value: Any) -> bool:
    return value == "[secret]" or (isinstance(value, Mapping) and SECRET in value)


def _is_empty(value: Any) -> bool:
    """A service answers an absent value, an empty list or an empty mapping alike."""
    return value is None or value == [] or value == {} or value == ""


def _covers(path: FieldPath, other: FieldPath) -> bool:
    return path.within(other) or other.within(path)


def _at(value: Any, path: str) -> Any:
    for key in re.findall(r"[^.\[\]]+", path):
        if isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            value = value.get(key) if isinstance(value, Mapping) else None
    return value
