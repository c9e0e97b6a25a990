"""A Vertex CustomJobSpec body, ours or anybody's, as the facts that rules judge.

Lenient in what Google's JSON allows (numbers as strings, integral floats, snake_case keys); anything else is a finding
of rule `schema`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from trainingjobs import catalog
from trainingjobs.core.findings import Finding, schema_error, shown
from trainingjobs.core.numbers import whole
from trainingjobs.core.paths import FieldPath
from trainingjobs.facts.job import BODY_KEYS, MOST_POOLS, POOL_FIELDS, UNKNOWN, Declared, JobFacts, PoolFacts, Unknown
from trainingjobs.facts.pool_reader import PoolReader
from trainingjobs.facts.reduction_server import is_meant_as_reducers
from trainingjobs.spec.roles import MAX_POOLS, POSITION, ROLES, Role

ROLE_AT: dict[int, Role] = {0: "primary", 1: "workers", 2: "parameterServers", 3: "evaluators"}
MACHINE_FIELDS = (
    *("machineType", "acceleratorType", "acceleratorCount"),
    *("reservationAffinity", "reservationAffinity.values"),
)
DURATION = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?s")


def camel(key: str) -> str:
    """Returns a proto field's JSON name: snake_case is accepted on input as Google's JSON parser does."""
    if "_" not in key:
        return key
    head, *rest = key.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def camel_keys(value: Any, free: bool = False) -> Any:
    """Returns a body with camelCase keys; keys of labels are the user's own and stay."""
    if isinstance(value, Mapping):
        return {
            (key if free or not isinstance(key, str) else camel(key)): camel_keys(item, free=key == "labels")
            for key, item in value.items()
        }
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [camel_keys(item) for item in value]
    return value


def doubled_keys(value: Any, path: str = "", free: bool = False) -> list[Finding]:
    """Returns an error for each key of a body that stands there in both spellings: one would silently win."""
    findings = []
    if isinstance(value, Mapping):
        names = [key for key in value if isinstance(key, str)]
        for key in names if not free else ():
            other = camel(key)
            if other != key and other in value:
                at = FieldPath(path) / key
                findings.append(
                    schema_error(at, f"stands beside {other}, which is the same key", "keep one of the two")
                )
        for key in names:
            findings += doubled_keys(value[key], FieldPath(path) / key, free=key == "labels")
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for index, item in enumerate(value):
            findings += doubled_keys(item, FieldPath(path).item(index))
    return findings


def is_placeholder(pool: object) -> bool:
    """Returns whether a worker pool is {} to the service: without fields, or with what says nothing in its JSON."""
    return isinstance(pool, Mapping) and all(
        value is None or (camel(key) == "replicaCount" and whole(value) == 0) for key, value in pool.items()
    )


