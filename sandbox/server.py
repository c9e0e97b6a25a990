"""The server process: the job API over HTTP on loopback, faults and logs. `python -m sandbox start` starts it.

Owns HTTP, the bearer token and the end of the process. What a request means is sandbox/vertex/api.py's.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from sandbox.injected_faults import Fault, Faults
from sandbox.state_folder import still_holds, take_lock, write_json
from sandbox.vertex.api import Api
from sandbox.vertex.errors import ApiError, status_body
from trainingjobs.project.sandbox_folder import SERVER_LOCK

_MAX_BYTES = 10_000_000
# Seconds between two checks that the state folder is still there.
_POLL_SECONDS = 0.5
_LOG = re.compile(r"/sandbox/logs/(?P<run>[0-9]+(-[0-9]+)?)/(?P<replica>workerpool[0-3]-[0-9]+)")
_UNAUTHENTICATED = (
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
    "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
)


class Server(ThreadingHTTPServer):
    """The listening server with what its requests share."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, state: Path, has_folder: Callable[[], bool]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.state = state
        self.token = secrets.token_urlsafe(24)
        self.endpoint = f"http://127.0.0.1:{self.server_address[1]}"
        self.faults = Faults()
        self.api = Api(state, self.endpoint, has_folder)

    def handle_error(self, request: object, client_address: object) -> None:
        """Writes what went wrong to the log, unless the client just went away."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536
    server: Server

    def do_GET(self) -> None:
        """Answers a GET request."""
        self._serve()

    def do_POST(self) -> None:
        """Answers a POST request."""
        self._serve()

    def do_DELETE(self) -> None:
        """Answers a DELETE request."""
        self._serve()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: a client that polls would fill the log."""

    def _serve(self) -> None:
        try:
            body = self._read_body()
            self._check_token()
            url = urlsplit(self.path)
            if url.path.startswith("/sandbox/"):
                self._sandbox_route(url.path, body)
            else:
                self._api_route(url.path, dict(parse_qsl(url.query, keep_blank_values=True)), body)
        except ApiError as error:
            self._send(error.http, error.body())

    def _read_body(self) -> object:
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdigit() or int(length) > _MAX_BYTES:
            self.close_connection = True
            raise ApiError("INVALID_ARGUMENT", f"The body needs a Content-Length of at most {_MAX_BYTES} bytes.")
        text = self.rfile.read(int(length))
        try:
            return json.loads(text) if text.strip() else {}
        except (ValueError, RecursionError) as error:
            raise ApiError("INVALID_ARGUMENT", f"Invalid JSON payload received. {error}") from None

    def _check_token(self) -> None:
        authorization = self.headers.get("Authorization", "")
        if not secrets.compare_digest(authorization.encode(), f"Bearer {self.server.token}".encode()):
            raise ApiError("UNAUTHENTICATED", _UNAUTHENTICATED)

    def _sandbox_route(self, path: str, body: object) -> None:
        if path == "/sandbox/faults":
            if self.command == "DELETE":
                self.server.faults.clear()
            elif self.command == "POST":
                try:
                    self.server.faults.add(body)
                except ValueError as error:
                    raise ApiError("INVALID_ARGUMENT", str(error)) from None
            self._send(200, {"faults": self.server.faults.listed()})
        elif (match := _LOG.fullmatch(path)) and self.command == "GET":
            file = self.server.state / "logs" / match["run"] / f"{match['replica']}.log"
            if not file.is_file():
                raise ApiError("NOT_FOUND", f"{path}: there is no such log.")
            self._send_bytes(200, file.read_bytes(), "text/plain; charset=utf-8")
        else:
            raise ApiError("NOT_FOUND", f"{self.command} {path} is no method here.")

    def _api_route(self, path: str, query: dict[str, str], body: object) -> None:
        fault = self.server.faults.take(self.command, path)
        if fault is not None and fault.kind == "reset":
            self._reset()
            return
        if fault is not None and fault.kind == "status":
            retry = {} if fault.retryAfter is None else {"Retry-After": str(fault.retryAfter)}
            self._send(fault.status, status_body(fault.status), retry)
            return
        if fault is not None and fault.kind == "slow":
            time.sleep(fault.seconds)
        try:
            status, answer = 200, self.server.api.answer(self.command, path, query, body)
        except ApiError as error:
            status, answer = error.http, error.body()
        if fault is None or not self._cut(fault):
            self._send(status, answer)

    def _cut(self, fault: Fault) -> bool:
        """Returns whether the fault took the place of the answer to a request that was carried out."""
        if fault.kind == "drop-answer":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return True
        if fault.kind == "garbage":
            self._send_bytes(200, b"<html><body>not what you asked for", "text/html")
            return True
        return False

    def _reset(self) -> None:
        # Lingering for no time makes the close a reset instead of an orderly end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def _send(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(body).encode(), "application/json; charset=UTF-8", headers)

    def _send_bytes(
        self, status: int, content: bytes, content_type: str, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": content_type,
            "Content-Length": str(len(content)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def main(state: Path) -> int:
    """Serves until SIGTERM, SIGINT or the removal of the state folder. Returns 0; 1 where another server has it."""
    lock = take_lock(state, SERVER_LOCK)
    if lock is None:
        print("another sandbox server has this folder", file=sys.stderr)
        return 1
    os.ftruncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())
    stopped = threading.Event()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signal_number, lambda *_: stopped.set())

    def has_folder() -> bool:
        return still_holds(state, SERVER_LOCK, lock)

    try:
        server = Server(state, has_folder)
    except OSError as error:
        print(f"cannot listen on 127.0.0.1: {error.strerror or error}", file=sys.stderr)
        return 1
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    write_json(
        state / "api.json",
        {
            "endpoint": server.endpoint,
            "pid": os.getpid(),
            "token": server.token,
            "startedAt": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        },
        private=True,
    )
    # Nobody could stop a server whose folder was removed: what names its process went with it.
    while not stopped.wait(_POLL_SECONDS) and has_folder():
        pass
    server.shutdown()
    server.server_close()
    server.api.close()
    if has_folder():
        (state / "api.json").unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
