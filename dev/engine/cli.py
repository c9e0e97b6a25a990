"""The command: finds the engine or builds it, says what it does, and names the folder to put on PATH."""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from dev.engine.cache import BuildFailed, build_lock, built_bin, cache_root, group_folder, staged
from dev.engine.gobuild import build, find_go
from dev.engine.on_path import find_pulumi
from dev.engine.pins import Group, load_group
from trainingjobs.terminal.interrupt import INTERRUPTED


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status: 0 there is an engine, 1 there is none, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog="python3 -m dev.engine", description="Find the Pulumi engine on PATH, or build it into the cache."
    )
    parser.add_argument("--print-bin", action="store_true", help="print only the folder to put on PATH")
    only_folder = parser.parse_args(arguments).print_bin
    signal.signal(signal.SIGTERM, interrupt)
    try:
        folder = engine_bin()
    except BuildFailed as error:
        say(str(error))
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
    pulumi = find_pulumi(group.version)
    if pulumi and not pulumi.problem:
        if not quiet:
            say(f"pulumi {pulumi.version} on PATH ({pulumi.program}) will do")
        return pulumi.program.parent
    if pulumi:
        say(f"pulumi {pulumi.version} on PATH ({pulumi.program}) will not do: {pulumi.problem}")
    bin_folder = built_bin(group)
    if bin_folder:
        if not quiet:
            say(f"pulumi {group.version} is built")
        return bin_folder
    return _built(group)


def _built(group: Group) -> Path:
    try:
        go, go_version = find_go(group)
    except BuildFailed as error:
        raise BuildFailed(_what_to_install(group, str(error))) from error
    with build_lock(group, say):
        if bin_folder := built_bin(group):
            return bin_folder
        say(
            f"building pulumi {group.version} with {go} (Go {go_version}) into {cache_root()}: about {group.minutes} "
            "minutes and 3 GB of Go's caches the first time on two cores, a few seconds when those are warm"
        )
        started = time.monotonic()
        with staged(group) as stage:
            build(group, go, stage, say)
        say(f"built in {time.monotonic() - started:.0f} s")
    return group_folder(group) / "bin"


def _what_to_install(group: Group, reason: str) -> str:
    return (
        f"no engine: no pulumi on PATH that will do, none built yet, and {reason}. Install one of:\n"
        f"  - Pulumi {group.version} or newer (https://www.pulumi.com/docs/install/): nothing is built then\n"
        f"  - Go {group.go} or newer (https://go.dev/dl/): this then builds Pulumi in about {group.minutes} minutes"
    )


def interrupt(*_: object) -> NoReturn:
    """Ends the command as Ctrl-C does: for SIGTERM, so that a build that is ended leaves nothing half built."""
    raise KeyboardInterrupt
