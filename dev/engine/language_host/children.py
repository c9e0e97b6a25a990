"""The processes that the language host starts: programs, plugins, policy packs. None outlives the host."""

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock, Thread

_GUARD = str(Path(__file__).with_name("guard.py"))
# Linux lets no variable of a new process be longer than 128 KiB; a stack of 300 jobs has a longer PULUMI_CONFIG.
LONGEST_VARIABLE = 100_000  # in characters of at most four bytes; those of JSON are ASCII
GRACE_SECONDS = 2.0  # the engine kills the host itself 5 s after it interrupted it


class Child:
    """A running program in a process group of its own, so that the engine's interrupt reaches the host only."""

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self.popen = popen
        self.stopped = False

    def wait(self) -> int:
        """Waits for the end; returns the exit status, negative for a signal."""
        return self.popen.wait()

    def stop(self) -> None:
        """Ends the program and what it started, without waiting: SIGTERM, SIGKILL if it is still there later."""
        if self.popen.poll() is None:
            self.stopped = True
            self._signal(signal.SIGTERM)
            Thread(target=self.kill_after_grace, daemon=True).start()

    def kill_after_grace(self) -> None:
        """Waits up to the grace time and kills what is left of the group."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(GRACE_SECONDS)
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, number)


def _kept(variables: Mapping[str, str]) -> int:
    """Returns the descriptor of a file that holds the variables and has no name: a configuration may hold secrets."""
    import tempfile  # 10 ms that few programs need

    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(variables).encode())
        file.seek(0)
        return os.dup(file.fileno())


class Children:
    """All running children of this host."""

    def __init__(self) -> None:
        # Nobody writes: the children's reading end sees the end of file when this process is gone, even by SIGKILL.
        self._alive, self._host_holds = os.pipe()
        self._running: set[Child] = set()
        self._lock = Lock()

    def start(
        self, python: Path, arguments: Sequence[str], *, env: Mapping[str, str], cwd: str | None, captured: bool
    ) -> Child:
        """Starts `python` with a script or `-m module` and its arguments; OSError where that interpreter cannot run."""
        output = subprocess.PIPE if captured else None
        long = {name: value for name, value in env.items() if len(value) > LONGEST_VARIABLE}
        file = _kept(long) if long else -1
        try:
            popen = subprocess.Popen(  # what to run is what the engine asked for
                [str(python), "-u", _GUARD, str(self._alive), str(file), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=cwd,
                env={name: value for name, value in env.items() if name not in long},
                pass_fds=(self._alive, file) if long else (self._alive,),
                start_new_session=True,
            )
        finally:
            if long:
                os.close(file)
        child = Child(popen)
        with self._lock:
            self._running = {c for c in self._running if c.popen.poll() is None} | {child}
        return child

    def stop_all(self) -> None:
        """Ends every child and waits for it."""
        with self._lock:
            running = list(self._running)
        for child in running:
            child.stop()
        for child in running:
            child.kill_after_grace()
