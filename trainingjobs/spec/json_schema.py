"""The JSON Schema of stacks/Pulumi.<stack>.yaml, made from the types; editors use it through the files' first line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from trainingjobs.spec.descriptions import EXAMPLES, WORDS
from trainingjobs.spec.provider_keys import ENDPOINT, NAMES
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS


def stack_file_schema(kinds: Sequence[str]) -> dict[str, Any]:
    """Returns the schema: `config` with our keys strict, the gcp provider's known, every other namespace free.

    `kinds` are the words that a job's kind may have.
    """
    schema = Stack.model_json_schema(by_alias=True, schema_generator=GenerateJsonSchema)
    schema["$defs"]["Job"]["properties"]["kind"]["anyOf"][0] = {"enum": list(kinds), "type": "string"}
    for name, part in {"Stack": schema, **schema.get("$defs", {})}.items():
        for key, body in part.get("properties", {}).items():
            _say(f"{name}.{key}", body)
    _close(schema)
    properties = {PATHS[name]: body for name, body in schema["properties"].items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A stack of the training project",
        "type": "object",
        "required": ["config"],
        "properties": {
            "config": {
                "type": "object",
                "required": [PATHS[name] for name in schema.get("required", [])],
                "properties": properties,
                "patternProperties": {"^(?!training:|gcp:)[^:]+:": {}, _of_the_provider(): {}},
                "additionalProperties": False,
            },
            "encryptionsalt": {"type": "string"},
            "secretsprovider": {"type": "string"},
            "encryptedkey": {"type": "string"},
            "environment": {},
        },
        "$defs": schema.get("$defs", {}),
    }


def _of_the_provider() -> str:
    return f"^gcp:({'|'.join(sorted(NAMES))}|[A-Za-z0-9]+{ENDPOINT})$"


def _say(place: str, body: dict[str, Any]) -> None:
    """Puts into a key's schema what the types leave unsaid, and leaves out what only repeats the key."""
    body.pop("title", None)
    if body.get("default", ...) is None:
        # Left out and null mean the same; editors would offer the word null.
        del body["default"]
    words, example = WORDS.get(place, ("", None))
    example = EXAMPLES.get(place, example)
    if words:
        body.setdefault("description", words)
    if example is not None:
        body.setdefault("examples", [example])


def _close(part: Any) -> None:
    """Makes a map with a pattern for its keys refuse all others: the types do, and JSON Schema does not by itself."""
    if isinstance(part, dict):
        if "patternProperties" in part:
            part.setdefault("additionalProperties", False)
        part = list(part.values())
    for inner in part if isinstance(part, list) else ():
        _close(inner)