def facts_of_body(
    job_spec: Mapping[str, Any] | Unknown,
    path: str = "jobSpec",
    *,
    around: str = "",
    name: str = "",
    region: str = "us-central1",
    environment: str | None = None,
    framework: str | None = None,
    declares: Declared | None = None,
    labels: Any = UNKNOWN,
) -> tuple[JobFacts, list[Finding]]:
    """Returns the facts of a body and what is ill-formed in it. Framework and declares are None where nothing says.

    A body that is not known has every key unknown. `around` is the place of what holds the body. `labels` are those of
    the CustomJob around it; left out: not known.
    """
    if isinstance(job_spec, Unknown):
        job_spec = dict.fromkeys(BODY_KEYS, UNKNOWN)
    spec = camel_keys(job_spec)
    pool_specs = spec.get("workerPoolSpecs")
    at = FieldPath(path) / "workerPoolSpecs"
    findings = doubled_keys(job_spec, path)
    unknown: set[str] = set()
    if isinstance(pool_specs, Unknown):
        unknown.add("workerPoolSpecs")
        pool_specs = []
    elif not isinstance(pool_specs, list):
        if pool_specs is not None:
            findings.append(schema_error(at, f"{shown(pool_specs, '')}; a list of worker pools is needed"))
            unknown.add("workerPoolSpecs")
        pool_specs = []
    pools: list[PoolFacts] = []
    for position, pool in enumerate(_used(pool_specs)):
        pool_facts, pool_findings = _pool(pool, position, at.item(position), declares)
        pools.append(_meant(pool_facts, pools[0].image if pools else None))
        findings += pool_findings
    scheduling = spec.get("scheduling") if isinstance(spec.get("scheduling"), Mapping) else {}
    unknown |= {f"scheduling.{key}" for key, value in scheduling.items() if isinstance(value, Unknown)}
    known_labels, unknown_labels = _labels(labels)
    unknown |= unknown_labels
    account = spec.get("serviceAccount")
    facts = JobFacts(
        name=name,
        path=path,
        around=around,
        form="body",
        framework=framework,
        region=region,
        environment=environment,
        pools=tuple(pools),
        service_account=account if isinstance(account, str) and account else None,
        strategy=_text(scheduling.get("strategy")),
        restarts=scheduling.get("restartJobOnWorkerRestart") is True,
        timeout=_seconds(scheduling.get("timeout")),
        labels=known_labels,
        has_output=bool(spec.get("baseOutputDirectory")),
        unknown=frozenset(unknown | {key for key, value in spec.items() if isinstance(value, Unknown)}),
    )
    return facts, findings


def _used(pool_specs: list[Any]) -> list[Any]:
    """Returns the pools without trailing placeholders: up to four are fine, in a longer list each has a place."""
    last = max((i for i, pool in enumerate(pool_specs) if not is_placeholder(pool)), default=0)
    return pool_specs[: last + 1] if len(pool_specs) <= MAX_POOLS else pool_specs[:MOST_POOLS]


def _meant(pool: PoolFacts, primary_image: str | None) -> PoolFacts:
    """Returns the pool as reducers where it runs a copy of the reduction server under another name."""
    may_have_accelerators = bool(
        pool.accelerator_count
        or pool.unknown & {"machineType", "acceleratorCount"}
        or catalog.built_in_accelerators(pool.machine_type or "")
    )
    is_reducers = is_meant_as_reducers(
        pool.image, primary_image, position=pool.position, has_accelerators=may_have_accelerators
    )
    return replace(pool, role=ROLES[3]) if is_reducers else pool


def _labels(labels: Any) -> tuple[dict[str, str], set[str]]:
    if isinstance(labels, Unknown):
        return {}, {"labels"}
    entries = labels if isinstance(labels, Mapping) else {}
    missing = {f"labels.{key}" for key, value in entries.items() if isinstance(value, Unknown)}
    return {key: value for key, value in entries.items() if isinstance(value, str)}, missing


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _seconds(value: Any) -> float | None:
    """Returns a duration's seconds, None for what is none: the service or the provider's check refuses that."""
    return float(value[:-1]) if isinstance(value, str) and DURATION.fullmatch(value) else None


