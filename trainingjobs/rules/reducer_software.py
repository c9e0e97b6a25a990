"""Rules of what runs beside reducers: frameworks, versions, and the size of the messages.

Source: Vertex AI distributed training guide, "Prerequisites" and "Batch small messages together".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from trainingjobs import catalog
from trainingjobs.core.findings import quote
from trainingjobs.facts.job import JobFacts, PoolFacts
from trainingjobs.rules.reducers import GUIDE, trainers
from trainingjobs.rules.registry import Problem, rule

FUSION_THRESHOLD = 134_217_728
BUCKET_CAP_MB = 64
SUPPORTED = ("tensorflow", "pytorch", "horovod")
PLUGIN = "google-reduction-server"
# Servers that run on machines of one's own; the plug-in of Vertex AI is restricted to Vertex AI.
OPEN_SERVERS = ("optcast", "open-reduction-server", "byteps")
MINIMUM = {"tensorflow": (2, 3), "pytorch": (1, 4), "torch": (1, 4), "nccl": (2, 7)}
BUCKET = re.compile(r"bucket[-_]cap[-_]mb[= ]+([0-9]+)")


def version(text: str) -> tuple[int, ...]:
    """Returns a version string as numbers; what is no number ends it."""
    numbers = []
    for part in text.split("."):
        if not part.isdecimal() or len(part) > 9:
            break
        numbers.append(int(part))
    return tuple(numbers)


@rule(
    "reducer-framework",
    summary="The framework and the image can use reducers.",
    fix="say in container.declares what the image has installed",
    source=f"{GUIDE}, Prerequisites",
)
def reducer_framework(job: JobFacts) -> Iterator[Problem]:
    """Unsaid is advice; said and wrong an error."""
    if not job.of("reducers"):
        return
    job.need("framework")
    yield from _framework(job)
    for pool in trainers(job):
        if "image" in pool.inherited:
            continue
        pool.need("container.imageUri")
        yield from _image(pool) if job.platform == "vertex" else _open_server(job, pool)


def _framework(job: JobFacts) -> Iterator[Problem]:
    path = job.at("framework")
    if job.framework == "xgboost":
        yield Problem(
            path=path, message="xgboost does not use NCCL all-reduce; reducers do nothing for it", fix="remove reducers"
        )
    elif job.platform != "vertex":
        return
    elif job.framework == "byteps":
        yield Problem(
            path=path,
            message="byteps has servers of its own; Vertex AI's reduction server does not speak its protocol",
            fix="use parameterServers on Vertex AI, or reducers on gke",
        )
    elif job.framework is not None and job.framework not in SUPPORTED:
        yield Problem(
            path=path,
            message=f"{job.framework} is not among the documented frameworks ({', '.join(SUPPORTED)}); "
            "it works where the framework all-reduces by NCCL",
            fix="try it before paying for it",
            advice=True,
        )


def _image(pool: PoolFacts) -> Iterator[Problem]:
    info = catalog.image_framework(pool.image) if pool.image else None
    if info is not None:
        least = MINIMUM.get(info.framework)
        if least is None:
            yield Problem(
                path=pool.image_path,
                message=f"{quote(pool.image)} is a prebuilt {info.framework} image; TensorFlow or PyTorch is needed",
            )
        elif tuple(info.version) < least:
            yield Problem(
                path=pool.image_path,
                message=f"prebuilt {info.framework} {_dotted(info.version)}; {_dotted(least)} or later is needed",
            )
        return
    declares = pool.declares
    for name in ("tensorflow", "torch", "nccl"):
        value = getattr(declares, name) if declares else None
        if value is not None and version(value) < MINIMUM[name]:
            yield Problem(
                path=pool.at(f"container.declares.{name}"),
                message=f"{name} {value}; {_dotted(MINIMUM[name])} or later is needed",
                fix="build the image with a later version",
            )
    if declares is not None and declares.packages is not None and PLUGIN not in declares.packages:
        yield Problem(
            path=pool.at("container.declares.packages"),
            message=f"{PLUGIN} is not among the packages of the image",
            fix="install it as examples/reduction-server-pytorch/Dockerfile does",
        )
    undeclared = [
        field
        for field, value in (("nccl", declares and declares.nccl), ("packages", declares and declares.packages))
        if value is None
    ]
    if undeclared:
        yield Problem(
            path=pool.at("container.declares"),
            message=f"a custom image that does not say its {' and '.join(undeclared)}; "
            f"NCCL 2.7 or later and {PLUGIN} are needed",
            advice=True,
        )


def _open_server(job: JobFacts, pool: PoolFacts) -> Iterator[Problem]:
    if job.framework in ("byteps", "mxnet", "xgboost"):
        return
    packages = pool.declares.packages if pool.declares else None
    if packages is None:
        yield Problem(
            path=pool.at("container.declares.packages"),
            message=f"unsaid; an image that talks to an open reduction server is needed on {job.platform}",
            fix=f"declare one of {', '.join(OPEN_SERVERS)}",
            advice=True,
        )
    elif not set(packages) & set(OPEN_SERVERS):
        yield Problem(
            path=pool.at("container.declares.packages"),
            message=f"none of {', '.join(OPEN_SERVERS)} is declared; one is needed on {job.platform}",
            fix="install one in the image and declare it",
        )


def _dotted(parts: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in parts)


@rule(
    "reducer-fusion-threshold",
    summary="Small messages are batched before they reach the reducers.",
    fix=f"set HOROVOD_FUSION_THRESHOLD to {FUSION_THRESHOLD}",
    source=f"{GUIDE}, Batch small messages together",
    severity="advice",
    parameters={"bytes": FUSION_THRESHOLD, "bucketMb": BUCKET_CAP_MB},
)
def reducer_fusion_threshold(job: JobFacts, parameters: Mapping[str, Any]) -> Iterator[Problem]:
    """HOROVOD_FUSION_THRESHOLD for horovod, DDP's bucket_cap_mb for PyTorch."""
    if not job.of("reducers"):
        return
    job.need("framework")
    if job.framework not in ("horovod", "pytorch"):
        return
    for pool in trainers(job):
        if "image" not in pool.inherited:
            pool.need("container.env", "container.args")
            if job.framework == "horovod":
                yield from _fusion(pool, parameters["bytes"])
            else:
                yield from _buckets(pool, parameters["bucketMb"])


def _fusion(pool: PoolFacts, least: float) -> Iterator[Problem]:
    threshold = pool.env.get("HOROVOD_FUSION_THRESHOLD")
    if threshold is None or not threshold.isdecimal() or len(threshold) > 18 or int(threshold) < least:
        yield Problem(
            path=pool.at("container.env") + (".HOROVOD_FUSION_THRESHOLD" if pool.form == "document" else ""),
            message=f"{'missing' if threshold is None else quote(threshold)}; {least} bytes or more are recommended",
            fix=f"set HOROVOD_FUSION_THRESHOLD to {least}",
        )


def _buckets(pool: PoolFacts, least: float) -> Iterator[Problem]:
    text = " ".join([*pool.args, *(f"{name.lower()}={value}" for name, value in sorted(pool.env.items()))])
    sizes = [int(size[:9]) for size in BUCKET.findall(text)]
    if not sizes or min(sizes) < least:
        yield Problem(
            path=pool.at("container.args"),
            message=f"bucket_cap_mb is {min(sizes) if sizes else 'unsaid'}; {least} is recommended for "
            "DistributedDataParallel beside reducers",
            fix=f"pass --bucket-cap-mb={least} to code that hands it on, or set BUCKET_CAP_MB",
        )
