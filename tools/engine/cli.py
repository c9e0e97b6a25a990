"""The command: finds the engine or builds it, says what it does, and names the folder to put on PATH."""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tools.engine.cache import build_lock, built_bin, cache_root, group_folder, staged
from tools.engine.found import find_pulumi
from tools.engine.gobuild import BuildFailed, build, find_go
from tools.engine.pins import Group, load_group
from tools.interrupt import INTERRUPTED


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status: 0 there is an engine, 1 there is none, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog="python3 -m tools.engine", description="Find the Pulumi engine on PATH, or build it into the cache."
    )
    parser.add_argument("--print-bin", action="store_true", help="print only the folder to put on PATH")
    only_folder = parser.parse_args(arguments).print_bin
    signal.signal(signal.SIGTERM, interrupt)
    try:
        folder = engine_bin()
    except BuildFailed as problem:
        say(str(problem))
        return 1
    except KeyboardInterrupt:
        say("interrupted: nothing half built stays; run it again to go on")
        return INTERRUPTED
    print(folder if only_folder else f'engine: {folder}\nto use it by hand: export PATH="{folder}:$PATH"')
    return 0


def say(text: str) -> None:
    """Tells the user what happens, on standard error: standard output is for the result."""
    print(text, file=sys.stderr, flush=True)


def engine_bin(*, quiet: bool = False) -> Path:
    """Returns the folder that holds pulumi, building it if there is none. BuildFailed if it cannot be had.

    `quiet`: says nothing where there is nothing to do.
    """
    group = load_group("engine")
    found = find_pulumi(group.version)
    if found and not found.problem:
        if not quiet:
            say(f"pulumi {found.version} on PATH ({found.program}) will do")
        return found.program.parent
    if found:
        say(f"pulumi {found.version} on PATH ({found.program}) will not do: {found.problem}")
    cached = built_bin(group)
    if cached:
        if not quiet:
            say(f"pulumi {group.version} is built")
        return cached
    return _built(group)


def _built(group: Group) -> Path:
    try:
        go, go_version = find_go(group)
    except BuildFailed as problem:
        raise BuildFailed(_what_to_install(group, str(problem))) from problem
    with build_lock(group, say):
        if cached := built_bin(group):
            return cached
        say(
            f"building pulumi {group.version} with {go} (Go {go_version}) into {cache_root()}: about {group.minutes} "
            "minutes and 3 GB of Go's caches the first time on two cores, a few seconds when those are warm"
        )
        started = time.monotonic()
        with staged(group) as stage:
            build(group, go, stage, say)
        say(f"built in {time.monotonic() - started:.0f} s")
    return group_folder(group) / "bin"


def _what_to_install(group: Group, problem: str) -> str:
    return (
        f"no engine: no pulumi on PATH that will do, none built yet, and {problem}. Install one of:\n"
        f"  - Pulumi {group.version} or newer (https://www.pulumi.com/docs/install/): nothing is built then\n"
        f"  - Go {group.go} or newer (https://go.dev/dl/): this then builds Pulumi in about {group.minutes} minutes"
    )


def interrupt(*_: object) -> NoReturn:
    """Ends the command as Ctrl-C does: for SIGTERM, so that a build that is ended leaves nothing half built."""
    raise KeyboardInterrupt
