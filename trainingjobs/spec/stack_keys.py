"""The keys of a stack file (`gcp:project`, `training:jobs` …) and the fields of the specification that they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic.alias_generators import to_camel

from trainingjobs.core.documents import DocumentError
from trainingjobs.core.findings import Finding, did_you_mean, quote, schema_error
from trainingjobs.spec.provider_keys import is_provider_key
from trainingjobs.spec.stack import Stack

GCP = {"project": "gcp:project", "region": "gcp:region"}
# Where a field of the specification stands in a stack file.
PATHS = {name: GCP.get(name, f"training:{name}") for name in map(to_camel, Stack.model_fields)}
FIELDS = {key: field for field, key in PATHS.items()}
# Those of Pulumi's own stack files (pulumi/pulumi, sdk/go/common/workspace/project.go, ProjectStack).
FILE_KEYS = ("config", "secretsprovider", "encryptedkey", "encryptionsalt", "environment")
NAMESPACES = ("gcp", "training")
NAMES = tuple(key.partition(":")[2] for key in FIELDS)


def beside_config(stack_file: Mapping[str, Any]) -> Iterator[Finding]:
    """Yields an error for each key beside `config` that is not Pulumi's: the engine passes over it in silence."""
    for key in stack_file:
        if key not in FILE_KEYS:
            nearest = did_you_mean(key, FILE_KEYS)
            fix = f"did you mean {nearest}?" if nearest else "keys of ours stand under config:, as training:jobs"
            yield schema_error(quote(key), f"no such key; allowed here: {', '.join(FILE_KEYS)}", fix)


def stack_document(stack_file: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the specification's document out of a stack file's; the keys of other packages are not ours to judge.

    Raises DocumentError where the file has no mapping under `config`.
    """
    config = stack_file.get("config")
    if config is None and "config" in stack_file:
        raise DocumentError(
            "config is empty", f"give it keys: {', '.join(GCP.values())}, training:environment …", "config"
        )
    if not isinstance(config, Mapping):
        raise DocumentError("config is missing; a stack file has its keys under `config:`", "add config:", "config")
    return specification(config)


def specification(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that stand under the `gcp:` and `training:` keys.

    A key that is misspelt stays, so that the reading finds it: one under `training:` or `gcp:` that neither we nor the
    provider know, one of ours under a namespace that is nearly ours, and one without any, as `config.KEY`.
    """
    fields: dict[str, Any] = {}
    for key, value in config.items():
        if key in FIELDS:
            fields[FIELDS[key]] = value
        elif not is_provider_key(key) and _is_meant_for_us(key):
            # Without a namespace it would be taken for the field of that name.
            fields[key if ":" in key else f"config.{key}"] = value
    return fields


def _is_meant_for_us(key: str) -> bool:
    namespace, colon, name = key.partition(":")
    if not colon or namespace in NAMESPACES:
        return True
    return did_you_mean(namespace, NAMESPACES) is not None and did_you_mean(name, NAMES) is not None
