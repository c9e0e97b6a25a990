"""The provider's gRPC service in this process, so that a sweep of faults does not sleep through its waits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2_grpc

from tests.provider.plugin_process import Engine, Plugin
from trainingjobs.clients.vertex import jobs, service
from trainingjobs.provider.servicer import Servicer


class InProcess(Plugin):
    """A plugin without a process of its own; the waits between two tries are milliseconds."""

    def __init__(self, environment: dict[str, str], engine: Engine, patch: pytest.MonkeyPatch) -> None:
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.setattr(service, "FIRST_DELAY", 0.005)
        patch.setattr(service, "LONGEST_DELAY", 0.02)
        patch.setattr(jobs, "FIRST_POLL", 0.02)
        patch.setattr(jobs, "LONGEST_POLL", 0.1)
        self.engine = engine
        servicer = Servicer()
        servicer.log.connect(engine.address)
        self.server = grpc.server(ThreadPoolExecutor(8))
        provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, self.server)
        port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.stub = provider_pb2_grpc.ResourceProviderStub(self.channel)

    def close(self) -> None:
        """Ends the service."""
        self.channel.close()
        self.server.stop(None)
