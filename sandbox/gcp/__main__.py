"""The plugin's process: serves on loopback, prints its port, and ends with the engine."""

from __future__ import annotations

import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc

from sandbox.gcp.servicer import Provider
from trainingjobs.engine.sdk import provider_pb2_grpc

ANY_SIZE = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
PARENT_POLL_SECONDS = 0.5


def main(arguments: list[str]) -> int:
    """Serve until the engine ends or says so, and return the exit status.

    The engine starts a plugin with its own address as the argument. Without one the process was started by hand (for
    PULUMI_DEBUG_PROVIDERS) and outlives its parent.
    """
    stopped = threading.Event()

    def stop(*_: Any) -> None:
        stopped.set()

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    parent = os.getppid()
    server = grpc.server(ThreadPoolExecutor(max_workers=8), options=ANY_SIZE)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Provider(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    while not stopped.wait(PARENT_POLL_SECONDS):
        # An engine that was killed closes nothing: without this check the process would stay for ever.
        if arguments and os.getppid() != parent:
            break
    server.stop(grace=1).wait()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
