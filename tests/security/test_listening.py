"""Who listens, where, and who may ask: every server of the project on loopback, the sandbox's behind a token."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import empty_pb2

from tests.engine.clone import descendants, until
from tests.engine.lab import PROJECT, ROOT, Lab, job
from tests.provider.plugin_process import Engine, Plugin
from tests.sandbox.gcp_process import Plugin as StandIn

# The state of a listening socket in /proc/net/tcp.
LISTEN = "0A"
JOBS = f"/v1/projects/{PROJECT}/locations/us-central1/customJobs"
ROUTES = [
    ("GET", JOBS), ("POST", JOBS), ("GET", f"{JOBS}/1"), ("POST", f"{JOBS}/1:cancel"), ("DELETE", f"{JOBS}/1"),
    ("GET", "/sandbox/faults"), ("POST", "/sandbox/faults"), ("DELETE", "/sandbox/faults"),
    ("GET", "/sandbox/logs/1/workerpool0-0"), ("POST", "/v2/entries:list"), ("GET", "/"),
]  # fmt: skip


def listening(pid: int) -> set[str]:
    """Returns the addresses on which a process listens."""
    sockets = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            sockets.add(str(entry.readlink()))
        except FileNotFoundError:
            continue
    addresses = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTEN and f"socket:[{inode}]" in sockets:
                addresses.add(address(local.partition(":")[0]))
    return addresses


def address(word: str) -> str:
    """Returns an address of /proc/net: words of four bytes, each in the machine's order."""
    words = [bytes.fromhex(word[at : at + 8])[::-1] for at in range(0, len(word), 8)]
    return ".".join(map(str, words[0])) if len(words) == 1 else b"".join(words).hex()


def on_loopback(addresses: set[str]) -> bool:
    v4_in_v6 = "00000000000000000000ffff7f"
    own = ("127.", "0" * 31 + "1", v4_in_v6)
    return bool(addresses) and all(each.startswith(own) for each in addresses)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    made = Lab(tmp_path_factory.mktemp("listening"))
    made.start()
    yield made
    made.sandbox("stop")


def test_the_sandbox_listens_on_loopback_and_so_do_its_jobs(lab: Lab) -> None:
    lab.write("listens", {"bert": job("import time; time.sleep(60)", waitFor="running")})
    done = lab.up("listens")
    assert done.returncode == 0, done.stdout
    server = int(json.loads((lab.state / "api.json").read_text())["pid"])
    assert on_loopback(listening(server))
    # The reduction server's stand-in listens too.
    replicas = until(lambda: [pid for pid in descendants(server) if listening(pid)])
    assert all(on_loopback(listening(pid)) for pid in replicas)
    assert lab.pulumi("destroy", "listens", "--yes", "--skip-preview").returncode == 0


def test_everything_that_a_run_of_the_engine_starts_listens_on_loopback(lab: Lab) -> None:
    """The engine's own servers, the language host, the plugin, the pack and the stand-in, seen while they run."""
    lab.write("seen", {"bert": job()})
    lab.pulumi("stack", "seen")
    config = str(lab.project / "Pulumi.seen.yaml")
    words = ("preview", "-s", "seen", "--non-interactive", "--config-file", config, "--policy-pack", "policies")
    run = subprocess.Popen(["pulumi", *words], cwd=ROOT, env=lab.environment, stdout=subprocess.DEVNULL)
    listeners: dict[str, set[str]] = {}
    while run.poll() is None:
        for pid, command in {run.pid: "pulumi", **descendants(run.pid)}.items():
            try:
                addresses = listening(pid)
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
            if addresses:
                listeners[command] = addresses
    assert run.returncode == 0
    for part in ("pulumi", "language", "trainingjobs/provider", "policies", "sandbox"):
        assert any(part in command for command in listeners), (part, list(listeners))
    assert {command: addresses for command, addresses in listeners.items() if not on_loopback(addresses)} == {}


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("given", [None, "", "Bearer ", "Bearer wrong", "Basic {token}", "{token}", "bearer {token}x"])
def test_without_the_token_nothing_is_answered(lab: Lab, method: str, path: str, given: str | None) -> None:
    api = lab.environment["TRAINING_VERTEX_ENDPOINT"]
    token = lab.environment["TRAINING_VERTEX_TOKEN"]
    request = urllib.request.Request(api + path, method=method, data=b"{}" if method == "POST" else None)
    if given is not None:
        request.add_header("Authorization", given.format(token=token))
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    assert refused.value.code == 401
    answer: dict[str, Any] = json.loads(refused.value.read())
    assert answer["error"]["status"] == "UNAUTHENTICATED"
    assert token not in json.dumps(answer)


def test_a_token_is_long_and_of_one_start(tmp_path: Path) -> None:
    tokens = set()
    for name in ("one", "two"):
        own = Lab(tmp_path / name)
        own.start()
        tokens.add(own.environment["TRAINING_VERTEX_TOKEN"])
        own.sandbox("stop")
    assert len(tokens) == 2
    assert all(len(token) >= 32 for token in tokens)


def test_the_plugins_port_is_loopback(lab: Lab) -> None:
    """Pulumi's plugin protocol knows no token: whoever has an account on this machine may call the port."""
    engine = Engine()
    kept = {key: value for key, value in lab.environment.items() if key.startswith("TRAINING_")}
    plugin = Plugin(kept, engine)
    try:
        assert on_loopback(listening(plugin.process.pid))
    finally:
        plugin.close()
        engine.server.stop(None)


def test_the_stand_ins_port_is_loopback(tmp_path: Path) -> None:
    provider = StandIn(tmp_path)
    try:
        provider.calls.GetPluginInfo(empty_pb2.Empty(), timeout=20)
        assert on_loopback(listening(provider.process.pid))
    finally:
        provider.close()


@pytest.mark.parametrize("endpoint", ["http://192.0.2.1:80", "http://0.0.0.0:80", "http://127.0.0.1.example.com:80"])
def test_a_token_is_sent_to_this_machine_only(endpoint: str) -> None:
    code = "from trainingjobs.clients.vertex.service import local_endpoint; print(local_endpoint())"
    environment = {**os.environ, "TRAINING_VERTEX_ENDPOINT": endpoint, "TRAINING_VERTEX_TOKEN": "t"}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "is not on this machine" in done.stderr
