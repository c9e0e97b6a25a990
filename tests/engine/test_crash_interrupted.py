"""Ctrl-C in a terminal, which tells every process of `make up`: nothing is lost, and no job is touched by it."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.clone import Clone, until
from tests.engine.crashes import LATE, assert_settled, held, job, up, waits
from tests.records import record

CTRL_C = b"\x03"
# A terminal that is wide enough for the engine's own display.
ROWS, COLUMNS = 40, 140


class Terminal:
    """`make up` in the foreground of a terminal of its own."""

    def __init__(self, clone: Clone) -> None:
        self.controller, tty = pty.openpty()
        fcntl.ioctl(tty, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        # A shell of its own takes the terminal: a key then tells the whole process group.
        words = (
            "import os, sys, fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", words, sys.executable, "-m", "trainingjobs", "up", clone.stack, "--yes"],
            cwd=clone.root,
            env={**clone.environment, "TERM": "xterm"},
            stdin=tty,
            stdout=tty,
            stderr=tty,
            start_new_session=True,
        )
        os.close(tty)
        self.output = b""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        try:
            while data := os.read(self.controller, 65536):
                self.output += data
        except OSError:
            # The other side is closed.
            return

    def press(self, key: bytes) -> None:
        os.write(self.controller, key)

    def end(self) -> str:
        """Waits for the end and returns what was shown."""
        try:
            self.process.wait(timeout=60)
        finally:
            if self.process.poll() is None:
                self.process.kill()
        self.reader.join(timeout=5)
        os.close(self.controller)
        return self.output.decode(errors="replace")


def interrupted(clone: Clone, at: Callable[[], Any], presses: int = 1) -> str:
    """Returns what `make up` shows that is interrupted at a point; it must end by itself, and not well."""
    terminal = Terminal(clone)
    try:
        until(at)
        for _ in range(presses):
            terminal.press(CTRL_C)
            threading.Event().wait(0.3)
    finally:
        output = terminal.end()
    assert terminal.process.returncode not in (0, None), output
    assert "Traceback" not in output
    return output


def test_while_waiting(clone: Clone) -> None:
    clone.declare({"bert": job(waitFor="succeeded")})
    output = interrupted(clone, lambda: waits(clone))
    [running] = clone.live()
    assert clone.known() == [running]
    assert not clone.deployment().get("pending_operations")
    assert "goes on" in output
    clone.write({"bert": job()})
    assert_settled(clone, clone.make("up"))
    assert clone.known() == [running]
    record("kills", killed="Ctrl-C", when="while waiting", then="the job goes on, the state knows it", records=1)


@pytest.mark.parametrize("presses", [1, 2])
def test_at_submit(clone: Clone, presses: int) -> None:
    """Once: the engine waits for the answer. Twice: it ends at once."""
    clone.declare({"bert": job()})
    clone.faults(held("POST customJobs", LATE))
    interrupted(clone, lambda: not clone.faults_left(), presses)
    done = clone.make("up")
    assert_settled(clone, done)
    assert len(clone.jobs()) == 1
    when = "at submit" if presses == 1 else "at submit, twice"
    record("kills", killed="Ctrl-C", when=when, then="one job runs and the state knows it", records=1)


def test_in_replace(clone: Clone) -> None:
    clone.declare({"bert": job()})
    up(clone)
    clone.write({"bert": job("import time; time.sleep(304)")})
    clone.faults(held("POST :cancel"))
    interrupted(clone, lambda: not clone.faults_left())
    assert_settled(clone, clone.make("up"))
    assert len(clone.jobs()) == 1
    then = "one job runs and the state knows it: submitted"
    record("kills", killed="Ctrl-C", when="in replace, cancelling", then=then, records=1)
