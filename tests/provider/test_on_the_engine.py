"""The plugin on the real engine: a job's life, a killed run, a failed job, production's guard, an import."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.provider import bodies
from tests.provider.plugin_process import ROOT, Plugin
from tests.provider.stack import Stack
from tests.provider.vertex_proxy import Proxy


@pytest.fixture(scope="session")
def engine_bin() -> str:
    done = subprocess.run(
        [sys.executable, "-m", "dev.engine", "--print-bin"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def stack(tmp_path: Path, engine_bin: str, environment: dict[str, str], proxy: Proxy) -> Iterator[Stack]:
    made = Stack(tmp_path, engine_bin, environment)
    yield made
    made.run("cancel", "--yes")
    made.run("destroy", "--yes", "--skip-preview")


def until(done: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 30
    while not (result := done()):
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.05)
    return result


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_up_again_a_change_and_destroy(stack: Stack, proxy: Proxy, plugin: Plugin) -> None:
    given = bodies.inputs(document=bodies.document())
    assert stack.up(inputs=given).returncode == 0
    job, provider = stack.job(), stack.provider_id()

    derived = {**given, "jobSpec": bodies.body(bodies.LONG, workers=1)}
    again = stack.up(inputs=derived)
    assert "2 unchanged" in again.stdout
    assert "next run" in again.stdout
    assert (stack.job(), stack.provider_id()) == (job, provider)

    changed = {**derived, "document": bodies.document(framework="jax")}
    preview = stack.run("preview", "--diff", inputs=changed)
    assert "replace" in preview.stdout
    assert "framework" in preview.stdout
    assert len(proxy.submissions()) == 1
    assert stack.up(inputs=changed).returncode == 0
    assert stack.job() != job
    assert plugin.read(job)[0] == ""
    assert [len(sent.body["jobSpec"]["workerPoolSpecs"]) for sent in proxy.submissions()] == [1, 2]

    last = stack.job()
    assert stack.run("destroy", "--yes", "--skip-preview", inputs=changed).returncode == 0
    assert plugin.read(last)[0] == ""
    assert len(proxy.submissions()) == 2


def test_a_run_killed_while_it_submits_is_taken_up(stack: Stack, proxy: Proxy) -> None:
    proxy.faults = {"POST": [("hold", 2.0)]}
    given = bodies.inputs()
    process = stack.start("up", "--yes", "--skip-preview", inputs=given)
    until(lambda: proxy.held)
    kill(process)
    stack.run("cancel", "--yes")
    provider = stack.provider_id()
    second = stack.up(inputs=given)
    assert second.returncode == 0
    assert "nothing new is submitted" in second.stdout
    assert stack.provider_id() == provider
    assert len(proxy.submissions()) == 1


def test_ctrl_c_and_a_kill_while_it_waits_lose_nothing(stack: Stack, proxy: Proxy) -> None:
    gate = stack.folder / "gate"
    given = bodies.inputs(["sh", "-c", f"until [ -e {gate} ]; do sleep 0.1; done"])
    process = stack.start("up", "--yes", "--skip-preview", inputs=given, waitFor="succeeded")
    job = until(lambda: next(iter(proxy.names_read()), None))
    # A terminal sends Ctrl-C to the whole process group, the plugin included.
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=10)
    assert process.returncode != 0
    assert "goes on" in output
    assert "Traceback" not in output
    assert (stack.job(), stack.waits()) == (job, [])

    proxy.sent = []
    process = stack.start("up", "--yes", "--skip-preview", inputs=given, waitFor="succeeded")
    until(lambda: len(proxy.names_read()) > 2)
    kill(process)
    stack.run("cancel", "--yes")
    assert (stack.job(), stack.waits()) == (job, [])
    sent_count = len(proxy.sent)
    time.sleep(1.5)
    assert len(proxy.sent) <= sent_count + 1, "the plugin of a killed engine goes on"

    gate.touch()
    # With its preview: the engine ends that by a Cancel, which must not end the wait that follows.
    assert stack.run("up", "--yes", inputs=given, waitFor="succeeded").returncode == 0
    assert stack.job() == job
    assert len(stack.waits()) == 1
    assert proxy.submissions() == []


@pytest.mark.parametrize("where", ["dev", "prod"])
def test_a_program_that_creates_before_it_deletes_has_one_job(
    stack: Stack, proxy: Proxy, plugin: Plugin, where: str
) -> None:
    """The old job is still in the state while the new one is created: it makes way first."""
    given = bodies.inputs(document=bodies.document(), environment=where, allowReplaceWhileRunning=True)
    first = {"inputs": given, "deleteBeforeReplace": False}
    assert stack.up(**first).returncode == 0
    old = stack.job()
    changed = {**first, "inputs": {**given, "document": bodies.document(framework="jax")}}
    done = stack.up(**changed)
    assert done.returncode == 0, done.stdout
    assert stack.job() != old
    assert plugin.read(old)[0] == ""
    assert plugin.read(stack.job())[1]["state"] in ("JOB_STATE_PENDING", "JOB_STATE_RUNNING")
    calls = [sent.path.rpartition("/")[2] for sent in proxy.sent if sent.method == "POST"]
    assert [call.partition(":")[2] or call for call in calls] == ["customJobs", "cancel", "customJobs"]


def test_a_forced_replacement_that_creates_before_it_deletes_leaves_the_job_running(
    stack: Stack, proxy: Proxy, plugin: Plugin
) -> None:
    """The new resource takes the running job over: its deletion as the old one would end it."""
    asked = {"inputs": bodies.inputs(document=bodies.document()), "deleteBeforeReplace": False}
    assert stack.up(**asked).returncode == 0
    job = stack.job()
    urn = next(resource["urn"] for resource in stack.resources() if resource["type"] == "trainingjobs:vertex:CustomJob")
    done = stack.run("up", "--yes", "--skip-preview", "--replace", urn, **asked)
    assert done.returncode == 0, done.stdout
    assert stack.job() == job
    assert plugin.read(job)[1]["state"] in ("JOB_STATE_PENDING", "JOB_STATE_RUNNING")
    assert "raise `run`" in done.stdout


def test_a_failed_job_fails_the_run_until_it_is_run_again(stack: Stack, proxy: Proxy) -> None:
    failing = bodies.inputs(bodies.FAILING, document=bodies.document(), run=1)
    first = stack.up(inputs=failing, waitFor="succeeded")
    assert first.returncode != 0
    assert "the disk is full" in first.stdout
    job = stack.job()
    assert stack.up(inputs=failing, waitFor="succeeded").returncode != 0
    assert (stack.job(), stack.waits(), len(proxy.submissions())) == (job, [], 1)
    fixed = {**failing, "jobSpec": bodies.body(bodies.SHORT), "run": 2}
    assert stack.up(inputs=fixed, waitFor="succeeded").returncode == 0
    assert stack.job() != job
    assert len(stack.waits()) == 1
    assert len(proxy.submissions()) == 2


def test_in_prod_a_preview_refuses_to_cancel_a_live_job(stack: Stack) -> None:
    given = bodies.inputs(environment="prod")
    assert stack.up(inputs=given).returncode == 0
    refused = stack.run("preview", inputs={**given, "jobSpec": bodies.body(["sleep", "301"])})
    assert refused.returncode != 0
    assert "allowReplaceWhileRunning" in refused.stdout


def test_an_imported_job_stays_as_it_is(stack: Stack, proxy: Proxy, plugin: Plugin) -> None:
    given = bodies.inputs(document=bodies.document())
    job, _ = plugin.create(given)
    assert stack.up(inputs=given, **{"import": job}).returncode == 0
    assert stack.job() == job
    stack.up(inputs=given)
    settled = stack.run("preview", inputs={**given, "jobSpec": bodies.body(["derived anew"])})
    assert "2 unchanged" in settled.stdout
    assert len(proxy.submissions()) == 1
