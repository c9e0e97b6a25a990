"""A job that misses its primary, its image or everything is rendered all the same: its faults are told elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from infra.cli.render import LANGUAGES, renderer
from infra.plan.plan import judged_job
from infra.spec.reading import read_job

CPU = {"machineType": "n1-standard-8"}
DOCUMENTS: list[dict[str, Any]] = [
    {},
    {"pools": {"workers": {**CPU, "replicaCount": 2}}},
    {"pools": {"primary": {"replicaCount": 1}}},
    {"baseOutputDirectory": {"outputUriPrefix": "gs://b"}, "pools": {"evaluators": CPU}},
    {"baseOutputDirectory": {"outputUriPrefix": "gs://b"}, "pools": {"primary": CPU}, "platform": "gke"},
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_is_not_there_breaks_nothing(language: str, document: dict[str, Any]) -> None:
    value = read_job(document).value
    assert value is not None
    body, findings = renderer(language)(judged_job("job", value)[0])
    assert body
    assert isinstance(findings, list)
