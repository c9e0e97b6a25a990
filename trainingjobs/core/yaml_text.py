"""A document as YAML that every reader takes for what it is: strings that look like numbers or words are quoted."""

from __future__ import annotations

import re
from typing import Any

import yaml

# What a reader of YAML 1.1 or 1.2 may take for something else than a string.
AMBIGUOUS = re.compile(r"^([-+.]?[0-9].*|[-+.].*|~|null|true|false|yes|no|on|off|y|n|\.inf|\.nan)?$", re.IGNORECASE)


class _Dumper(yaml.SafeDumper):
    """Writes no anchors: a document that says a thing twice is read by people."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 (the signature is PyYAML's)
        return True


def _string(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = '"' if AMBIGUOUS.match(value) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _string)


def yaml_text(document: dict[str, Any]) -> str:
    """Returns the document as YAML, keys in their own order."""
    text: str = yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text
