"""A Vertex AI job's resource, by the properties that its provider was given → the facts that the rules judge."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trainingjobs.core.findings import Finding
from trainingjobs.facts.job import UNKNOWN, Declared, JobFacts, PoolFacts
from trainingjobs.facts.vertex_body import facts_of_body
from trainingjobs.spec.roles import POSITION

if TYPE_CHECKING:
    from trainingjobs.workloads.vertex import VertexWorkload

Properties = Mapping[str, Any]

# Facts of a job that a resource has outside of its body.
OUTSIDE_BODY = {
    "region": "location",
    **{key: f"document.{key}" for key in ("framework", "runtimeVersion", "useChiefInTfConfig")},
}
# The specification's own pattern: a resource's document is not checked before it comes here.
VERSION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}")


def observed_facts(
    kind: VertexWorkload, properties: Properties, environment: str | None
) -> tuple[JobFacts, list[Finding]]:
    """Returns the facts of a Vertex AI job and what is ill-formed in it.

    The document adds what a body cannot hold: the framework, what is installed in an image, what AI Platform was told,
    and that a third pool with an image of the user's own is meant as reducers.
    """
    document, at_once = _mapping(properties.get("document")), properties.get("parallelTrialCount")
    region, own_environment, framework = (
        properties.get("location"),
        properties.get("environment"),
        document.get("framework"),
    )
    facts, ill_formed = facts_of_body(
        _mapping(properties.get(kind.spec_key)),
        kind.spec_key,
        name=_text(properties.get("displayName")) or "",
        region=_text(region) or "us-central1",
        environment=_text(own_environment) or environment,
        framework=_text(framework),
        labels=properties.get("labels"),
    )
    unknown = {
        name
        for name, value in (
            ("workerPoolSpecs", properties.get(kind.spec_key)),
            ("region", region),
            ("framework", properties.get("document")),
            ("framework", framework),
            ("parallelTrialCount", at_once),
        )
        if value is UNKNOWN
    }
    pools = tuple(_with_document(pool, facts.pools[0], document) for pool in facts.pools)
    uses_chief = document.get("useChiefInTfConfig")
    with_document = replace(
        facts,
        kind=kind.kind,
        parallel_trials=at_once if isinstance(at_once, int) and at_once > 0 else 1,
        pools=pools,
        runtime_version=_version(document.get("runtimeVersion")),
        uses_chief=uses_chief if isinstance(uses_chief, bool) else None,
        allows_replacement=properties.get("allowReplaceWhileRunning") is True,
        unknown=facts.unknown | unknown,
    )
    return with_document, ill_formed


def place_in_resource(kind: VertexWorkload, path: str) -> str:
    """Returns where the resource holds what the body has no place for; `path` is within the body."""
    outside = OUTSIDE_BODY.get(path.removeprefix(f"{kind.spec_key}."))
    if outside is not None:
        return outside
    _, declares, rest = path.partition(".container.declares")
    return f"document{declares}{rest}" if declares else path


def _with_document(pool: PoolFacts, primary: PoolFacts, document: Properties) -> PoolFacts:
    pools = _mapping(document.get("pools"))
    reducers = _mapping(pools.get("reducers"))
    if pool.position == POSITION["reducers"] and reducers and reducers.get("replicaCount") != 0:
        pool = replace(pool, role="reducers")
    if pools and "role" in pool.unknown:
        # The document says what the image of the body cannot say yet.
        pool = replace(pool, unknown=pool.unknown - {"role"})
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


def _overlaid(base: Any, override: Any) -> Properties:
    other_image = isinstance(override, Mapping) and "imageUri" in override
    return _mapping(override) if other_image else {**_mapping(base), **_mapping(override)}


def _mapping(value: Any) -> Properties:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _version(value: Any) -> str | None:
    return value if isinstance(value, str) and VERSION.fullmatch(value) else None
