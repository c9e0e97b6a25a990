"""The `trainingjobs` plugin's process: serves on a loopback port, prints the port, and ends with whoever started it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# A path plugin finds only its own folder, whose modules (errors, values) must not hide anybody else's.
FOLDER = Path(__file__).resolve().parent
sys.path[:] = [str(FOLDER.parents[1]), *(place for place in sys.path if Path(place).resolve() != FOLDER)]

import grpc  # noqa: E402

from trainingjobs.engine.sdk import provider_pb2_grpc  # noqa: E402
from trainingjobs.provider.servicer import Servicer  # noqa: E402

# Calls at once. A wait for a job holds one until the job ends, and Cancel must always find a free one.
CALLS = 512
MESSAGE_LIMIT = 400 * 1024 * 1024
PARENT_POLL_SECONDS = 0.5


def main() -> None:
    """Serves until the process that started the plugin ends it, or ends itself."""
    # Ctrl-C goes to the whole process group; the engine then says by Cancel what it wants of the provider.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    servicer = Servicer()
    addresses = [argument for argument in sys.argv[1:] if ":" in argument and not argument.startswith("-")]
    if addresses:
        servicer.log.connect(addresses[0])
    options = [("grpc.max_receive_message_length", MESSAGE_LIMIT), ("grpc.max_send_message_length", MESSAGE_LIMIT)]
    server = grpc.server(ThreadPoolExecutor(CALLS), options=options)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    server.wait_for_termination()


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_SECONDS)
    # A killed engine leaves nobody to answer; a call in flight is taken up by the next run.
    os._exit(0)


if __name__ == "__main__":
    main()
