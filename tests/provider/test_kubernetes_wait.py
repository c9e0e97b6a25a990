"""What the controllers say of a job → the states of a Completion; how a kubeconfig is read."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from trainingjobs.clients.errors import ServiceError
from trainingjobs.clients.kubernetes import jobs as kubernetes_wait
from trainingjobs.clients.kubernetes.access import connect
from trainingjobs.clients.operation import Operation
from trainingjobs.provider import completion


def conditions(**true: bool) -> dict[str, Any]:
    return {
        "kind": "TFJob",
        "status": {"conditions": [{"type": kind, "status": str(value)} for kind, value in true.items()]},
    }


@pytest.mark.parametrize(
    ("resource", "state"),
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
        ({"kind": "JobSet", "status": {"replicatedJobsStatus": [{"name": "worker", "ready": 1}]}}, "RUNNING"),
        ({"kind": "Pod", "status": {"phase": "Pending"}}, "PENDING"),
        ({"kind": "Pod", "status": {"phase": "Failed"}}, "FAILED"),
    ],
)
def test_states(resource: dict[str, Any], state: str) -> None:
    assert kubernetes_wait.state_of(resource) == state


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
        self.subjects: list[str] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                api.tokens.append(self.headers.get("Authorization", ""))
                if isinstance(self.connection, ssl.SSLSocket):
                    subject = (self.connection.getpeercert() or {})["subject"]
                    api.subjects.append(dict(pair for group in subject for pair in group)["commonName"])
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

    def serve_tls(self, certificate: Path, key: Path) -> None:
        """Takes clients with a certificate of the same authority alone from now on."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=certificate)
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)

    def kubeconfig(self, user: dict[str, Any], authority: Path | None = None) -> str:
        """Returns a kubeconfig's text with two contexts, of which `here` reaches this server."""
        port = self.server.server_port
        here = {"server": f"http://127.0.0.1:{port}"}
        if authority is not None:
            here = {"server": f"https://localhost:{port}", "certificate-authority": str(authority)}
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


def operation(messages: list[str] | None = None, timeout: float = 0.0) -> Operation:
    def log(severity: str, message: str, urn: str, ephemeral: bool) -> None:
        (messages if messages is not None else []).append(message)

    return Operation("urn", log, threading.Event(), timeout=timeout)


JOBSET = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/n/jobsets/a"
PODS = "/api/v1/namespaces/n/pods"


def wait(api: Api, messages: list[str] | None = None, **more: Any) -> dict[str, object]:
    job = kubernetes_wait.parse("namespaces/n/jobsets/a#7")
    assert job is not None
    inputs = {"waitFor": "succeeded", "kubeconfig": api.kubeconfig({"token": "t"}), "context": "here", **more}
    return kubernetes_wait.wait(operation(messages), job, inputs)


def jobset(uid: str = "7", **true: bool) -> dict[str, Any]:
    return {"kind": "JobSet", "metadata": {"uid": uid, "creationTimestamp": "t0"}, **conditions(**true)}


def test_a_server_that_is_away_is_asked_again(api: Api) -> None:
    messages: list[str] = []
    api.answers = {JOBSET: (0, [(503, {"message": "upgrading"}), (200, jobset(Completed=True))]), PODS: (200, {})}
    assert wait(api, messages)["state"] == "JOB_STATE_SUCCEEDED"
    assert "upgrading" in messages[0]


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


CREDENTIAL = '"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential"'


def plugin(folder: Path, script: str) -> dict[str, Any]:
    """Returns a kubeconfig's user whom a program in the folder vouches for."""
    program = folder / "plugin"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    command = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program), "interactiveMode": "Never"}
    return {"exec": command}


def test_a_command_gives_the_token_and_gives_it_again(api: Api, tmp_path: Path) -> None:
    counts = f"echo x >> {tmp_path}/calls\n"
    gives = f'echo \'{{{CREDENTIAL}, "status": {{"token": "\'$(wc -l < {tmp_path}/calls)\'"}}}}\''
    api.answers = {JOBSET: (0, [(401, {"message": "expired"}), (200, jobset())])}
    cluster = connect(api.kubeconfig(plugin(tmp_path, counts + gives)), "here")
    assert cluster.get(JOBSET, "reading") == jobset()
    assert [token.replace(" ", "") for token in api.tokens] == ["Bearer1", "Bearer2"]


@pytest.mark.parametrize("script", ["exit 3", "echo '{}'", "echo nothing"])
def test_a_command_that_fails_is_reported_and_nobody_asks_without_a_name(api: Api, tmp_path: Path, script: str) -> None:
    with pytest.raises(ServiceError, match="kubeconfig cannot be used: exec"):
        connect(api.kubeconfig(plugin(tmp_path, script)), "here")
    assert api.tokens == []


def test_a_command_gives_a_client_certificate(api: Api, tmp_path: Path) -> None:
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    files = {name: tmp_path / f"{name}.pem" for name in ("key", "cert")}
    names = ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(files["key"]), "-out", str(files["cert"])]
    subprocess.run([*words, *names], check=True, capture_output=True)
    api.serve_tls(files["cert"], files["key"])
    pems = {
        key: json.dumps(files[name].read_text())
        for key, name in (("clientCertificateData", "cert"), ("clientKeyData", "key"))
    }
    status = ", ".join(f'"{key}": {pem}' for key, pem in pems.items())
    (tmp_path / "answer").write_text(f'{{{CREDENTIAL}, "status": {{{status}}}}}')
    api.answers = {JOBSET: (200, jobset())}
    text = api.kubeconfig(plugin(tmp_path, f"cat {tmp_path}/answer"), files["cert"])
    assert connect(text, "here").get(JOBSET, "reading") == jobset()
    assert api.subjects == ["localhost"]


def test_several_files_are_one_and_the_first_names_the_context(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = json.loads(api.kubeconfig({"token": "t"}))
    parts = {
        "contexts": {"current-context": "here", "contexts": whole["contexts"]},
        "rest": {"current-context": "elsewhere", "clusters": whole["clusters"], "users": whole["users"]},
    }
    for name, part in parts.items():
        (tmp_path / name).write_text(json.dumps(part))
    named = [tmp_path / "contexts", tmp_path / "is-not-there", tmp_path / "rest"]
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(map(str, named)))
    api.answers = {JOBSET: (200, jobset())}
    assert connect(None, None).get(JOBSET, "reading") == jobset()
    assert api.tokens == ["Bearer t"]


@pytest.mark.parametrize("text", ["{}", "not: [a", '{"current-context": "x", "contexts": []}', "/no/such/file"])
def test_a_kubeconfig_that_cannot_be_used(text: str) -> None:
    with pytest.raises(ServiceError, match="kubeconfig cannot be used"):
        connect(text, None)
