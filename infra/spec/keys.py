"""The keys of a stack file (`gcp:project`, `training:jobs` …) and the fields of the specification that they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.alias_generators import to_camel

from infra.spec.stack import Stack
from infra.spec.text import DocumentError

GCP = {"project": "gcp:project", "region": "gcp:region"}
# Where a field of the specification stands in a stack file.
PATHS = {name: GCP.get(name, f"training:{name}") for name in map(to_camel, Stack.model_fields)}
FIELDS = {key: field for field, key in PATHS.items()}


def stack_document(stack_file: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the specification's document out of a stack file's; other namespaces than ours are not ours to judge.

    Raises DocumentError where the file has no mapping under `config`.
    """
    config = stack_file.get("config")
    if not isinstance(config, Mapping):
        raise DocumentError("config is missing; a stack file has its keys under `config:`", "add config:", "config")
    return specification(config)


def specification(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that stand under the `gcp:` and `training:` keys; an unknown `training:` key stays."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        if key in FIELDS:
            found[FIELDS[key]] = value
        elif key.startswith("training:"):
            found[key] = value
    return found
