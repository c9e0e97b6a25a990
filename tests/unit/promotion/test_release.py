"""What a release holds, and what it changes where it goes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from trainingjobs.operations.promotion.difference import ABSENT, changes, missing_pools
from trainingjobs.operations.promotion.order import read_rules
from trainingjobs.operations.promotion.release import Release, as_record, from_record, release_of
from trainingjobs.spec.reading import read_job

RULES = read_rules()
VERSIONS = {"engine": "3.0.0", "pack": "1.0.0", "project": "1.0.0"}
DIGEST = "@sha256:" + "a" * 64
JOB = {
    "framework": "pytorch",
    "container": {"imageUri": "r.example/t" + DIGEST, "args": ["train.py"], "env": {"A": "1"}},
    "pools": {"primary": {"machineType": "a2-highgpu-1g"}, "workers": {"replicaCount": 2}},
    "scheduling": {"strategy": "SPOT", "restartJobOnWorkerRestart": True},
    "serviceAccount": "t@acme-ml-dev.iam.gserviceaccount.com",
    "run": 4,
}


def release(job: dict[str, Any] | None = JOB, name: str = "bert", **more: dict[str, Any]) -> Release:
    documents = ({name: job} if job else {}) | more
    return release_of({key: read_job(document).value for key, document in documents.items()}, VERSIONS, RULES)


def changed(**parts: Any) -> dict[str, Any]:
    job = copy.deepcopy(JOB)
    for key, value in parts.items():
        here: Any = job
        *above, last = key.split("__")
        for part in above:
            here = here.setdefault(part, {})
        here[last] = value
    return job


OWN = {
    "pools__workers__replicaCount": 7,
    "pools__primary__machineType": "a2-highgpu-8g",
    "scheduling__strategy": "STANDARD",
    "serviceAccount": "other@acme-ml-prod.iam.gserviceaccount.com",
    "run": 9,
    "network": "projects/1/global/networks/n",
    "labels": {"team": "nlp"},
}


@pytest.mark.parametrize("key", OWN)
def test_sizes_networks_and_identities_are_the_environments_own(key: str) -> None:
    other = release(changed(**{key: OWN[key]}))
    assert other.id == release().id
    assert changes(release(), other, None) == []


CARRIED = {
    "container__imageUri": "r.example/t@sha256:" + "b" * 64,
    "container__args": ["other.py"],
    "container__env__A": "2",
    "framework": "tensorflow",
    "scheduling__restartJobOnWorkerRestart": False,
}


@pytest.mark.parametrize("key", CARRIED)
def test_what_runs_is_carried(key: str) -> None:
    other = release(changed(**{key: CARRIED[key]}))
    assert other.id != release().id
    [change] = changes(release(), other, release())
    assert (".".join(change.path[1:]), change.kind) == (key.replace("__", "."), "overridden")
    assert change.target == CARRIED[key]


def test_versions_make_another_release() -> None:
    made = release()
    for key in VERSIONS:
        assert Release(jobs=made.jobs, versions={**VERSIONS, key: "9"}).id != made.id


def test_a_value_that_left_the_source_leaves_the_target() -> None:
    job = changed()
    del job["container"]["env"]
    [change] = changes(release(job), release(), release())
    assert (change.path, change.kind, change.source) == (("bert", "container", "env", "A"), "removed", ABSENT)


def test_a_job_that_the_target_lacks_comes_with_its_sizes_but_not_with_its_project() -> None:
    by_path = {change.path[1:]: change for change in changes(release(), release(None), None)}
    assert ("pools", "workers", "replicaCount") in by_path
    assert ("serviceAccount",) not in by_path
    assert ("run",) not in by_path


def test_a_job_leaves_only_where_it_came_with_a_release() -> None:
    both = release(JOB, "bert", other=changed(framework="jax"))
    assert [change.path for change in changes(release(), both, both)] == [("other",)]
    assert changes(release(), both, release()) == []


def test_a_container_for_a_pool_that_the_target_lacks() -> None:
    source = release(changed(pools__evaluators__container={"imageUri": "r.example/e" + DIGEST}))
    assert missing_pools(source, release()) == [("bert", "pools", "evaluators")]
    assert missing_pools(source, source) == []


TAGS = [
    ("r.example/t:latest", True),
    ("r.example/t", True),
    ("r.example/t:1.0@sha256:abc", True),
    ("r.example/t:1.0" + DIGEST, False),
    ("us-docker.pkg.dev/vertex-ai-restricted/training/reductionserver:latest", False),
]


@pytest.mark.parametrize(("image", "refused"), TAGS)
def test_images_go_by_digest(image: str, refused: bool) -> None:
    assert bool(release(changed(container__imageUri=image)).tagged()) is refused


def test_a_record_is_what_it_says_or_nothing() -> None:
    made = release()
    record = as_record(made, [{"source": "dev", "target": "staging"}])
    assert from_record(record) == made
    record["jobs"]["bert"]["container"]["args"] = ["another.py"]
    with pytest.raises(ValueError, match="calls itself"):
        from_record(record)
