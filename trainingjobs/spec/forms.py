"""Strings of a form: the pattern, what it means to people, and an example of it, together at the type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

# The type of the error in pydantic's list.
FORM: Final = "form"


@dataclass(frozen=True, slots=True)
class Form:
    """What a string has to look like. `words` complete the sentence "… is needed"; `most` is its greatest length."""

    pattern: str
    words: str
    example: str
    most: int | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Returns the validator: a string first, then of this form."""
        form = core_schema.custom_error_schema(
            core_schema.str_schema(pattern=self.pattern),
            custom_error_type=FORM,
            custom_error_message=self.words,
            custom_error_context={"words": self.words, "example": self.example},
        )
        return core_schema.chain_schema([core_schema.str_schema(max_length=self.most), form])

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Returns the pattern for editors."""
        return {**handler(schema), "pattern": self.pattern}
