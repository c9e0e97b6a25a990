"""Pools and fields that were read from another language → a job document: what inheritance says anyway is left out."""

from __future__ import annotations

import re
from typing import Any

from trainingjobs import catalog
from trainingjobs.core.findings import not_carried
from trainingjobs.core.source import Node, pruned
from trainingjobs.spec.roles import ROLES, Role

RUNS = ("container", "pythonPackage")
FRAMEWORKS = ("tensorflow", "pytorch", "xgboost")
ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LABEL_KEY = re.compile(r"[a-z][a-z0-9_-]{0,62}")
LABEL_VALUE = re.compile(r"[a-z0-9_-]{0,63}")
DURATION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?s")

Pools = dict[Role, dict[str, Any]]


def job_document(fields: dict[str, Any], pools: Pools) -> dict[str, Any]:
    """Returns the document of a job. A pool has flat keys, `container` or `pythonPackage`, and its own replicaCount."""
    primary = pools.get("primary", {})
    runs = {key: primary[key] for key in RUNS if primary.get(key)}
    pool_documents: dict[str, Any] = {}
    for role in ROLES:
        if role in pools:
            pool = pruned(_pool(role, dict(pools[role]), primary, runs))
            # An empty pool is no pool.
            pool_documents[role] = {key: pool[key] for key in (*_POOL_FIRST, *pool) if key in pool} or {
                "replicaCount": 1
            }
    framework = fields.get("framework") or framework_of(runs)
    ordered = {**fields, "framework": framework, **runs, "pools": pool_documents}
    return pruned({key: ordered[key] for key in (*_FIRST, *ordered) if key in ordered})


_POOL_FIRST = ("machineType", "acceleratorType", "acceleratorCount", "replicaCount")
_FIRST = ("displayName", "platform", "kind", "framework", *RUNS, "pools")


def _pool(role: Role, pool: dict[str, Any], primary: dict[str, Any], runs: dict[str, Any]) -> dict[str, Any]:
    if role == "primary":
        return {key: value for key, value in pool.items() if key not in RUNS and (key, value) != ("replicaCount", 1)}
    if role != "reducers" and {key: pool[key] for key in RUNS if pool.get(key)} == runs:
        pool = {key: value for key, value in pool.items() if key not in RUNS}
    return _without_inheritance(pool, primary) if role == "workers" else pool


def _without_inheritance(pool: dict[str, Any], primary: dict[str, Any]) -> dict[str, Any]:
    """Returns workers that get nothing of the primary's that their source does not give them."""
    same_machine = pool.get("machineType") in (None, primary.get("machineType"))
    inherits = same_machine or catalog.attaches(pool["machineType"], primary.get("acceleratorType"))
    if inherits and primary.get("acceleratorCount") and not pool.get("acceleratorCount"):
        pool["acceleratorCount"] = 0
    if primary.get("bootDiskType") and not pool.get("bootDiskType"):
        pool["bootDiskType"] = catalog.default_boot_disk_type(pool.get("machineType") or "")
    if primary.get("bootDiskSizeGb") and not pool.get("bootDiskSizeGb"):
        pool["bootDiskSizeGb"] = catalog.DEFAULT_BOOT_DISK_GB
    return pool


def framework_of(runs: dict[str, Any]) -> str | None:
    """Returns the framework that a prebuilt image's URI names, None where nothing says it."""
    image = runs.get("container", {}).get("imageUri") or runs.get("pythonPackage", {}).get("executorImageUri")
    info = catalog.image_framework(image) if image else None
    return info.framework if info and info.framework in FRAMEWORKS else None


def environment(source: Node, key: str) -> dict[str, str]:
    """Returns the variables of a list of {name, value}; one that is no plain value is reported and left out."""
    variables: dict[str, str] = {}
    for entry in source.nodes(key):
        name, value = entry.text("name"), entry.take("value")
        text = entry.text("value") or ""
        if name is None or not ENV_NAME.fullmatch(name):
            entry.say(not_carried(entry.at("name"), f"{name or 'no name'} is no name of a variable"))
        elif value is None and len(entry.value) > 1:
            entry.say(not_carried(entry.path, f"the value of {name} comes from elsewhere", "write the value"))
        else:
            variables[name] = text
        entry.asked.add("valueFrom")
        entry.rest(strict=False)
    return variables


def labels(source: Node, key: str = "labels", skip: tuple[str, ...] = ()) -> dict[str, str]:
    """Returns the labels that a job may have; the others are reported."""
    result = {}
    inner = source.node(key)
    for name in inner.value:
        value = inner.text(name) or ""
        if name in skip:
            continue
        if LABEL_KEY.fullmatch(name) and LABEL_VALUE.fullmatch(value):
            result[name] = value
        else:
            inner.say(not_carried(inner.at(name), "Google's labels have lower-case letters, digits, _ and - only"))
    return result


def duration(source: Node, key: str) -> str | None:
    """Returns a duration in Vertex AI's form; another form is reported."""
    text = source.text(key)
    if text is None or DURATION.fullmatch(text):
        return text
    source.wrong(key, text, "seconds with the unit, as in 86400s,")
    return None


def output_directory(source: Node, key: str, prefix: str | None) -> dict[str, str] | None:
    """Returns a base output directory; one that is not in Cloud Storage is reported."""
    if prefix is None or re.match(r"gs://[a-z0-9]", prefix):
        return {"outputUriPrefix": prefix} if prefix else None
    source.say(not_carried(source.at(key), f"{prefix} is not in Cloud Storage", "name a gs:// folder"))
    return None
