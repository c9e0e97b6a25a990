"""Starts the process that runs one job or one trial, and follows it. The other end is sandbox/vertex/runner.py."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, cast

from sandbox.state_folder import ROOT
from sandbox.vertex.images import map_file
from sandbox.vertex.records import number_of, stopped_error


class Runner:
    """A runner process. On `cancel`, on `abandon` and when this process dies it ends its replicas, then itself."""

    def __init__(
        self,
        state: Path,
        name: str,
        job_spec: dict[str, Any],
        trial: str | None = None,
        arguments: tuple[str, ...] = (),
    ) -> None:
        launch = {
            "name": name,
            "run": number_of(name) + (f"-{trial}" if trial is not None else ""),
            "jobSpec": job_spec,
            "trial": trial,
            "arguments": list(arguments),
            "state": str(state),
            "images": str(map_file()),
        }
        with (state / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "sandbox.vertex.runner"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        self._input = cast(IO[bytes], self._process.stdin)
        self._output = cast(IO[bytes], self._process.stdout)
        self._write_line(json.dumps(launch).encode() + b"\n")

    def follow(self, on_running: Callable[[], None]) -> dict[str, Any]:
        """Returns the result: {"state", "error", "measurements"}; calls `on_running` once all replicas have started."""
        result: dict[str, Any] = {"state": "FAILED", "error": stopped_error()}
        with self._output as output:
            for line in output:
                event = json.loads(line)
                if "running" in event:
                    on_running()
                else:
                    result = event["result"]
        self._process.wait()
        self.abandon()
        return result

    def cancel(self) -> None:
        """Asks for the end of the job; `follow` returns its result."""
        self._write_line(b"cancel\n")

    def abandon(self) -> None:
        """Ends the job without a result."""
        try:
            self._input.close()
        except BrokenPipeError:
            return

    def _write_line(self, line: bytes) -> None:
        try:
            self._input.write(line)
            self._input.flush()
        except (BrokenPipeError, ValueError):
            # It has ended already: `follow` says how.
            return
