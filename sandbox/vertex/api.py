"""The methods of the job API, apart from HTTP: a method, a path, a query and a body make an answer or an ApiError."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sandbox.vertex.body import read_body
from sandbox.vertex.checks import check_custom_job, check_job_spec, check_pipeline, check_tuning_job
from sandbox.vertex.errors import ApiError
from sandbox.vertex.filters import page_of, read_filter
from sandbox.vertex.job_kinds import KINDS
from sandbox.vertex.lives import Lives
from sandbox.vertex.records import Record, Records, has_ended

_PATH = re.compile(
    r"/v1/(?P<parent>projects/[^/:]+/locations/[^/:]+)/"
    r"(?P<collection>customJobs|hyperparameterTuningJobs|trainingPipelines|operations)"
    r"(?:/(?P<number>[0-9]+))?(?P<verb>:cancel)?"
)
_KINDS = {
    "customJobs": "CustomJob",
    "hyperparameterTuningJobs": "HyperparameterTuningJob",
    "trainingPipelines": "TrainingPipeline",
}
# Accepted on every method; readMask is accepted and everything is shown.
_SYSTEM_PARAMETERS = {"alt", "$alt", "prettyPrint", "key", "quotaUser", "fields", "readMask"}
_LIST_PARAMETERS = {"filter", "pageSize", "pageToken"}
_DEFAULT_DISK = {"bootDiskType": "pd-ssd", "bootDiskSizeGb": 100}
_TYPES = "type.googleapis.com/google.cloud.aiplatform.v1."


class Api:
    """The job API over one state folder, while it has it. Safe for several threads."""

    def __init__(self, state: Path, endpoint: str, has_folder: Callable[[], bool]) -> None:
        self._records = Records(state / "vertex", has_folder)
        self._records.fail_unended()
        self._lives = Lives(self._records, state, endpoint, KINDS)

    def close(self) -> None:
        """Ends all jobs."""
        self._lives.close()

    def answer(self, method: str, path: str, query: Mapping[str, str], body: object) -> dict[str, Any]:
        """Returns the body of a successful answer. Raises ApiError for everything else."""
        match = _PATH.fullmatch(path)
        if match is None:
            raise _method_error(method, path)
        allowed = _SYSTEM_PARAMETERS | (_LIST_PARAMETERS if method == "GET" and not match["number"] else set())
        if unknown := sorted(query.keys() - allowed):
            lines = [
                f'Invalid JSON payload received. Unknown name "{name}": Cannot bind query parameter.'
                for name in unknown
            ]
            raise ApiError("INVALID_ARGUMENT", "\n".join(lines))
        parent, collection = match["parent"], match["collection"]
        name = f"{parent}/{collection}/{match['number']}"
        call = (method, bool(match["number"]), match["verb"])
        if collection == "operations":
            if call == ("GET", True, None):
                return _operation(self._record(name), done=True)
        elif call == ("POST", False, None):
            return self._create(parent, collection, body)
        elif call == ("GET", False, None):
            return self._list(parent, collection, query)
        elif call == ("GET", True, None):
            return self._record(name)
        elif call == ("POST", True, ":cancel"):
            return self._cancel(name)
        elif call == ("DELETE", True, None):
            return self._delete(parent, name)
        raise _method_error(method, path)

    def _create(self, parent: str, collection: str, body: object) -> Record:
        if collection == "customJobs":
            job = read_body("CustomJob", body, "custom_job")
            check_custom_job(job)
            _fill_disks(job["jobSpec"])
        elif collection == "hyperparameterTuningJobs":
            job = read_body("HyperparameterTuningJob", body, "hyperparameter_tuning_job")
            check_tuning_job(job)
            _fill_disks(job["trialJobSpec"])
        else:
            job = _read_pipeline(body)
        return self._lives.begin(parent, collection, job)

    def _list(self, parent: str, collection: str, query: Mapping[str, str]) -> dict[str, Any]:
        is_listed = read_filter(query.get("filter", ""))
        records = [record for record in self._records.all(f"{parent}/{collection}/") if is_listed(record)]
        page, token = page_of(records, query.get("pageSize", ""), query.get("pageToken", ""))
        return {**({collection: page} if page else {}), **({"nextPageToken": token} if token else {})}

    def _record(self, name: str) -> Record:
        record = self._records.get(name)
        if record is None:
            raise _not_found_error(name)
        return record

    def _cancel(self, name: str) -> dict[str, Any]:
        try:
            self._lives.cancel(name)
        except KeyError:
            raise _not_found_error(name) from None
        except ValueError as error:
            raise _state_error(name, str(error), "canceled") from None
        return {}

    def _delete(self, parent: str, name: str) -> dict[str, Any]:
        record = self._record(name)
        if not has_ended(record):
            raise _state_error(name, record["state"], "deleted")
        self._records.remove(name)
        return _operation(self._records.add(parent, "operations", {}), done=False)


def _read_pipeline(body: object) -> Record:
    pipeline = read_body("TrainingPipeline", body, "training_pipeline")
    check_pipeline(pipeline)
    definition, inputs = pipeline["trainingTaskDefinition"], pipeline["trainingTaskInputs"]
    path = "training_pipeline.training_task_inputs"
    if "custom_task" in definition:
        spec = read_body("CustomJobSpec", inputs, path)
        check_job_spec(spec, "training_task_inputs")
        _fill_disks(spec)
        pipeline["trainingTaskInputs"] = spec
    elif "hyperparameter_tuning_task" in definition:
        inputs = read_body("TuningTaskInputs", inputs, path)
        check_tuning_job(inputs, "training_task_inputs.")
        _fill_disks(inputs["trialJobSpec"])
        pipeline["trainingTaskInputs"] = inputs
    else:
        text = f"training_task_definition {definition}: the sandbox runs custom_task and hyperparameter_tuning_task."
        raise ApiError("INVALID_ARGUMENT", text)
    return pipeline


def _fill_disks(spec: dict[str, Any]) -> None:
    """Fills in the boot disk that the service gives to a pool which names none."""
    for pool in spec["workerPoolSpecs"]:
        if pool:
            pool["diskSpec"] = {**_DEFAULT_DISK, **pool.get("diskSpec", {})}


def _operation(record: Record, *, done: bool) -> dict[str, Any]:
    times = {"createTime": record["createTime"], "updateTime": record["updateTime"]}
    operation: dict[str, Any] = {
        "name": record["name"],
        "metadata": {"@type": f"{_TYPES}DeleteOperationMetadata", "genericMetadata": times},
    }
    if done:
        operation |= {"done": True, "response": {"@type": "type.googleapis.com/google.protobuf.Empty"}}
    return operation


def _not_found_error(name: str) -> ApiError:
    return ApiError("NOT_FOUND", f'The {_KINDS.get(name.split("/")[4], "Operation")} "{name}" does not exist.')


def _state_error(name: str, state: str, verb: str) -> ApiError:
    kind = _KINDS[name.split("/")[4]]
    return ApiError("FAILED_PRECONDITION", f'The {kind} "{name}" is in state {state} and cannot be {verb}.')


def _method_error(method: str, path: str) -> ApiError:
    collections = ", ".join(sorted(_KINDS))
    return ApiError("NOT_FOUND", f"{method} {path} is no method here; the sandbox has {collections} and operations.")
