"""The pack's own process, started as a language host starts it."""

from __future__ import annotations

import signal
import subprocess
import sys

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import analyzer_pb2_grpc

from tests.policies.samples import ROOT

COSTLY = {"pydantic", "pulumi_gcp", "pulumi_kubernetes", "requests", "google.auth"}


def test_it_serves_from_any_folder_and_ends_at_once_without_a_trace() -> None:
    command = [sys.executable, "-u", "-m", "pulumi.policy", "127.0.0.1:1", str(ROOT / "policies")]
    with subprocess.Popen(command, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        with grpc.insecure_channel(f"127.0.0.1:{int(process.stdout.readline())}") as channel:
            info = analyzer_pb2_grpc.AnalyzerStub(channel).GetAnalyzerInfo(empty_pb2.Empty(), timeout=10)
        assert info.name == "training"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 0
        assert process.stderr.read() == ""


def test_it_loads_nothing_that_judging_does_not_need() -> None:
    code = "import sys, pulumi; old = set(sys.modules); import trainingjobs.policy_pack.analyzer; "
    code += "print(*(set(sys.modules) - old))"
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    assert "trainingjobs.rules" in loaded
    assert COSTLY & set(loaded) == set()
