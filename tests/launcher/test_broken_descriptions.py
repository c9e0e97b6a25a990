"""Descriptions that say nothing: one line, exit status 2, and nothing is run."""

from __future__ import annotations

import json

import pytest

from trainingjobs.launcher.cli import main

from .clusters import Launch

POOLS = {"workerpool0": ["h0:2222"], "workerpool1": ["h1:2222"]}
GOOD = {"cluster": POOLS, "task": {"type": "workerpool0", "index": 0}}
GOOD_TF = {"cluster": {"chief": ["h0:2222"], "worker": ["h1:2222"]}, "task": {"type": "chief", "index": 0}}


def with_cluster(**cluster: object) -> dict[str, object]:
    return {**GOOD, "cluster": {**POOLS, **cluster}}


def with_task(kind: object = "workerpool0", index: object = 0) -> dict[str, object]:
    return {**GOOD, "task": {"type": kind, "index": index}}


NOT_OBJECTS = [
    "nonsense",
    "[]",
    "3",
    '"text"',
    "null",
    "true",
    " ",
    "{",
    "{}",
    "[" * 100_000,
    "9" * 10_000,
    '{"a":' * 9_000,
]
BROKEN = [
    {"cluster": {}, "task": {}},
    {"cluster": POOLS},
    {"task": GOOD["task"]},
    {**GOOD, "cluster": None},
    {**GOOD, "cluster": []},
    {**GOOD, "task": "workerpool0"},
    with_task(kind="workerpool2"),
    with_task(kind="workerpool9"),
    with_task(kind="evaluator"),
    with_task(kind=None),
    with_task(kind=["workerpool0"]),
    with_task(index=1),
    with_task(index=-1),
    with_task(index=10**30),
    with_task(index=True),
    with_task(index=False),
    with_task(index="0"),
    with_task(index=0.0),
    with_task(index=None),
    with_cluster(workerpool0=[]),
    with_cluster(workerpool0=["h0:2222", "h2:2222"]),
    with_cluster(workerpool1="h1:2222"),
    with_cluster(workerpool0=None),
    with_cluster(workerpool1=[None]),
    with_cluster(workerpool1=[["h1:2222"]]),
    with_cluster(workerpool1={"one": "h1:2222"}),
    with_cluster(workerpool1={"01": "h1:2222"}),
    with_cluster(workerpool4=["h4:2222"]),
    with_cluster(worker=["h4:2222"]),
    with_cluster(workerpool1=["h0:2222"]),
    with_cluster(workerpool1=["h1", "h1:2222"]),
    {"cluster": {"master": ["a:1"], "chief": ["b:1"]}, "task": {"type": "chief", "index": 0}},
    {"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}},
    {"cluster": {"master": ["a:1"]}, "task": {"type": "evaluator", "index": 0}},
    {"cluster": {"master": ["a:1"], "worker": None}, "task": {"type": "worker", "index": 0}},
    {"cluster": {"master": ["a:1"]}, "task": {"type": "chief", "index": 0}},
]
BAD_HOSTS = [
    "", ":2222", "h:", "h:0", "h:65536", "h:-1", "h:٣", "h:2222:1", "h:port", "::1", "-oProxyCommand=x:22", "h 1:2222",
    "h\n1:2222", "h\x001:2222", "$(reboot):2222", "`id`:2222", "h;id:2222", "h|id:2222", "h&:2222", "h>f:2222",
    "h,g:2222", "-h:2222", "h'1:2222", 'h"1:2222', "h\\1:2222", "hôte:2222", "h/../x:2222", "h=1:2222", "\ud800:2222",
]  # fmt: skip


def assert_refused(launch: Launch, environ: dict[str, str], framework: str = "pytorch") -> None:
    answer = launch(environ, f"--framework={framework}")
    assert (answer.status, answer.out) == (2, "")
    assert len(answer.err.splitlines()) == 1
    assert answer.err.isascii()
    assert len(answer.err) < 300


@pytest.mark.parametrize("name", ["CLUSTER_SPEC", "TF_CONFIG"])
@pytest.mark.parametrize("text", NOT_OBJECTS, ids=range(len(NOT_OBJECTS)))
def test_no_json_object(launch: Launch, name: str, text: str) -> None:
    assert_refused(launch, {name: text})


@pytest.mark.parametrize("document", BROKEN, ids=range(len(BROKEN)))
def test_broken_cluster_spec(launch: Launch, document: object) -> None:
    assert_refused(launch, {"CLUSTER_SPEC": json.dumps(document)})


@pytest.mark.parametrize("host", BAD_HOSTS, ids=range(len(BAD_HOSTS)))
def test_hosts_that_are_none(launch: Launch, host: str) -> None:
    assert_refused(launch, {"CLUSTER_SPEC": json.dumps(with_cluster(workerpool1=[host]))})


@pytest.mark.parametrize(
    "document",
    [
        {**GOOD_TF, "task": {"type": "worker", "index": 1}},
        {**GOOD_TF, "task": {"type": "ps", "index": 0}},
        {**GOOD_TF, "task": {"type": "evaluator", "index": True}},
        {"cluster": {**GOOD_TF["cluster"], "evaluator": ["e:1"]}, "task": {"type": "evaluator", "index": 1}},
        {**GOOD_TF, "task": {"type": "master", "index": 0}},
        {"cluster": {"master": ["h0:2222"], "worker": ["h1:2222"]}, "task": {"type": "chief", "index": 0}},
        {"cluster": {"master": [], "chief": ["h0:2222"]}, "task": {"type": "master", "index": 0}},
        {"cluster": {"master": None, "chief": ["h0:2222"]}, "task": {"type": "master", "index": 0}},
        {"cluster": {"chief": None}, "task": {"type": "chief", "index": 0}},
        GOOD,
    ],
)
def test_broken_tf_config(launch: Launch, document: object) -> None:
    for framework in ("pytorch", "tensorflow"):
        assert_refused(launch, {"TF_CONFIG": json.dumps(document)}, framework)


def test_a_broken_tf_config_is_not_hidden_by_a_good_cluster_spec(launch: Launch) -> None:
    assert_refused(launch, {"CLUSTER_SPEC": json.dumps(GOOD), "TF_CONFIG": "nonsense"})


def test_ten_megabytes(launch: Launch) -> None:
    assert_refused(launch, {"CLUSTER_SPEC": json.dumps({**GOOD, "job": "x" * 10_000_000})})


def test_deep_jobs_end_in_one_line_or_none(launch: Launch) -> None:
    # Somewhere among these depths the interpreter still reads what it can no longer write.
    for depth in (200, *range(700, 1000), 5_000):
        text = json.dumps({**GOOD, "job": 0})[:-2] + '{"a":' * depth + "0" + "}" * depth + "}"
        answer = launch({"CLUSTER_SPEC": text}, "--framework=tensorflow")
        assert answer.status in (0, 2)
        assert len(answer.err.splitlines()) == (1 if answer.status else 0)


def test_nothing_is_run(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--", "echo", "run"], {"CLUSTER_SPEC": "nonsense", "PATH": "/usr/bin:/bin"}) == 2
    assert "run" not in capfd.readouterr().out


def test_the_guides_example_names_are_addresses(launch: Launch) -> None:
    cluster = {"chief": ["cmle-training-chief-[ID_STRING_1]-0:2222"]}
    environ = {"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": "chief", "index": 0}, "job": "{...}"})}
    assert launch(environ, "--framework=pytorch").variables["MASTER_ADDR"] == "cmle-training-chief-[ID_STRING_1]-0"
