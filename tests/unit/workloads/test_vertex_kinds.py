"""Tuning jobs and pipelines in other words: gcloud's command, refusals, and faults reported in a body."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.jobs import findings_of
from tests.unit.workloads.samples import job, planned
from trainingjobs.cli.render import renderer
from trainingjobs.core.paths import FieldPath
from trainingjobs.judge.documents import judge
from trainingjobs.judge.judgement import Source
from trainingjobs.plan.job import JobPlan
from trainingjobs.spec.reading import read_job
from trainingjobs.workloads.training_pipeline import TrainingPipeline
from trainingjobs.workloads.vertex import vertex_workload

TUNING = {
    "metrics": [{"metricId": "accuracy", "goal": "MAXIMIZE"}],
    "parameters": [{"parameterId": "lr", "doubleValueSpec": {"minValue": 0.5, "maxValue": 1.5}}],
    "maxTrialCount": 8,
    "parallelTrialCount": 2,
    "maxFailedTrialCount": 3,
}
TUNED = job(kind="hyperparameterTuningJob", tuning=TUNING)
PIPED = job(kind="trainingPipeline", modelToUpload={"displayName": "m", "containerSpec": {"imageUri": "a/b"}})


def body_of(plan: JobPlan) -> dict[str, Any]:
    return vertex_workload(plan).body(plan)


BODY = body_of(planned(TUNED))


def test_gclouds_command_of_a_tuning_job() -> None:
    command, findings = renderer("gcloud")(planned(TUNED))
    assert findings == []
    head, _, rest = command.partition(" <<'EOF'\n")
    assert head.split(" \\\n  ") == [
        "gcloud ai hp-tuning-jobs create",
        *("--region=us-central1", "--display-name=job"),
        *("--max-trial-count=8", "--parallel-trial-count=2"),
        "--config=/dev/stdin",
    ]
    document = json.loads(rest.removesuffix("\nEOF"))
    assert document == {key: BODY[key] for key in ("studySpec", "maxFailedTrialCount", "trialJobSpec")}


def test_gcloud_makes_no_pipelines_and_says_so() -> None:
    command, findings = renderer("gcloud")(planned(PIPED))
    assert command.startswith("gcloud ai custom-jobs create")
    assert {(finding.path, finding.severity) for finding in findings} == {
        ("kind", "advice"),
        ("modelToUpload", "advice"),
    }


def test_custom_job_is_the_body_of_the_jobs_own_kind() -> None:
    assert renderer("custom-job")(planned(TUNED)) == (BODY, [])
    assert body_of(planned(PIPED)) == TrainingPipeline().body(planned(PIPED))
    assert list(body_of(planned(job()))) == ["displayName", "jobSpec"]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (job(modelToUpload={"displayName": "m"}), "modelToUpload"),
        (job(parentModel="m"), "parentModel"),
        (
            job(
                kind="hyperparameterTuningJob",
                tuning={**TUNING, "medianAutomatedStoppingSpec": {}, "decayCurveStoppingSpec": {}},
            ),
            "tuning",
        ),
    ],
)
def test_what_does_not_belong_together(document: dict[str, Any], path: str) -> None:
    assert [finding for finding in findings_of(document) if finding[1] == "error"] == [("schema", "error", path)]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("tuning", "studySpec"),
        ("tuning.parameters[0].doubleValueSpec", "studySpec.parameters[0].doubleValueSpec"),
        ("tuning.maxTrialCount", "maxTrialCount"),
        ("pools.primary", "pools.primary"),
    ],
)
def test_the_body_of_a_tuning_job_holds_the_study_elsewhere(path: str, place: str) -> None:
    assert vertex_workload(planned(TUNED)).place_in_body(FieldPath(path)) == place


def test_a_study_without_a_metric_is_reported_once() -> None:
    findings = read_job({**TUNED, "tuning": {**TUNING, "metrics": []}}).findings
    assert [(finding.rule, finding.path) for finding in findings] == [("schema", "tuning.metrics")]


def changed(**study: Any) -> dict[str, Any]:
    return {**BODY, "studySpec": {**BODY["studySpec"], **study}}


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        pytest.param(BODY, set(), id="good"),
        pytest.param(changed(metrics="accuracy"), {"studySpec.metrics"}, id="no list"),
        pytest.param(changed(parameters=[]), {"studySpec.parameters"}, id="nothing to search"),
        pytest.param(changed(algorithm="BAYES"), {"studySpec.algorithm"}, id="algorithm"),
        pytest.param(
            changed(parameters=[{"parameterId": "x", "doubleValueSpec": {"minValue": "a", "maxValue": 1}}]),
            {"studySpec.parameters[0].doubleValueSpec.minValue"},
            id="no number",
        ),
        pytest.param({**BODY, "parallelTrialCount": 9}, {"parallelTrialCount"}, id="more at once than there are"),
        pytest.param({**BODY, "maxTrialCount": "many"}, {"maxTrialCount"}, id="no count"),
        pytest.param({**BODY, "studdySpec": {}}, {"studdySpec"}, id="misspelt"),
    ],
)
def test_validate_names_a_fault_of_a_tuning_body_where_it_stands(body: dict[str, Any], paths: set[str]) -> None:
    findings = judge(body, Source(name="job")).findings
    assert {finding.path.removeprefix("job.json: ") for finding in findings if finding.severity == "error"} == paths
