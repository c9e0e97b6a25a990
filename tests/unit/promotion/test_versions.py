"""The project says one version of itself, whoever asks."""

from __future__ import annotations

import importlib.metadata

from trainingjobs import __version__
from trainingjobs.operations.promotion.versions import versions
from trainingjobs.policy_pack.analyzer import VERSION as PACK


def test_one_version() -> None:
    assert versions()["project"] == importlib.metadata.version("trainingjobs") == __version__
    assert versions()["pack"] == PACK
