"""What the engine tells of a resource → the facts that the rules judge, and what they find. One observer a type token.

A job is judged at the resource that submits it, whoever declares it: a component above it is not judged a second time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from infra.plan.body_facts import facts_of_body
from infra.plan.facts import UNKNOWN, Declared, JobFacts, PoolFacts
from infra.plan.gke_facts import cluster_facts, node_pool_facts
from infra.plan.infra_facts import ClusterFacts, NodePoolFacts
from infra.plan.roles import POSITION
from infra.plan.rules import judge
from infra.plan.rules.registry import Levels
from infra.problems import Finding, sort_findings
from infra.provider.values import from_scalar

Props = Mapping[str, Any]
Observer = Callable[[Props, str | None], tuple[JobFacts, list[Finding]]]

# How the engine marks a secret (sdk/v3/go/common/resource/properties.go).
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105
# Where each kind of job keeps its body.
SPECS = {
    "jobSpec": "customJob",
    "trialJobSpec": "hyperparameterTuningJob",
    "trainingTaskInputs": "trainingPipeline",
}
# Facts of a job that stand outside of its body.
ELSEWHERE = {
    f"{spec}.{key}": place
    for spec in SPECS
    for key, place in (
        ("region", "location"),
        *((key, f"document.{key}") for key in ("framework", "runtimeVersion", "useChiefInTfConfig")),
    )
}
# The specification's own pattern: a resource's document is not checked before it comes here.
VERSION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}")


def plain(struct: Any) -> dict[str, Any]:
    """Returns the properties as plain values: whole numbers as int, secrets unwrapped, UNKNOWN where not known yet."""
    return {key: _plain(value) for key, value in struct.fields.items()}


def inside_secret(value: Any) -> Any:
    """Returns a property's value itself where the engine sends it as a secret, else the value."""
    fields = value.struct_value.fields if value.WhichOneof("kind") == "struct_value" else {}
    is_secret = SIGNATURE in fields and fields[SIGNATURE].string_value == SECRET
    return inside_secret(fields["value"]) if is_secret else value


def _plain(value: Any) -> Any:
    value = inside_secret(value)
    kind = value.WhichOneof("kind")
    if kind == "struct_value":
        return plain(value.struct_value)
    if kind == "list_value":
        return [_plain(item) for item in value.list_value.values]
    return from_scalar(value)


def judged(token: str, struct: Any, levels: Levels, environment: str | None) -> list[Finding]:
    """Returns what the rules find in a resource, sorted; nothing in one of a type that no rule judges.

    `environment` is the stack's, for a resource that says none of its own. What is not known yet is advice.
    """
    if token in GROUND:
        return judge(GROUND[token](plain(struct), environment), levels, say_unknown=True)
    observer = OBSERVERS.get(token)
    if observer is None:
        return []
    facts, ill_formed = observer(plain(struct), environment)
    said = {finding.path for finding in ill_formed}
    found = [one for one in judge(facts, levels, say_unknown=True) if one.severity == "error" or one.path not in said]
    return sort_findings([*ill_formed, *(replace(one, path=_place(one.path)) for one in found)])


def vertex_job(props: Props, environment: str | None, spec: str) -> tuple[JobFacts, list[Finding]]:
    """Returns the facts of a Vertex AI job and what is ill-formed in it; `spec` is the property that holds its pools.

    The document adds what a body cannot hold: the framework, what is installed in an image, what AI Platform was told,
    and that a third pool with an image of the user's own is meant as reducers.
    """
    document, at_once = _mapping(props.get("document")), props.get("parallelTrialCount")
    region, own, framework = props.get("location"), props.get("environment"), document.get("framework")
    facts, ill_formed = facts_of_body(
        _mapping(props.get(spec)),
        spec,
        name=_text(props.get("displayName")) or "",
        region=_text(region) or "us-central1",
        environment=_text(own) or environment,
        framework=_text(framework),
        labels=props.get("labels"),
    )
    unknown = {
        name
        for name, value in (
            ("workerPoolSpecs", props.get(spec)),
            ("region", region),
            ("framework", props.get("document")),
            ("framework", framework),
            ("parallelTrialCount", at_once),
        )
        if value is UNKNOWN
    }
    pools = tuple(_with_document(pool, facts.pools[0], document) for pool in facts.pools)
    uses_chief = document.get("useChiefInTfConfig")
    with_document = replace(
        facts,
        kind=SPECS[spec],
        parallel_trials=at_once if isinstance(at_once, int) and at_once > 0 else 1,
        pools=pools,
        runtime_version=_version(document.get("runtimeVersion")),
        uses_chief=uses_chief if isinstance(uses_chief, bool) else None,
        allows_replacement=props.get("allowReplaceWhileRunning") is True,
        unknown=facts.unknown | unknown,
    )
    return with_document, ill_formed


