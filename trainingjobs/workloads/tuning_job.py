"""The kind hyperparameterTuningJob: trials of one CustomJobSpec, searched by a study.

Source: Vertex AI v1 HyperparameterTuningJob reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from trainingjobs.core.numbers import whole
from trainingjobs.core.paths import FieldPath
from trainingjobs.workloads.best_trials import best_trials
from trainingjobs.workloads.fields import Field
from trainingjobs.workloads.states import ENDED
from trainingjobs.workloads.study_reading import COUNTS, counts_of, study_of
from trainingjobs.workloads.vertex import VertexWorkload, custom_job_spec, plain

if TYPE_CHECKING:
    from trainingjobs.core.source import Node
    from trainingjobs.plan.job import JobPlan


class HyperparameterTuningJob(VertexWorkload):
    """A hyperparameter tuning job."""

    kind = "hyperparameterTuningJob"
    title = "hyperparameter tuning job"
    about = "A hyperparameter tuning job on Vertex AI."
    runs_trials = True
    token = "trainingjobs:vertex:HyperparameterTuningJob"  # noqa: S105 (a type token)
    collection = "hyperparameterTuningJobs"
    spec_key = "trialJobSpec"
    content: ClassVar[Mapping[str, Field]] = {
        "studySpec": Field("StudySpec", "What is searched and by what goal, in Vertex AI's own words.", required=True),
        "trialJobSpec": Field("CustomJobSpec", "The body of each trial, in Vertex AI's own words.", required=True),
        "maxTrialCount": Field("integer", "How many trials there are.", required=True),
        "parallelTrialCount": Field("integer", "How many trials run at once.", required=True),
        "maxFailedTrialCount": Field("integer", "How many failed trials fail the job; 0 or unset: Vertex AI decides."),
    }
    results: ClassVar[Mapping[str, Field]] = {
        "bestTrials": Field("trials", "The best trials of an ended tuning job: id, parameters and metrics by name.")
    }
    brings = ("bestTrials",)
    gcloud_group = "hp-tuning-jobs"
    marks = ("trialJobSpec", "studySpec")
    spec_paths = (("trialJobSpec",),)

    def content_of(self, plan: JobPlan) -> dict[str, Any]:
        """Returns the study, the counts of trials, and the pools that each trial runs."""
        study = plain(plan.job.tuning) if plan.job.tuning else {}
        counts = {key: study.pop(key) for key in COUNTS if key in study}
        return {"studySpec": study, **counts, "trialJobSpec": custom_job_spec(plan)}

    def read_content(self, body: Node) -> dict[str, Any]:
        """Returns the study with its counts."""
        study = study_of(body.node("studySpec")) | counts_of(body)
        return {"tuning": study} if study else {}

    def place_in_body(self, path: FieldPath) -> FieldPath:
        """Returns where the body holds what a job document has at a path: its `tuning` is the study and the counts."""
        head, _, inner = path.partition(".")
        if head != "tuning":
            return path
        return FieldPath(inner) if inner in COUNTS else FieldPath("studySpec") / inner

    def progress(self, job: Mapping[str, Any], replicas: str) -> str:
        """Returns how many trials have ended."""
        trials = job.get("trials") or []
        ended = sum(trial.get("state") in ("SUCCEEDED", "INFEASIBLE") for trial in trials)
        return f"{ended} of {job.get('maxTrialCount', '?')} trials of {replicas} ended, "

    def failures(self, properties: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        """Yields what is wrong with the counts of trials."""
        max_trials, at_once = (whole(properties.get(key)) for key in ("maxTrialCount", "parallelTrialCount"))
        for key, count in (("maxTrialCount", max_trials), ("parallelTrialCount", at_once)):
            if count is not None and count < 1:
                yield key, f"{count}; at least 1 is needed"
        if max_trials is not None and at_once is not None and at_once > max_trials >= 1:
            yield "parallelTrialCount", f"{at_once} is more than maxTrialCount {max_trials}; at most {max_trials}"

    def observed_results(self, job: Mapping[str, Any], state: str) -> dict[str, Any]:
        """Returns the best trials of an ended job."""
        return {"bestTrials": best_trials(job)} if state in ENDED else {}
