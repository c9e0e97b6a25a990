"""The job API's answers: tokens, checks, lists, deletes, operations, faults."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from tests.sandbox.vertex_sandbox import PARENT, REDUCER, WAITS, Sandbox, job, pool

BASE = f"/v1/{PARENT}"


@pytest.mark.parametrize("token", ["", "wrong"])
def test_without_the_token_nothing_is_answered(vertex: Sandbox, token: str) -> None:
    for path in (f"{BASE}/customJobs", "/sandbox/faults", "/"):
        answer = vertex.request("GET", path, token=token)
        assert (answer.status, answer.body["error"]["status"]) == (401, "UNAUTHENTICATED")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/projects/p/customJobs"),
        ("GET", f"{BASE}/models"),
        ("POST", f"{BASE}/customJobs/1:stop"),
        ("POST", f"{BASE}/customJobs/1"),
        ("DELETE", f"{BASE}/customJobs"),
        ("GET", f"{BASE}/customJobs/12"),
        ("DELETE", f"{BASE}/customJobs/12"),
        ("POST", f"{BASE}/customJobs/12:cancel"),
        ("GET", f"{BASE}/operations/12"),
        ("GET", "/sandbox/logs/12/workerpool0-0"),
        ("GET", "/sandbox/logs/..%2f..%2fapi.json"),
    ],
)
def test_what_is_not_there_is_not_found(vertex: Sandbox, method: str, path: str) -> None:
    answer = vertex.request(method, path, {} if method == "POST" else None)
    assert (answer.status, answer.body["error"]["code"], answer.body["error"]["status"]) == (404, 404, "NOT_FOUND")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "display_name"),
        ({"displayName": "x"}, "job_spec.worker_pool_specs"),
        (job({}), "job_spec.worker_pool_specs[0].replica_count"),
        (job(pool(replicas=2)), "job_spec.worker_pool_specs[0].replica_count"),
        (job(pool(), {}, {}, {}, pool()), "job_spec.worker_pool_specs"),
        (job(pool(), pool(replicas=0)), "job_spec.worker_pool_specs[1].replica_count"),
        (job(pool(image="")), "job_spec.worker_pool_specs[0].container_spec.image_uri"),
        (job({**pool(), "machineSpec": {}}), "job_spec.worker_pool_specs[0].machine_spec.machine_type"),
        (job(pool(), labels={"Key": "v"}), "labels"),
        (job(pool(), labels={"key": "V"}), "labels"),
        (
            job(pool(), baseOutputDirectory={"outputUriPrefix": "/tmp"}),
            "job_spec.base_output_directory.output_uri_prefix",
        ),
        (
            job(pool(), baseOutputDirectory={"outputUriPrefix": "gs://bucket/../x"}),
            "job_spec.base_output_directory.output_uri_prefix",
        ),
    ],
)
def test_a_job_that_the_service_refuses(vertex: Sandbox, body: Any, field: str) -> None:
    error = vertex.refused(body)
    assert (error["code"], error["status"]) == (400, "INVALID_ARGUMENT")
    assert field in [violation["field"] for violation in error["details"][0]["fieldViolations"]]


def test_a_placeholder_and_trailing_empty_pools_are_taken(vertex: Sandbox) -> None:
    ran = vertex.run(job(pool("pass"), {}, pool(image=REDUCER, replicas=2), {}))
    assert ran["state"] == "JOB_STATE_SUCCEEDED"
    assert [item.get("replicaCount") for item in ran["jobSpec"]["workerPoolSpecs"]] == ["1", None, "2", None]


def test_a_pool_without_a_disk_gets_the_service_s(vertex: Sandbox) -> None:
    made = vertex.create(job(pool("pass"), {**pool("pass"), "diskSpec": {"bootDiskSizeGb": 200}}))
    disks = [item["diskSpec"] for item in made["jobSpec"]["workerPoolSpecs"]]
    assert disks == [{"bootDiskType": "pd-ssd", "bootDiskSizeGb": size} for size in (100, 200)]


def test_more_replicas_than_a_machine_bears_are_over_the_quota(vertex: Sandbox) -> None:
    error = vertex.refused(job(pool(), pool(replicas=10000)))
    assert (error["code"], error["status"]) == (429, "RESOURCE_EXHAUSTED")


@pytest.mark.parametrize("body", [b"{", b"[1]", b'"x"', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(vertex: Sandbox, body: bytes) -> None:
    answer = vertex.request("POST", f"{BASE}/customJobs", body)
    assert (answer.status, answer.body["error"]["status"]) == (400, "INVALID_ARGUMENT")


def test_a_list_is_filtered_newest_first_and_paged(vertex: Sandbox) -> None:
    names = [
        vertex.run(job(pool("pass"), name=f"listed-{i}", labels={"series": "paged", "odd": str(i % 2)}))["name"]
        for i in range(5)
    ][::-1]
    listed = vertex.listed(filter="labels.series=paged")
    assert [item["name"] for item in listed["customJobs"]] == names
    pages, token = [], ""
    while True:
        page = vertex.listed(filter='labels.series="paged"', pageSize=2, pageToken=token)
        pages.append([item["name"] for item in page["customJobs"]])
        if not (token := page.get("nextPageToken", "")):
            break
    assert pages == [names[:2], names[2:4], names[4:]]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("labels.f=x AND labels.n=1", 1),
        ('labels.f="x" labels.n!="1"', 2),
        ('labels.f=x AND state="JOB_STATE_SUCCEEDED"', 3),
        ('labels.f=x AND state!="JOB_STATE_SUCCEEDED"', 0),
        ('labels.f=x AND displayName="filtered 1"', 1),
        ('labels.f=x AND display_name:"filtered*"', 3),
        ("labels.f:* AND labels.n=2", 1),
        ("labels.none:*", 0),
        ("labels.n=0 OR labels.n=2", 2),
        ("labels.f:* AND labels.n=0 OR labels.n=2", 2),
        ("labels.n=0 OR labels.f=x AND labels.n=1", 1),
    ],
)
def test_filters(filtered: Sandbox, text: str, count: int) -> None:
    assert len(filtered.listed(filter=text).get("customJobs", [])) == count


@pytest.fixture(scope="module")
def filtered(vertex: Sandbox) -> Sandbox:
    for i in range(3):
        vertex.run(job(pool("pass"), name=f"filtered {i}", labels={"f": "x", "n": str(i)}))
    return vertex


@pytest.mark.parametrize(
    "query",
    [
        {"filter": "owner=me"},
        {"filter": "NOT state=A"},
        {"filter": "state"},
        {"filter": 'state="A'},
        {"pageSize": "many"},
        {"pageToken": "!"},
        {"page": "2"},
    ],
)
def test_a_query_that_means_nothing_is_refused(vertex: Sandbox, query: dict[str, str]) -> None:
    assert vertex.listed(**query)["error"]["status"] == "INVALID_ARGUMENT"


def test_a_job_is_deleted_by_an_operation_once_it_has_ended(vertex: Sandbox) -> None:
    name = vertex.create(job(pool(WAITS)))["name"]
    early = vertex.request("DELETE", f"/v1/{name}")
    assert (early.status, early.body["error"]["status"]) == (400, "FAILED_PRECONDITION")
    vertex.request("POST", f"/v1/{name}:cancel", {})
    vertex.wait(name)
    operation = vertex.request("DELETE", f"/v1/{name}").body
    assert "done" not in operation
    done = vertex.request("GET", f"/v1/{operation['name']}").body
    assert (done["done"], "response" in done) == (True, True)
    assert vertex.request("GET", f"/v1/{name}").status == 404


@pytest.mark.parametrize(
    ("kind", "disconnects", "made"),
    [("drop-answer", True, 1), ("reset", True, 0), ("garbage", False, 1), ("slow", False, 1)],
)
def test_a_fault_strikes_once(vertex: Sandbox, kind: str, disconnects: bool, made: int) -> None:
    vertex.request("POST", "/sandbox/faults", [{"match": "POST customJobs", "kind": kind, "seconds": 0.05}])
    body = job(pool("pass"), labels={"struck": kind})
    if disconnects:
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            vertex.request("POST", f"{BASE}/customJobs", body)
    else:
        answer = vertex.request("POST", f"{BASE}/customJobs", body)
        assert answer.status == 200
        if kind == "garbage":
            with pytest.raises(json.JSONDecodeError):
                _ = answer.body
    assert len(vertex.listed(filter=f"labels.struck={kind}").get("customJobs", [])) == made
    assert vertex.request("GET", "/sandbox/faults").body == {"faults": []}


def test_a_status_fault_comes_as_often_as_asked_and_leaves_others_alone(vertex: Sandbox) -> None:
    wanted = [{"match": "POST customJobs", "times": 2, "kind": "status", "status": 429, "retryAfter": 3}]
    vertex.request("POST", "/sandbox/faults", wanted)
    assert "customJobs" in vertex.listed() or vertex.listed() == {}
    for _ in range(2):
        answer = vertex.request("POST", f"{BASE}/customJobs", job(pool("pass")))
        assert (answer.status, answer.headers["Retry-After"]) == (429, "3")
        assert answer.body["error"]["status"] == "RESOURCE_EXHAUSTED"
    vertex.create(job(pool("pass")))


def test_faults_are_forgotten_on_request_and_malformed_ones_refused(vertex: Sandbox) -> None:
    vertex.request("POST", "/sandbox/faults", [{"match": "GET x", "kind": "reset"}])
    assert vertex.request("DELETE", "/sandbox/faults").body == {"faults": []}
    for wrong in ({}, [{}], [{"match": "GET x", "kind": "melt"}], [{"match": "GET x", "kind": "reset", "times": 0}]):
        assert vertex.request("POST", "/sandbox/faults", wrong).status == 400
