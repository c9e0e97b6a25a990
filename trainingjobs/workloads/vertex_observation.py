"""A Vertex AI job's resource, by the properties that its provider was given → the facts that the rules judge."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trainingjobs.core.findings import Finding, schema_advice, schema_error, shown
from trainingjobs.core.numbers import whole
from trainingjobs.facts.environment import read_environment, stricter
from trainingjobs.facts.job import UNKNOWN, Declared, JobFacts, PoolFacts
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.spec.roles import POSITION
from trainingjobs.workloads.vertex_types import newer_fields

if TYPE_CHECKING:
    from trainingjobs.workloads.vertex import VertexWorkload

Properties = Mapping[str, Any]

OF_DOCUMENT = ("framework", "runtimeVersion", "useChiefInTfConfig")
# Facts of a job that a resource has outside of its body.
OUTSIDE_BODY = {
    "region": "location",
    **{key: f"document.{key}" for key in OF_DOCUMENT},
}
# The specification's own pattern: a resource's document is not checked before it comes here.
VERSION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}")


def observed_facts(
    kind: VertexWorkload, properties: Properties, environment: str | None, path: str | None = None
) -> tuple[JobFacts, list[Finding]]:
    """Returns the facts of a Vertex AI job and what is ill-formed in it.

    `path` says where its body stands, if not under the kind's own key. `environment` is the stack's: the stricter of it
    and the resource's own holds. The document adds what a body cannot hold: the framework, what is installed in an
    image, what AI Platform was told, and that a third pool with an image of the user's own is meant as reducers.
    """
    given, spec = properties.get("document"), properties.get(kind.spec_key)
    document, at_once = _mapping(given), properties.get("parallelTrialCount")
    region, framework = properties.get("location"), document.get("framework")
    own_environment, faults = read_environment(properties.get("environment"), "environment")
    facts, ill_formed = facts_of_body(
        UNKNOWN if spec is UNKNOWN else _mapping(spec),
        kind.spec_key if path is None else path,
        name=_text(properties.get("displayName")) or "",
        region=_text(region) or "us-central1",
        environment=stricter(own_environment, environment),
        framework=_text(framework),
        labels=properties.get("labels"),
    )
    unknown = {
        name
        for name, value in (
            ("region", region),
            ("parallelTrialCount", at_once),
            ("allowReplaceWhileRunning", properties.get("allowReplaceWhileRunning")),
            *((key, given) for key in OF_DOCUMENT),
            *((key, document.get(key)) for key in OF_DOCUMENT),
        )
        if value is UNKNOWN
    }
    trial_count, of_count = _trial_count(at_once)
    if of_count:
        unknown.add("parallelTrialCount")
    newer = [schema_advice(*field) for field in newer_fields(spec, "CustomJobSpec", facts.path)]
    pools = tuple(_with_document(pool, facts.pools[0], given) for pool in facts.pools)
    uses_chief = document.get("useChiefInTfConfig")
    with_document = replace(
        facts,
        kind=kind.kind,
        parallel_trials=trial_count,
        pools=pools,
        runtime_version=_version(document.get("runtimeVersion")),
        uses_chief=uses_chief if isinstance(uses_chief, bool) else None,
        allows_replacement=properties.get("allowReplaceWhileRunning") is True,
        unknown=facts.unknown | unknown,
    )
    return with_document, [*faults, *ill_formed, *of_count, *newer]


def place_in_resource(kind: VertexWorkload, path: str) -> str:
    """Returns where the resource holds what the body has no place for; `path` is within the body."""
    outside = OUTSIDE_BODY.get(path.removeprefix(f"{kind.spec_key}."))
    if outside is not None:
        return outside
    _, declares, rest = path.partition(".container.declares")
    return f"document{declares}{rest}" if declares else path


def _trial_count(value: Any) -> tuple[int, list[Finding]]:
    """Returns how many trials run at once, 1 where that is not said or not known, and what is wrong with the count."""
    count = whole(value)
    if value is None or value is UNKNOWN or (count is not None and count >= 1):
        return count or 1, []
    message = f"{shown(value, '')}; a whole number of 1 or more is needed"
    return 1, [schema_error("parallelTrialCount", message)]


def _with_document(pool: PoolFacts, primary: PoolFacts, given: Any) -> PoolFacts:
    document = _mapping(given)
    pools = _mapping(document.get("pools"))
    reducers = _mapping(pools.get("reducers"))
    if pool.position == POSITION["reducers"] and reducers and whole(reducers.get("replicaCount")) != 0:
        pool = replace(pool, role="reducers")
    is_said_later = UNKNOWN in (given, document.get("pools"), pools.get("reducers"))
    if pools and "role" in pool.unknown and not is_said_later:
        # The document says what the image of the body cannot say yet.
        pool = replace(pool, unknown=pool.unknown - {"role"})
    elif is_said_later and pool.role == "parameterServers" and not pool.gap:
        pool = replace(pool, unknown=pool.unknown | {"role"})
    if _is_declared_later(given, pool.role):
        pool = replace(pool, unknown=pool.unknown | {"container.declares"})
    # What runs what the primary runs is judged once, as in a document.
    is_same = pool is not primary and (pool.image, pool.args, pool.env) == (primary.image, primary.args, primary.env)
    inherited = pool.inherited | {"image"} if is_same else pool.inherited
    return replace(pool, declares=_declared(document, pool.role), inherited=inherited)


def _declared(document: Properties, role: str | None) -> Declared | None:
    """Returns what the document says of the image of a role, inherited as trainingjobs/plan/pools.py does."""
    pools = _mapping(document.get("pools"))
    container = _overlaid(document.get("container"), _mapping(pools.get("primary")).get("container"))
    if role != "primary":
        container = _overlaid(container, _mapping(pools.get(role or "")).get("container"))
    declares = container.get("declares")
    if not isinstance(declares, Mapping):
        return None
    packages = declares.get("packages")
    return Declared(
        tensorflow=_version(declares.get("tensorflow")),
        torch=_version(declares.get("torch")),
        nccl=_version(declares.get("nccl")),
        packages=tuple(map(str, packages)) if isinstance(packages, list) else None,
    )


def _is_declared_later(document: Any, role: str | None) -> bool:
    """Returns whether something that may say what is installed in the image of a role is not known yet."""
    pools = _mapping(document).get("pools")
    of_roles = [_mapping(pools).get(name) for name in ("primary", role or "")]
    containers = [_mapping(place).get("container") for place in (document, *of_roles)]
    declared = [_mapping(container).get("declares") for container in containers]
    return UNKNOWN in (document, pools, *of_roles, *containers, *declared)


def _overlaid(base: Any, override: Any) -> Properties:
    other_image = isinstance(override, Mapping) and "imageUri" in override
    return _mapping(override) if other_image else {**_mapping(base), **_mapping(override)}


def _mapping(value: Any) -> Properties:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _version(value: Any) -> str | None:
    return value if isinstance(value, str) and VERSION.fullmatch(value) else None
