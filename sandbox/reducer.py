"""What the reduction server's image stands for in the sandbox: listens on its own address of CLUSTER_SPEC and waits.

It reduces nothing: workers that run without NCCL never speak its protocol. It never ends by itself, as the real one.
"""

from __future__ import annotations

import json
import os
import socket
import threading


def own_address() -> tuple[str, int]:
    """Returns host and port of this replica. Raises KeyError or ValueError where CLUSTER_SPEC does not hold it."""
    spec = json.loads(os.environ["CLUSTER_SPEC"])
    task = spec["task"]
    host, _, port = spec["cluster"][task["type"]][task["index"]].rpartition(":")
    return host, int(port)


def drain(connection: socket.socket) -> None:
    """Reads and forgets what a peer sends until it closes."""
    with connection:
        while connection.recv(65536):
            pass


def main() -> None:
    """Serves until the process is stopped."""
    with socket.create_server(own_address()) as listener:
        print("reducer: listening on", *listener.getsockname(), flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=drain, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
