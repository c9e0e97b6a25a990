"""Runs a Python program that must not outlive the language host: guard.py FD LONG (SCRIPT | -m MODULE) ARGS…

FD is the reading end of a pipe whose writing end only the host holds: its end of file is the host's end, however
that came. The program is started as the leader of its own process group, so its own children end with it. LONG is a
file that holds the variables that are too long for a new process, as JSON, or -1.
"""

import os
import runpy
import signal
import sys
from threading import Thread


def _watch(fd: int) -> None:
    os.read(fd, 1)
    os.killpg(0, signal.SIGKILL)


def _main() -> None:
    fd, long = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(fd, False)
    Thread(target=_watch, args=(fd,), name="host-watch", daemon=True).start()
    if long >= 0:
        import json

        with os.fdopen(long) as file:
            os.environ.update(json.load(file))
    sys.path.pop(0)  # else this folder's modules shadow the program's
    del sys.argv[:3]
    # Without pathlib, which costs 20 ms in front of every program.
    if sys.argv[0] == "-m":
        del sys.argv[0]
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        return
    if os.path.isfile(sys.argv[0]):  # noqa: PTH113
        sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))  # noqa: PTH100, PTH120
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    _main()
