"""What can run training although no rule reads it: one table of type tokens, and what in a resource shows it.

A resource that always can is told by its token; one that can with accelerators alone, by where it says them. What a
machine type brings is the catalogue's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from trainingjobs import catalog
from trainingjobs.facts.job import NotKnownError
from trainingjobs.facts.observed import Part

# Keys from the resource's properties down; EACH stands for every element of a list.
Place = tuple[str, ...]
EACH = "*"


@dataclass(frozen=True, slots=True)
class Trainable:
    """A row of the table: a type token or a pattern of them, why it can run training, and where that shows.

    With neither `accelerators` nor `machines` the resource always can, and `path` is what says what it runs. With a
    `path` beside them that names what they come from where the resource names no machine.
    """

    token: str
    why: str
    path: str = ""
    accelerators: tuple[Place, ...] = ()
    machines: tuple[Place, ...] = ()


GUEST: tuple[Place, ...] = (("guestAccelerators", EACH),)
MACHINE: tuple[Place, ...] = (("machineType",),)
LIMIT = ("resources", "limits", "nvidia.com/gpu")
GPU_VM = "a virtual machine with accelerators"
GPU_CONTAINER = "a container with a GPU"
NOTEBOOK = "a notebook's machine with accelerators"
ANY_CODE = "a program of its own, which may submit a job"

TABLE = (
    Trainable("gcp:compute/instance:Instance", GPU_VM, "", GUEST, MACHINE),
    Trainable("gcp:compute/instanceTemplate:InstanceTemplate", GPU_VM, "", GUEST, MACHINE),
    Trainable("gcp:compute/regionInstanceTemplate:RegionInstanceTemplate", GPU_VM, "", GUEST, MACHINE),
    Trainable(
        "gcp:compute/instanceFromTemplate:InstanceFromTemplate", GPU_VM, "sourceInstanceTemplate", GUEST, MACHINE
    ),
    Trainable(
        "gcp:compute/instanceFromMachineImage:InstanceFromMachineImage", GPU_VM, "sourceMachineImage", GUEST, MACHINE
    ),
    Trainable("google-native:compute/*:Instance", GPU_VM, "", GUEST, MACHINE),
    Trainable(
        "google-native:compute/*:InstanceTemplate",
        GPU_VM,
        "",
        (("properties", "guestAccelerators", EACH),),
        (("properties", "machineType"),),
    ),
    Trainable("gcp:tpu/v2QueuedResource:V2QueuedResource", "TPU VMs in a queue", "tpu"),
    Trainable("gcp:tpu/*", "a TPU VM", "acceleratorType"),
    Trainable("google-native:tpu/*", "a TPU VM", "acceleratorType"),
    Trainable(
        "gcp:cloudrunv2/job:Job",
        GPU_CONTAINER,
        "",
        (("template", "template", "nodeSelector", "accelerator"), ("template", "template", "containers", EACH, *LIMIT)),
    ),
    *(
        Trainable(
            token,
            GPU_CONTAINER,
            "",
            (("template", "nodeSelector", "accelerator"), ("template", "containers", EACH, *LIMIT)),
        )
        for token in ("gcp:cloudrunv2/service:Service", "gcp:cloudrunv2/workerPool:WorkerPool")
    ),
    Trainable(
        "gcp:cloudrun/service:Service",
        GPU_CONTAINER,
        "",
        (
            ("template", "spec", "nodeSelector", "run.googleapis.com/accelerator"),
            ("template", "spec", "containers", EACH, *LIMIT),
        ),
    ),
    Trainable("gcp:batch/*", "a job of Batch", "taskGroups"),
    Trainable("google-native:batch/*:Job", "a job of Batch", "taskGroups"),
    Trainable(
        "gcp:vertex/aiPersistentResource:AiPersistentResource",
        "machines kept for jobs of Vertex AI",
        "resourcePools",
    ),
    Trainable("google-native:aiplatform/*:CustomJob", "a job of Vertex AI", "jobSpec"),
    Trainable("google-native:aiplatform/*:HyperparameterTuningJob", "a job of Vertex AI", "studySpec"),
    Trainable("google-native:aiplatform/*:TrainingPipeline", "a job of Vertex AI", "trainingTaskDefinition"),
    Trainable("google-native:ml/*:Job", "a job of AI Platform", "trainingInput"),
    Trainable(
        "gcp:workbench/instance:Instance",
        NOTEBOOK,
        "",
        (("gceSetup", "acceleratorConfigs", EACH),),
        (("gceSetup", "machineType"),),
    ),
    Trainable("gcp:notebooks/instance:Instance", NOTEBOOK, "", (("acceleratorConfig",),), MACHINE),
    Trainable(
        "gcp:colab/runtimeTemplate:RuntimeTemplate",
        NOTEBOOK,
        "",
        (("machineSpec", "acceleratorType"),),
        (("machineSpec", "machineType"),),
    ),
    Trainable("pulumi-python:dynamic*", ANY_CODE, "__provider"),
    Trainable("pulumi-nodejs:dynamic*", ANY_CODE, "__provider"),
    Trainable("command:local:Command", ANY_CODE, "create"),
    Trainable("command:remote:Command", ANY_CODE, "create"),
)
# How the tables of Google's APIs count accelerators, and the counts that are none.
COUNTS = ("count", "acceleratorCount", "coreCount")
NOTHING: tuple[Any, ...] = (None, "", 0, "0", [], {})


@dataclass(frozen=True, slots=True, kw_only=True)
class UnjudgedFacts:
    """A resource that can run training and that no other rule reads: where it shows, and what it is.

    With `is_unknown` it can where the value at `path`, which a preview does not know yet, says so.
    """

    path: str
    what: str
    environment: str | None = None
    is_unknown: bool = False

    def need(self) -> None:
        """Raises NotKnownError where it is not known yet whether the resource can run training."""
        if self.is_unknown:
            raise NotKnownError(self.path)


def trainable(token: str) -> Trainable | None:
    """Returns the row of a type token, None where no row has it."""
    return next((row for row in TABLE if fnmatchcase(token, row.token)), None)


def unjudged_facts(row: Trainable, props: Mapping[str, Any], environment: str | None = None) -> UnjudgedFacts | None:
    """Returns the facts of a resource of a row, None where it has nothing to train on."""
    if not row.accelerators and not row.machines:
        return UnjudgedFacts(path=row.path, what=row.why, environment=environment)
    accelerators = [part for place in row.accelerators for part in _at(Part(props), place)]
    machines = [part for place in row.machines for part in _at(Part(props), place)]
    showing = [
        *(part for part in accelerators if not part.is_unknown and _is_some(part.value)),
        *(part for part in machines if catalog.brings_accelerators(part.text or "")),
    ]
    if showing:
        return UnjudgedFacts(path=showing[0].path, what=row.why, environment=environment)
    unknown = [part for part in (*accelerators, *machines) if part.is_unknown]
    if unknown:
        return UnjudgedFacts(path=unknown[0].path, what=row.why, environment=environment, is_unknown=True)
    if row.path and not any(part.text for part in machines):
        return UnjudgedFacts(path=row.path, what=row.why, environment=environment)
    return None


def _at(part: Part, place: Place) -> Iterator[Part]:
    """Yields what stands at a place, nothing where nothing does; what is within something unknown is unknown there."""
    if part.is_unknown or not place:
        yield part
    elif place[0] == EACH:
        for item in part.items():
            yield from _at(item, place[1:])
    elif isinstance(part.value, Mapping) and place[0] in part.value:
        yield from _at(part.get(place[0]), place[1:])


def _is_some(value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(value.get(key, 1) not in NOTHING for key in COUNTS)
    return value not in NOTHING
