"""The real plugin process, and the engine's side of the conversation with it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc, provider_pb2, provider_pb2_grpc

ROOT = Path(__file__).resolve().parents[2]
# By which `make coverage` measures the process too.
MEASURES = ("COVERAGE_FILE", "COVERAGE_PROCESS_CONFIG")
STATE_ID = "0f0e0d0c-1111-4222-8333-444455556666"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
CUSTOM_JOB = "trainingjobs:vertex:CustomJob"
COMPLETION = "trainingjobs:index:Completion"


def urn(token: str = CUSTOM_JOB, name: str = "job", stack: str = "dev") -> str:
    return f"urn:pulumi:{stack}::training::training:vertex:Job${token}::{name}"


def struct(properties: dict[str, Any]) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    made.update(properties)
    return made


def plain(made: struct_pb2.Struct) -> dict[str, Any]:
    from trainingjobs.engine.values import from_struct

    return from_struct(made)


class Engine(engine_pb2_grpc.EngineServicer):
    """Keeps the lines that the plugin sends."""

    def __init__(self) -> None:
        self.lines: list[engine_pb2.LogRequest] = []
        self.server = grpc.server(ThreadPoolExecutor(4))
        engine_pb2_grpc.add_EngineServicer_to_server(self, self.server)
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def Log(self, request: Any, context: Any) -> Any:
        self.lines.append(request)
        return empty_pb2.Empty()

    def logged(self, part: str, *, ephemeral: bool = False) -> bool:
        return any(part in line.message and line.ephemeral == ephemeral for line in self.lines)


class Plugin:
    """A plugin process that is configured as the engine does it; `state_id` is the provider resource's id."""

    def __init__(self, environment: dict[str, str], engine: Engine, state_id: str = STATE_ID) -> None:
        kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG", *MEASURES) if key in os.environ}
        self.process = subprocess.Popen(
            [sys.executable, "-u", str(ROOT / "trainingjobs" / "provider"), engine.address],
            cwd="/",
            env={**kept, **environment},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.engine = engine
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.port}")
        self.stub = provider_pb2_grpc.ResourceProviderStub(self.channel)
        self.stub.Handshake(
            provider_pb2.ProviderHandshakeRequest(engine_address=engine.address, configure_with_urn=True)
        )
        self.configure(state_id)

    def configure(self, state_id: str) -> None:
        self.state_id = state_id
        self.stub.Configure(provider_pb2.ConfigureRequest(id=state_id, urn="u", name="default", type="t"))

    def next_run(self) -> None:
        """Configures it again, as the engine does once in each run."""
        self.configure(self.state_id)

    def close(self) -> None:
        self.channel.close()
        self.process.terminate()
        self.process.wait(30)

    def check(self, inputs: dict[str, Any], token: str = CUSTOM_JOB) -> list[tuple[str, str]]:
        answer = self.stub.Check(provider_pb2.CheckRequest(urn=urn(token), news=struct(inputs)))
        return [(failure.property, failure.reason) for failure in answer.failures]

    def create(
        self, inputs: dict[str, Any], token: str = CUSTOM_JOB, *, preview: bool = False, name: str = "job"
    ) -> tuple[str, dict[str, Any]]:
        answer = self.stub.Create(
            provider_pb2.CreateRequest(urn=urn(token, name), properties=struct(inputs), preview=preview)
        )
        return answer.id, plain(answer.properties)

    def create_later(self, inputs: dict[str, Any], token: str) -> tuple[threading.Thread, list[Any]]:
        """Starts a create and returns its thread and the list that its answer or error comes to."""
        outcome: list[Any] = []

        def work() -> None:
            try:
                outcome.append(self.create(inputs, token))
            except grpc.RpcError as error:
                outcome.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread, outcome

    def diff(
        self, job_id: str, outputs: dict[str, Any], news: dict[str, Any], token: str = CUSTOM_JOB,
        old_inputs: dict[str, Any] | None = None,
    ) -> provider_pb2.DiffResponse:  # fmt: skip
        return self.stub.Diff(
            provider_pb2.DiffRequest(
                id=job_id, urn=urn(token), olds=struct(outputs), news=struct(news), old_inputs=struct(old_inputs or {})
            )
        )

    def update(
        self, job_id: str, outputs: dict[str, Any], news: dict[str, Any], token: str = CUSTOM_JOB, *,
        preview: bool = False,
    ) -> dict[str, Any]:  # fmt: skip
        answer = self.stub.Update(
            provider_pb2.UpdateRequest(
                id=job_id, urn=urn(token), olds=struct(outputs), news=struct(news), preview=preview
            )
        )
        return plain(answer.properties)

    def read(
        self, job_id: str, outputs: dict[str, Any] | None = None, inputs: dict[str, Any] | None = None,
        token: str = CUSTOM_JOB,
    ) -> tuple[str, dict[str, Any], dict[str, Any]]:  # fmt: skip
        answer = self.stub.Read(
            provider_pb2.ReadRequest(
                id=job_id, urn=urn(token), properties=struct(outputs or {}), inputs=struct(inputs or {})
            )
        )
        return answer.id, plain(answer.properties), plain(answer.inputs)

    def delete(self, job_id: str, outputs: dict[str, Any], token: str = CUSTOM_JOB, timeout: float = 0.0) -> None:
        self.stub.Delete(
            provider_pb2.DeleteRequest(id=job_id, urn=urn(token), properties=struct(outputs), timeout=timeout)
        )

    def cancel(self) -> None:
        self.stub.Cancel(empty_pb2.Empty())
