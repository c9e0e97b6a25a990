"""What a resource looks like from outside: its place, its id and its outputs, from its inputs and the settings."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from sandbox.gcp import schema
from sandbox.gcp.compute_types import number
from sandbox.gcp.errors import CloudError
from sandbox.gcp.provider_settings import Settings
from sandbox.gcp.resource_type import Kind, fill
from sandbox.gcp.values import UNKNOWN, Secret, has_unknown, reveal

PLACES = ("project", "region", "zone", "location")
# Outputs that change whenever the resource does: an update's preview cannot know them.
VOLATILE = frozenset(
    {"etag", "fingerprint", "labelFingerprint", "metadataFingerprint", "tagsFingerprint", "updateTime", "updated"}
)
CREATED = frozenset({"createTime", "creationTimestamp", "timeCreated"})
NUMBERS = re.compile(r"numericId|uniqueId|(address|instance|instanceGroupManager|network|subnetwork)Id")
LABELS = frozenset({"effectiveLabels", "pulumiLabels"})


def places_of(kind: Kind) -> tuple[str, ...]:
    """Return the places of a resource type that the settings can fill in."""
    return tuple(
        place
        for place in PLACES
        if place in kind.fields or (place == "project" and place in schema.input_kinds(kind.type))
    )


def located(kind: Kind, inputs: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the inputs with the places that the user left out: from the owner's id, then from the settings."""
    properties: dict[str, Any] = dict(inputs)
    owner = properties.get(kind.owner) if kind.owner else None
    if isinstance(owner, Secret):
        owner = owner.value
    for place in places_of(kind):
        if not properties.get(place):
            match = re.search(rf"\b{place}s/([^/]+)/", owner) if isinstance(owner, str) else None
            value = match[1] if match else _setting(kind, place, settings)
            if owner is UNKNOWN:
                value = UNKNOWN
            if value:
                properties[place] = value
        elif isinstance(properties[place], str):
            properties[place] = properties[place].rpartition("/")[2]
    return properties


def _setting(kind: Kind, place: str, settings: Settings) -> str:
    if place == "location":
        # GKE takes the zone first, everything else the region.
        places = (settings.zone, settings.region) if ":container/" in kind.type else (settings.region, settings.zone)
        return places[0] or places[1]
    return str(getattr(settings, place))


def effective(kind: Kind, inputs: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the inputs with places and defaults, without `__defaults`."""
    user_inputs = {key: value for key, value in inputs.items() if key != "__defaults" and value is not None}
    return {**kind.defaults, **located(kind, user_inputs, settings)}


def id_of(kind: Kind, properties: dict[str, Any]) -> str | None:
    """Return the resource's id, None where a part of it is unknown; CloudError where a part is missing."""
    plain = reveal({key: properties.get(key) for key in (*kind.fields, "condition")})
    for key in kind.fields:
        if plain[key] is None:
            raise CloudError(f"{key}: required field is not set; set it on the resource or as gcp:{key}")
    if has_unknown(plain):
        return None
    condition = plain["condition"]
    return fill(kind.id, plain) + (f"/{condition['title']}" if isinstance(condition, dict) else "")


def outputs(kind: Kind, properties: dict[str, Any], settings: Settings, created: str, now: str) -> dict[str, Any]:
    """Return all properties of a resource that exists, from its effective and known inputs."""
    plain = reveal(properties)
    id = id_of(kind, plain)
    kinds = schema.output_kinds(kind.type)
    digest = hashlib.sha256(json.dumps([id, plain], sort_keys=True).encode()).digest()
    computed: dict[str, Any] = {key: fill(text, plain) for key, text in kind.texts.items()}
    for key, kind_of_value in kinds.items():
        if key == "selfLink":
            computed[key] = f"{kind.link}{id}"
        elif key in LABELS:
            computed[key] = labels(plain, settings)
        elif key in CREATED:
            computed[key] = created
        elif key in VOLATILE:
            computed[key] = now if key.startswith("update") else base64.b64encode(digest[:9]).decode()
        elif NUMBERS.fullmatch(key):
            computed[key] = number(str(id), 15) if kind_of_value == "n" else str(number(str(id)))
    return {**properties, **computed, **kind.more(plain)}


def labels(plain: dict[str, Any], settings: Settings) -> dict[str, str]:
    """Return the labels that the resource has in the end: the provider's, Pulumi's mark, and its own."""
    attribution = {"goog-pulumi-provisioned": "true"} if settings.attribution else {}
    resource_labels = plain.get("labels") or plain.get("resourceLabels") or {}
    return {**attribution, **settings.labels, **resource_labels}


def previewed(
    kind: Kind, properties: dict[str, Any], olds: dict[str, Any] | None, settings: Settings
) -> dict[str, Any]:
    """Return the outputs of a preview: what only the service sets is unknown, but an update keeps what it has."""
    computed: dict[str, Any] = {}
    for key in schema.output_kinds(kind.type):
        if key in LABELS and not has_unknown(properties.get("labels", properties.get("resourceLabels"))):
            computed[key] = labels(reveal(properties), settings)
        elif olds is None or key in VOLATILE | LABELS:
            computed[key] = UNKNOWN
        elif key in olds:
            computed[key] = olds[key]
    return {**properties, **computed}