# Type token → the property that holds its pools.
SPEC_OF = {
    "trainingjobs:vertex:CustomJob": "jobSpec",
    "trainingjobs:vertex:HyperparameterTuningJob": "trialJobSpec",
    "trainingjobs:vertex:TrainingPipeline": "trainingTaskInputs",
}
OBSERVERS: dict[str, Observer] = {token: partial(vertex_job, spec=spec) for token, spec in SPEC_OF.items()}

# What jobs on GKE stand on.
GROUND: dict[str, Callable[[Props, str | None], NodePoolFacts | ClusterFacts]] = {
    "gcp:container/cluster:Cluster": cluster_facts,
    "gcp:container/nodePool:NodePool": node_pool_facts,
}


def observed_job(token: str, struct: Any, environment: str | None) -> tuple[JobFacts, Any] | None:
    """Returns the facts of a resource that submits a job with its property `limits`, None for any other."""
    observer = OBSERVERS.get(token)
    if observer is None:
        return None
    props = plain(struct)
    return observer(props, environment)[0], props.get("limits")


def _with_document(pool: PoolFacts, primary: PoolFacts, document: Props) -> PoolFacts:
    pools = _mapping(document.get("pools"))
    reducers = _mapping(pools.get("reducers"))
    if pool.position == POSITION["reducers"] and reducers and reducers.get("replicaCount") != 0:
        pool = replace(pool, role="reducers")
    if pools and "role" in pool.unknown:
        # The document says what the image of the body cannot say yet.
        pool = replace(pool, unknown=pool.unknown - {"role"})
    # What runs what the primary runs is judged once, as in a document.
    same = pool is not primary and (pool.image, pool.args, pool.env) == (primary.image, primary.args, primary.env)
    inherited = pool.inherited | {"image"} if same else pool.inherited
    return replace(pool, declares=_declared(document, pool.role), inherited=inherited)


def _declared(document: Props, role: str | None) -> Declared | None:
    """Returns what the document says of the image of a role, inherited as infra/plan/pools.py does."""
    pools = _mapping(document.get("pools"))
    said = _overlaid(document.get("container"), _mapping(pools.get("primary")).get("container"))
    if role != "primary":
        said = _overlaid(said, _mapping(pools.get(role or "")).get("container"))
    declares = said.get("declares")
    if not isinstance(declares, Mapping):
        return None
    packages = declares.get("packages")
    return Declared(
        tensorflow=_version(declares.get("tensorflow")),
        torch=_version(declares.get("torch")),
        nccl=_version(declares.get("nccl")),
        packages=tuple(map(str, packages)) if isinstance(packages, list) else None,
    )


def _overlaid(base: Any, own: Any) -> Props:
    other_image = isinstance(own, Mapping) and "imageUri" in own
    return _mapping(own) if other_image else {**_mapping(base), **_mapping(own)}


def _place(path: str) -> str:
    """Returns where the resource holds what the body has no place for."""
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    head, declares, rest = path.partition(".container.declares")
    return f"document{declares}{rest}" if declares and head.partition(".")[0] in SPECS else path


def _mapping(value: Any) -> Props:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _version(value: Any) -> str | None:
    return value if isinstance(value, str) and VERSION.fullmatch(value) else None
