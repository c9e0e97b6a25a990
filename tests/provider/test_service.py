"""Where calls go, and what an answer of the service means: again, or final."""

from __future__ import annotations

import json
import socket
import struct
import threading

import pytest
import requests

from trainingjobs.clients.errors import ServiceError, from_answer, from_connection, shortened
from trainingjobs.clients.vertex.job_outputs import run_again
from trainingjobs.clients.vertex.service import retry_delay, vertex_url


def answer(code: int, message: str, reason: str = "", retry_after: str | None = None) -> ServiceError:
    body = {"error": {"code": code, "message": message, "details": [{"reason": reason}]}}
    return from_answer(code, json.dumps(body), retry_after, "submitting the job", "acme")


def test_without_a_variable_calls_go_to_the_regions_own_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TRAINING_VERTEX_ENDPOINT", "TRAINING_SANDBOX"):
        monkeypatch.delenv(name, raising=False)
    assert vertex_url("europe-west4", "projects/p") == "https://europe-west4-aiplatform.googleapis.com/v1/projects/p"


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:8", "http://localhost:8/", "http://[::1]:8"])
def test_a_local_endpoint_is_taken_at_each_call(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    monkeypatch.setenv("TRAINING_VERTEX_ENDPOINT", endpoint)
    assert vertex_url("us-central1", "x") == f"{endpoint.rstrip('/')}/v1/x"


@pytest.mark.parametrize(
    ("error", "retryable", "answer_lost"),
    [
        pytest.param(answer(503, "away"), True, True, id="away"),
        pytest.param(answer(500, "internal"), True, True, id="internal"),
        pytest.param(answer(429, "Quota exceeded for requests per minute"), True, False, id="too many requests"),
        pytest.param(answer(429, "slow down", "RATE_LIMIT_EXCEEDED"), True, False, id="rate limit"),
        pytest.param(answer(429, "quota metrics exceed quota limits: x"), False, False, id="quota of accelerators"),
        pytest.param(answer(400, "invalid"), False, False, id="invalid"),
        pytest.param(answer(403, "denied"), False, False, id="denied"),
    ],
)
def test_what_is_tried_again(error: ServiceError, retryable: bool, answer_lost: bool) -> None:
    assert (error.retryable, error.may_have_taken_effect) == (retryable, answer_lost)
    assert (retry_delay(error, 0) is not None) == retryable


def test_the_service_says_when() -> None:
    assert retry_delay(answer(503, "away", retry_after="7"), 3) == 7.0
    assert retry_delay(answer(503, "away", retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), 50) <= 25.0


def test_an_answer_that_is_no_json_is_shown() -> None:
    error = from_answer(502, "<html>bad gateway</html>", None, "reading x", "acme")
    assert "bad gateway" in str(error)
    assert error.retryable


def test_the_fields_at_fault_are_named() -> None:
    detail = {"fieldViolations": [{"field": "job_spec.worker_pool_specs[0]", "description": "must be set"}]}
    text = json.dumps({"error": {"code": 400, "message": "bad", "status": "INVALID_ARGUMENT", "details": [detail]}})
    assert "job_spec.worker_pool_specs[0]: must be set" in str(from_answer(400, text, None, "submitting", "acme"))


def failed_connection(url: str) -> requests.RequestException:
    """What the library raises for a real call that gets no answer."""
    with pytest.raises(requests.RequestException) as raised:
        requests.get(url, timeout=5)
    return raised.value


def test_a_refused_connection_is_said_by_its_cause_and_its_host() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{nobody.getsockname()[1]}"
        error = from_connection(failed_connection(f"http://{host}/v1/{'long/' * 100}"), "reading x")
    assert error.retryable
    assert host in str(error) and "refused" in str(error)
    assert "Max retries" not in str(error) and len(str(error)) < 120


def test_a_reset_connection_is_said_by_its_cause() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def reset() -> None:
            connection, _ = server.accept()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        thread = threading.Thread(target=reset)
        thread.start()
        error = from_connection(failed_connection(f"http://127.0.0.1:{server.getsockname()[1]}"), "x")
        thread.join()
    assert "reset" in str(error).lower() and "(" in str(error)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", "short"),
        ("ten chars.", "ten chars."),
        ("some words too many", "some …"),
        ("onelongwordalone", "onelongw …"),
        ("first\nsecond", "first"),
        ("", ""),
    ],
)
def test_a_text_is_shortened_between_words(text: str, expected: str) -> None:
    assert shortened(text, 10) == expected


def test_how_to_run_a_failed_job_again_is_one_short_line() -> None:
    job = {"name": "projects/p/locations/l/customJobs/1", "state": "JOB_STATE_FAILED"}
    message = "The replica workerpool0-0 exited with a non-zero status of 1. The last lines:\n" + "line\n" * 100
    advice = run_again({**job, "error": {"code": 3, "message": message}})
    assert "\n" not in advice and len(advice) < 250
    assert "status of 1" in advice and "`run`" in advice
    assert "FAILED" in run_again(job) and "`run`" in run_again(job)