def _pool(pool: Any, position: int, path: FieldPath, declares: Declared | None) -> tuple[PoolFacts, list[Finding]]:
    role: Role | None = ROLE_AT.get(position)
    if pool is None:
        return PoolFacts(role=role, position=position, path=path, form="body", gap="null"), []
    if isinstance(pool, Unknown):
        unknown = POOL_FIELDS | {"role"} if position == POSITION["reducers"] else POOL_FIELDS
        return PoolFacts(role=role, position=position, path=path, form="body", unknown=unknown), []
    if not isinstance(pool, Mapping):
        finding = schema_error(path, f"{shown(pool, '')}; an object is needed")
        return PoolFacts(role=role, position=position, path=path, form="body", unknown=POOL_FIELDS), [finding]
    if not pool or (position and is_placeholder(pool)):
        return PoolFacts(role=role, position=position, path=path, form="body", gap="empty"), []
    reader = PoolReader(path)
    count = reader.integer(pool, "replicaCount", "replicaCount", "replicaCount")
    machine = reader.section(pool, "machineSpec", *MACHINE_FIELDS)
    disk = reader.section(pool, "diskSpec", "bootDiskType", "bootDiskSizeGb")
    container = reader.section(pool, "containerSpec", "container.imageUri", "container.env", "container.args")
    package = reader.section(pool, "pythonPackageSpec", "container.imageUri", "container.env", "container.args")
    image = reader.text(container, "imageUri", "containerSpec.imageUri", "container.imageUri") or reader.text(
        package, "executorImageUri", "pythonPackageSpec.executorImageUri", "container.imageUri"
    )
    if position == POSITION["reducers"] and "container.imageUri" in reader.unknown:
        reader.unknown.add("role")
    runs = container or package
    affinity = reader.section(machine, "reservationAffinity", "reservationAffinity", "reservationAffinity.values")
    values = affinity.get("values")
    if isinstance(values, Unknown):
        reader.unknown.add("reservationAffinity.values")
    facts = PoolFacts(
        role=role,
        position=position,
        path=path,
        form="body",
        replica_count=count,
        machine_type=reader.text(machine, "machineType", "machineSpec.machineType", "machineType"),
        accelerator_type=_accelerator(
            reader.text(machine, "acceleratorType", "machineSpec.acceleratorType", "acceleratorType")
        ),
        accelerator_count=reader.integer(
            machine, "acceleratorCount", "machineSpec.acceleratorCount", "acceleratorCount"
        ),
        boot_disk_type=reader.text(disk, "bootDiskType", "diskSpec.bootDiskType", "bootDiskType"),
        boot_disk_size_gb=reader.integer(disk, "bootDiskSizeGb", "diskSpec.bootDiskSizeGb", "bootDiskSizeGb") or None,
        image=image,
        is_python_package=bool(package),
        env=_environment(runs, reader),
        args=_arguments(runs, reader),
        declares=declares,
        reservation=reader.text(
            affinity,
            "reservationAffinityType",
            "machineSpec.reservationAffinity.reservationAffinityType",
            "reservationAffinity",
        ),
        reservation_values=tuple(map(str, values)) if isinstance(values, list) else (),
        gap="fields" if not count and "replicaCount" not in reader.unknown else "",
        unknown=frozenset(reader.unknown),
    )
    return facts, reader.findings


def _accelerator(name: str | None) -> str | None:
    return None if name == "ACCELERATOR_TYPE_UNSPECIFIED" else name


def _environment(runs: Mapping[str, Any], reader: PoolReader) -> dict[str, str]:
    entries = runs.get("env") or []
    if isinstance(entries, Unknown):
        reader.unknown.add("container.env")
        return {}
    variables = {}
    for entry in entries if isinstance(entries, list) else []:
        fields = entry if isinstance(entry, Mapping) else {"name": entry}
        if any(isinstance(fields.get(key), Unknown) for key in ("name", "value")):
            reader.unknown.add("container.env")
        name, value = fields.get("name"), fields.get("value")
        if isinstance(entry, Mapping) and isinstance(name, str | Unknown):
            # A value is judged by its form although nothing says yet what it is called.
            variables[name if isinstance(name, str) else ""] = value if isinstance(value, str) else ""
    return variables


def _arguments(runs: Mapping[str, Any], reader: PoolReader) -> tuple[str, ...]:
    words = [word for key in ("command", "args") for word in _listed(runs.get(key), reader)]
    if any(isinstance(word, Unknown) for word in words):
        reader.unknown.add("container.args")
    return tuple(word for word in words if isinstance(word, str))


def _listed(value: Any, reader: PoolReader) -> list[Any]:
    if value is UNKNOWN:
        reader.unknown.add("container.args")
    return value if isinstance(value, list) else []
