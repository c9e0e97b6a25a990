"""The policy pack's server: answers the engine's analyzer calls on a loopback port that it prints."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
from pulumi.runtime.proto import analyzer_pb2_grpc

from trainingjobs.policy_pack.analyzer import Analyzer

MESSAGE_LIMIT = 400 * 1024 * 1024


def serve() -> None:
    """Serves until whoever started the pack ends it."""
    # A language host ends its plugins by SIGINT: at once and without a traceback, or every run would end late.
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    server = grpc.server(ThreadPoolExecutor(4), options=[("grpc.max_receive_message_length", MESSAGE_LIMIT)])
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(Analyzer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    server.wait_for_termination()
