"""The environments that a stack may name: they decide the default severities of the rules."""

from __future__ import annotations

from typing import Literal, get_args

Environment = Literal["dev", "staging", "prod", "sandbox"]
ENVIRONMENTS: tuple[str, ...] = get_args(Environment)
