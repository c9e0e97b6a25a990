"""Lines for the user, sent to the engine that started the provider."""

from __future__ import annotations

import contextlib
from typing import Final

import grpc

from trainingjobs.engine.sdk import engine_pb2, engine_pb2_grpc
from trainingjobs.engine.shown_findings import is_new

# Seconds after which a line is given up: a job's fate must not hang on a message.
PATIENCE: Final = 5.0
_SEVERITIES: Final = {"info": engine_pb2.INFO, "warning": engine_pb2.WARNING}


class EngineLog:
    """Sends lines to the engine once its address is known; before that, and where it is gone, they are dropped."""

    def __init__(self) -> None:
        self._engine: engine_pb2_grpc.EngineStub | None = None

    def connect(self, address: str) -> None:
        """Sends from now on to the engine at the address, HOST:PORT."""
        self._engine = engine_pb2_grpc.EngineStub(grpc.insecure_channel(address))

    def __call__(self, severity: str, message: str, urn: str, ephemeral: bool) -> None:
        """Shows the message beside the resource; `ephemeral` until the next one only, any other once in a run."""
        if self._engine is None or not (ephemeral or is_new(f"{urn} {message}")):
            return
        line = engine_pb2.LogRequest(severity=_SEVERITIES[severity], message=message, urn=urn, ephemeral=ephemeral)
        with contextlib.suppress(grpc.RpcError):
            self._engine.Log(line, timeout=PATIENCE)
