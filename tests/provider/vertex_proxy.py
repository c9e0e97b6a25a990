"""A loopback proxy in front of the sandbox's job API: records what the plugin sends, and loses or refuses answers."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Sent:
    """One request of the plugin, and the status that it was answered with; 0 where the answer was lost."""

    method: str
    path: str
    body: Any
    status: int


@dataclass
class Proxy:
    """Faults are taken in order by the requests of a method.

    ("pass",): none. ("lose",): carried out, the answer lost. ("refuse", status, headers, message): not carried out.
    ("answer", object): not carried out, answered with the object. ("hold", seconds): carried out, answered later.
    ("garbage",): carried out, answered with text that is no JSON. ("reset",): not carried out, the connection reset.
    """

    target: str
    sent: list[Sent] = field(default_factory=list)
    faults: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    held: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        proxy = self

        class Handler(_Handler):
            owner = proxy

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def take_fault(self, method: str) -> tuple[Any, ...] | None:
        with self.lock:
            waiting = self.faults.get(method, [])
            return waiting.pop(0) if waiting else None

    def submissions(self) -> list[Sent]:
        """The calls that asked for a new job."""
        return [sent for sent in self.sent if sent.method == "POST" and sent.path.endswith("/customJobs")]

    def names_read(self) -> list[str]:
        """The jobs that were looked at by name."""
        read = [sent for sent in self.sent if sent.method == "GET" and "/customJobs/" in sent.path]
        return [sent.path.removeprefix("/v1/") for sent in read]


class _Handler(BaseHTTPRequestHandler):
    owner: Proxy
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def _serve(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.owner.take_fault(self.command)
        if fault == ("reset",):
            # Lingering for no time makes the close a reset instead of an orderly end.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        if fault and fault[0] == "refuse":
            answer = json.dumps({"error": {"code": fault[1], "message": fault[3], "status": "INJECTED"}}).encode()
            status, headers = fault[1], fault[2]
        elif fault and fault[0] == "answer":
            status, headers, answer = 200, {}, json.dumps(fault[1]).encode()
        else:
            status, answer = self._forward(raw)
            headers = {}
        if fault == ("garbage",):
            answer = b"<html><body>not what you asked for"
        answer_lost = fault == ("lose",)
        body = json.loads(raw) if raw else None
        self.owner.sent.append(Sent(self.command, self.path, body, 0 if answer_lost else status))
        if fault and fault[0] == "hold":
            self.owner.held = True
            time.sleep(fault[1])
        if answer_lost:
            self.close_connection = True
            self.connection.close()
            return
        with contextlib.suppress(ConnectionError):
            self._answer(status, headers, answer)

    def _answer(self, status: int, headers: dict[str, str], answer: bytes) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _forward(self, raw: bytes) -> tuple[int, bytes]:
        kept = {key: self.headers[key] for key in ("Authorization", "Content-Type") if self.headers[key]}
        request = urllib.request.Request(
            self.owner.target + self.path, data=raw or None, headers=kept, method=self.command
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read()

    do_GET = do_POST = do_DELETE = _serve
