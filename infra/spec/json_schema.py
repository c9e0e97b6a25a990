"""The JSON Schema of stacks/Pulumi.<stack>.yaml, made from the types; editors use it through the files' first line."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from infra.spec.keys import PATHS
from infra.spec.stack import Stack


def stack_file_schema() -> dict[str, Any]:
    """Returns the schema: `config` with our keys strict, every other namespace free."""
    schema = Stack.model_json_schema(by_alias=True, schema_generator=GenerateJsonSchema)
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
                "patternProperties": {"^(?!training:)[^:]+:": {}},
                "additionalProperties": False,
            },
            "encryptionsalt": {"type": "string"},
            "secretsprovider": {"type": "string"},
            "encryptedkey": {"type": "string"},
            "environment": {},
        },
        "$defs": schema.get("$defs", {}),
    }
