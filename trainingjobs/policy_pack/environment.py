"""The environment of a stack at the pack: what its configuration says, and whether anything says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trainingjobs.core.findings import Finding, schema_advice
from trainingjobs.facts.environment import read_environment
from trainingjobs.policy_pack.observe import INFRASTRUCTURE, observed_facts
from trainingjobs.policy_pack.protection import KEPT
from trainingjobs.spec.environments import ENVIRONMENTS

KEY = "training:environment"


def configured_environment(config: Mapping[str, str]) -> tuple[str | None, list[Finding]]:
    """Returns the environment of a stack's configuration, None where it says none, and what is wrong with it."""
    return read_environment(config.get(KEY), KEY)


def unsaid_environment(resources: Iterable[Any], environment: str | None) -> list[Finding]:
    """Returns one line of advice where neither the stack nor a resource that the rules judge by it says one."""
    if environment is not None:
        return []
    silent = sorted(resource.name for resource in resources if _is_silent(resource))
    if not silent:
        return []
    message = f"nothing says it, so {silent[0]} is judged by what holds outside of prod"
    return [schema_advice(KEY, message, f"set it to one of {', '.join(ENVIRONMENTS)}")]


def _is_silent(resource: Any) -> bool:
    if resource.type in KEPT or resource.type in INFRASTRUCTURE:
        return True
    observed = observed_facts(resource.type, resource.properties, None)
    return observed is not None and observed[0].environment is None
