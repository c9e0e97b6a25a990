"""The versions that a release is made with, and the release of a stack as it stands."""

from __future__ import annotations

import importlib.metadata

from trainingjobs import __version__
from trainingjobs.operations.promotion.order import Rules, read_rules
from trainingjobs.operations.promotion.release import Release, release_of
from trainingjobs.project.files import project, read_file
from trainingjobs.spec.stack import Stack


def versions() -> dict[str, str]:
    """Returns the versions of the engine's SDK (the engine is pinned to it), the policy pack and the project."""
    pack = read_file(project().root / "policies" / "PulumiPolicy.yaml").get("version")
    return {"engine": importlib.metadata.version("pulumi"), "pack": str(pack), "project": __version__}


def stack_release(stack: Stack, rules: Rules | None = None) -> Release:
    """Returns the release that a stack's configuration makes. Raises DocumentError for ill-formed rules."""
    return release_of(stack.jobs, versions(), rules or read_rules())
