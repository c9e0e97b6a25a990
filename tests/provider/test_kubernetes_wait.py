"""What the controllers say of a job → the states of a Completion; how a kubeconfig is read."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from infra.provider import completion, kubernetes_wait
from infra.provider.errors import ServiceError
from infra.provider.kubernetes_access import connect
from infra.provider.operation import Operation


def conditions(**true: bool) -> dict[str, Any]:
    return {"status": {"conditions": [{"type": kind, "status": str(value)} for kind, value in true.items()]}}


@pytest.mark.parametrize(
    ("found", "state"),
    [
        ({}, "PENDING"),
        (conditions(Created=True), "PENDING"),
        (conditions(Created=True, Running=True), "RUNNING"),
        (conditions(Running=False, Succeeded=True), "SUCCEEDED"),
        (conditions(Completed=True), "SUCCEEDED"),
        (conditions(Running=True, Restarting=True), "RUNNING"),
        (conditions(Failed=True, Running=False), "FAILED"),
        (conditions(Suspended=True), "QUEUED"),
        (conditions(Suspended=False), "PENDING"),
        ({"status": {"replicatedJobsStatus": [{"name": "worker", "ready": 1}]}}, "RUNNING"),
        ({"kind": "Pod", "status": {"phase": "Pending"}}, "PENDING"),
        ({"kind": "Pod", "status": {"phase": "Failed"}}, "FAILED"),
    ],
)
def test_states(found: dict[str, Any], state: str) -> None:
    assert kubernetes_wait.state_of(found) == state


@pytest.mark.parametrize(
    ("job", "known"),
    [
        ("namespaces/a/jobsets/b", True),
        ("namespaces/a/tfjobs/b#0-1", True),
        ("namespaces/a/deployments/b", False),
        ("namespaces/../jobsets/b", False),
        ("a/b", False),
    ],
)
def test_ids(job: str, known: bool) -> None:
    assert (kubernetes_wait.parse(job) is not None) == known
    assert ("job" not in dict(completion.check({"job": job, "waitFor": "running"}))) == known


def test_why_a_pod_waits_is_said() -> None:
    message = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."
    unscheduled = {"type": "PodScheduled", "status": "False", "message": message}
    pods = [
        {"metadata": {"name": "b"}, "status": {"phase": "Pending", "conditions": [unscheduled]}},
        {"metadata": {"name": "a"}, "status": {"phase": "Running"}},
    ]
    assert message in kubernetes_wait.held_up(pods)
    assert kubernetes_wait.progress(pods) == "1 of 2 replicas run, "
    pulling = {"containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]}
    assert "ImagePullBackOff" in kubernetes_wait.held_up([{"metadata": {"name": "a"}, "status": pulling}])


class Api:
    """An API server of canned answers, by path."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, Any]] = {}
        self.tokens: list[str] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                api.tokens.append(self.headers.get("Authorization", ""))
                code, body = api.answers.get(self.path.partition("?")[0], (404, {"message": "not found"}))
                if isinstance(body, list):
                    code, body = body.pop(0) if len(body) > 1 else body[0]
                payload = json.dumps(body).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *words: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def kubeconfig(self, user: dict[str, Any]) -> str:
        """Returns a kubeconfig's text with two contexts, of which `here` reaches this server."""
        here = {"server": f"http://127.0.0.1:{self.server.server_port}"}
        return json.dumps(
            {
                "current-context": "elsewhere",
                "clusters": [{"name": "c", "cluster": here}],
                "users": [{"name": "u", "user": user}],
                "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
            }
        )


@pytest.fixture
def api() -> Any:
    made = Api()
    yield made
    made.server.shutdown()
    made.server.server_close()


def operation(said: list[str] | None = None, timeout: float = 0.0) -> Operation:
    def log(severity: str, message: str, urn: str, ephemeral: bool) -> None:
        (said if said is not None else []).append(message)

    return Operation("urn", log, threading.Event(), timeout=timeout)


JOBSET = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/n/jobsets/a"
PODS = "/api/v1/namespaces/n/pods"


def wait(api: Api, said: list[str] | None = None, **more: Any) -> dict[str, object]:
    job = kubernetes_wait.parse("namespaces/n/jobsets/a#7")
    assert job is not None
    inputs = {"waitFor": "succeeded", "kubeconfig": api.kubeconfig({"token": "t"}), "context": "here", **more}
    return kubernetes_wait.wait(operation(said), job, inputs)


def jobset(uid: str = "7", **true: bool) -> dict[str, Any]:
    return {"kind": "JobSet", "metadata": {"uid": uid, "creationTimestamp": "t0"}, **conditions(**true)}


def test_a_server_that_is_away_is_asked_again(api: Api) -> None:
    said: list[str] = []
    api.answers = {JOBSET: (0, [(503, {"message": "upgrading"}), (200, jobset(Completed=True))]), PODS: (200, {})}
    assert wait(api, said)["state"] == "JOB_STATE_SUCCEEDED"
    assert "upgrading" in said[0]


def test_another_job_of_the_same_name_is_not_waited_for(api: Api) -> None:
    api.answers = {JOBSET: (200, jobset(uid="8", Completed=True)), PODS: (200, {})}
    with pytest.raises(ServiceError, match="is gone"):
        wait(api)


def test_a_refusal_ends_the_wait_with_what_was_said(api: Api) -> None:
    api.answers = {JOBSET: (403, {"message": "jobsets is forbidden: User x cannot get"})}
    with pytest.raises(ServiceError, match="forbidden"):
        wait(api)


def test_it_waits_no_longer_than_asked(api: Api) -> None:
    api.answers = {JOBSET: (200, jobset()), PODS: (200, {})}
    with pytest.raises(ServiceError, match="not touched"):
        wait(api, timeout="0.1s")


def test_a_failed_job_shows_how_its_pods_ended(api: Api) -> None:
    end = {"exitCode": 137, "reason": "OOMKilled", "message": "last line"}
    pod = {"metadata": {"name": "a-primary"}, "status": {"containerStatuses": [{"state": {"terminated": end}}]}}
    api.answers = {JOBSET: (200, jobset(Failed=True)), PODS: (200, {"items": [pod]})}
    with pytest.raises(ServiceError) as failed:
        wait(api)
    for part in ("a-primary", "OOMKilled", "137", "last line"):
        assert part in str(failed.value)


def test_a_command_gives_the_token_and_gives_it_again(api: Api, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    plugin.write_text(
        f"#!/bin/sh\necho x >> {tmp_path}/calls\n"
        f'echo \'{{"status": {{"token": "\'$(wc -l < {tmp_path}/calls)\'"}}}}\'\n'
    )
    plugin.chmod(0o755)
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": str(plugin)}}
    api.answers = {JOBSET: (0, [(401, {"message": "expired"}), (200, jobset())])}
    cluster = connect(api.kubeconfig(user), "here")
    assert cluster.get(JOBSET, "reading") == jobset()
    assert [token.replace(" ", "") for token in api.tokens] == ["Bearer1", "Bearer2"]


@pytest.mark.parametrize("text", ["{}", "not: [a", '{"current-context": "x", "contexts": []}', "/no/such/file"])
def test_a_kubeconfig_that_cannot_be_used(text: str) -> None:
    with pytest.raises(ServiceError, match="kubeconfig cannot be used"):
        connect(text, None)
