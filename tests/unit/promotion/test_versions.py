"""The project says one version of itself, whoever asks."""

from __future__ import annotations

import tomllib
from pathlib import Path

from infra.promotion.versions import versions
from infra.version import VERSION
from policies.analyzer import VERSION as PACK

ROOT = Path(__file__).resolve().parents[3]


def test_one_version() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION
    assert versions()["project"] == VERSION
    assert versions()["pack"] == PACK
