"""Hostile documents: whatever is in them, the answer is findings, never a traceback, and soon."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.mutation import KEYS, STARTS, body, mutated, one_case
from tests.unit.jobs import gpu_job
from trainingjobs.convert.recognise import to_job_document
from trainingjobs.core.documents import DocumentError, parse_document
from trainingjobs.core.findings import render_findings
from trainingjobs.judge.documents import judge
from trainingjobs.judge.judgement import Source
from trainingjobs.judge.stacks import judge_stack
from trainingjobs.rules import structural_findings
from trainingjobs.spec.reading import read_model
from trainingjobs.spec.stack import Stack
from trainingjobs.spec.stack_keys import PATHS, specification

PLATFORMS = ["vertex", "gke", "kubernetes"]
CONVERTED = {"body": "custom-job", "ai-platform": "ai-platform", "tfjob": "tfjob"}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("part", range(4))
def test_mutated_documents_give_findings(start: str, part: int) -> None:
    for number in range(part * 1000, part * 1000 + 1000):
        document = mutated(STARTS[start](), number)
        if number % 3 == 0 and start == "job":
            document["platform"] = PLATFORMS[number % len(PLATFORMS)]
        with one_case(start, number, document):
            judged = judge(document, Source(name="job", label="file"))
            assert len(render_findings(judged.findings)) < 20_000


@pytest.mark.parametrize("start", CONVERTED)
def test_mutated_documents_are_converted_or_refused(start: str) -> None:
    for number in range(1000):
        document = mutated(STARTS[start](), number + 10_000)
        with one_case(start, number + 10_000, document), contextlib.suppress(DocumentError):
            to_job_document(CONVERTED[start], document, "job")


@pytest.mark.parametrize("part", range(2))
def test_mutated_stacks_give_findings(part: int) -> None:
    config = {
        "gcp:project": "acme-ml-dev",
        "gcp:region": "us-central1",
        "training:limits": {"maxUsdPerHour": 10, "accelerators": {"NVIDIA_TESLA_V100": 1}},
        "training:jobs": {"a": gpu_job(), "b": {**gpu_job(), "platform": "gke"}},
    }
    for number in range(part * 1000, part * 1000 + 1000):
        document = mutated(config, number)
        with one_case("stack", number, document):
            reading = read_model(Stack, specification(document), renamed=PATHS)
            if reading.value is not None:
                judge_stack(reading.value, unknown=reading.unknown)


def test_the_providers_check_never_fails() -> None:
    for number in range(2000):
        spec = mutated(body(), number).get("jobSpec")
        with one_case("check", number, spec):
            if isinstance(spec, dict):
                structural_findings(spec)


@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=400) | st.text(alphabet="{}[]:,-&*!|>#'\"\n ab01~<?%@`", max_size=300))
def test_any_text_is_a_mapping_or_one_finding(text: str) -> None:
    try:
        parsed: dict[str, Any] | str = parse_document(text)
    except DocumentError as error:
        parsed = error.finding.rule
    assert parsed == "syntax" or isinstance(parsed, dict)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6))
def test_any_mapping_is_judged(document: dict[str, Any]) -> None:
    judge(json.loads(json.dumps(document)), Source(name="job", label="file"))
