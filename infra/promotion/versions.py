"""The versions that a release is made with, and the release of a stack as it stands."""

from __future__ import annotations

import importlib.metadata

from infra.project_files import ROOT, read_file
from infra.promotion.release import Release, release_of
from infra.promotion.rules import Rules, read_rules
from infra.spec.stack import Stack
from infra.version import VERSION


def versions() -> dict[str, str]:
    """Returns the versions of the engine's SDK (the engine is pinned to it), the policy pack and the project."""
    pack = read_file(ROOT / "policies" / "PulumiPolicy.yaml").get("version")
    return {"engine": importlib.metadata.version("pulumi"), "pack": str(pack), "project": VERSION}


def stack_release(stack: Stack, rules: Rules | None = None) -> Release:
    """Returns the release that a stack's configuration makes. Raises DocumentError for ill-formed rules."""
    return release_of(stack.jobs, versions(), rules or read_rules())
