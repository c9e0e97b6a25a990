"""One replica of a job as a local process: its command, environment and folders.

Pure but for the folders that it makes. Running is sandbox/vertex/runner.py's, addresses are those of
sandbox/vertex/addresses.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.vertex.images import Image, find_image
from trainingjobs.workloads.vertex_environment import replica_environment

_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_FOLDERS = {"AIP_MODEL_DIR": "model", "AIP_CHECKPOINT_DIR": "checkpoints", "AIP_TENSORBOARD_LOG_DIR": "logs"}


@dataclass(frozen=True)
class Replica:
    """A process that stands for a replica. `scratch` stands for its own disk and goes with it."""

    name: str
    primary: bool
    argv: list[str]
    cwd: Path
    environment: dict[str, str]
    log: Path
    scratch: Path

    @property
    def metric_file(self) -> Path:
        """The file that cloudml-hypertune writes its metrics to."""
        return self.scratch / "hypertune" / "output.metrics"


def replica_count(spec: dict[str, Any]) -> int:
    """Returns how many replicas the pools of a CustomJobSpec have together."""
    return sum(int(pool.get("replicaCount", 0)) for pool in spec["workerPoolSpecs"])


def plan_replicas(launch: dict[str, Any], members: Sequence[str]) -> list[Replica]:
    """Returns the replicas of a job (or of one trial), and makes their folders.

    `members` are their addresses, host:port, pool by pool.
    `launch` is what sandbox/vertex/launch.py sends: name, run, jobSpec, trial, arguments, state, images.
    Raises ImageError where an image stands for nothing here.
    """
    spec, trial = launch["jobSpec"], launch["trial"]
    counts = [int(pool.get("replicaCount", 0)) for pool in spec["workerPoolSpecs"]]
    images = {
        number: find_image(_image_uri(pool), Path(launch["images"]))
        for number, pool in enumerate(spec["workerPoolSpecs"])
        if counts[number]
    }
    positions = [(pool, index) for pool, count in enumerate(counts) for index in range(count)]
    addresses = dict(zip(positions, members, strict=True))
    folders = _output_folders(spec, trial, Path(launch["state"]))
    return [_plan_replica(launch, pool, index, images[pool], addresses, folders) for pool, index in positions]


def _plan_replica(
    launch: dict[str, Any],
    pool: int,
    index: int,
    image: Image,
    addresses: dict[tuple[int, int], str],
    folders: dict[str, str],
) -> Replica:
    spec = launch["jobSpec"]
    name = f"workerpool{pool}-{index}"
    state = Path(launch["state"])
    scratch = state / "scratch" / launch["run"] / name
    log = state / "logs" / launch["run"] / f"{name}.log"
    for folder in (scratch, log.parent):
        folder.mkdir(parents=True, exist_ok=True)
    vertex_variables = replica_environment(
        spec,
        pool,
        index,
        host=lambda pool_index, replica_index: addresses[pool_index, replica_index],
        cloud=_opaque(launch["run"]),
        trial=launch["trial"],
    )
    service_variables = {**vertex_variables, **folders, **_job_variables(launch)}
    pool_spec = spec["workerPoolSpecs"][pool]
    container = pool_spec.get("containerSpec") or pool_spec["pythonPackageSpec"]
    base = {
        "PATH": ":".join([*map(str, image.path), _SYSTEM_PATH]),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        # A replica is stopped by a signal once the primary ends: what it printed must be in its log by then.
        "PYTHONUNBUFFERED": "1",
    }
    if image.pythonpath:
        base["PYTHONPATH"] = ":".join(map(str, image.pythonpath))
    environment = {**base, **_expand(container.get("env", []), {**base, **service_variables}), **service_variables}
    replica = Replica(
        name=name,
        primary=pool == 0,
        argv=[*_command(pool_spec, image), *launch["arguments"]],
        cwd=image.cwd or scratch,
        environment=environment,
        log=log,
        scratch=scratch,
    )
    if launch["trial"] is not None:
        environment["CLOUD_ML_HP_METRIC_FILE"] = str(replica.metric_file)
    return replica


def _image_uri(pool: dict[str, Any]) -> str:
    if container := pool.get("containerSpec"):
        return str(container["imageUri"])
    return str(pool["pythonPackageSpec"]["executorImageUri"])


def _command(pool_spec: dict[str, Any], image: Image) -> list[str]:
    if package := pool_spec.get("pythonPackageSpec"):
        return [*(image.entrypoint or ["python"]), "-m", package["pythonModule"], *package.get("args", [])]
    container = pool_spec["containerSpec"]
    return [*(container.get("command") or image.entrypoint), *container.get("args", [])]


def _job_variables(launch: dict[str, Any]) -> dict[str, str]:
    project = launch["name"].split("/")[1]
    variables = {"CLOUD_ML_PROJECT_ID": project, "CLOUD_ML_JOB_ID": launch["name"].rpartition("/")[2]}
    if launch["trial"] is not None:
        variables["CLOUD_ML_TRIAL_ID"] = launch["trial"]
    return variables


def _output_folders(spec: dict[str, Any], trial: str | None, state: Path) -> dict[str, str]:
    prefix = spec.get("baseOutputDirectory", {}).get("outputUriPrefix")
    if not prefix:
        return {}
    base = state / "gcs" / prefix.removeprefix("gs://")
    if trial is not None:
        base /= trial
    for folder in _FOLDERS.values():
        (base / folder).mkdir(parents=True, exist_ok=True)
    return {variable: f"{base / folder}/" for variable, folder in _FOLDERS.items()}


def _expand(entries: list[dict[str, str]], variables: dict[str, str]) -> dict[str, str]:
    """Returns a container's env entries with $(NAME) replaced by what was defined before; $$(NAME) means $(NAME)."""
    expanded: dict[str, str] = {}

    def replace(match: re.Match[str]) -> str:
        if match[0].startswith("$$"):
            return match[0][1:]
        return {**variables, **expanded}.get(match[1], match[0])

    for entry in entries:
        expanded[entry["name"]] = re.sub(r"\$?\$\(([^()]+)\)", replace, entry.get("value", ""))
    return expanded


def _opaque(run: str) -> str:
    return "".join(f"{int(part):x}" for part in run.split("-"))
