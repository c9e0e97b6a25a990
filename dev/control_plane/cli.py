"""The command: builds what is missing of the control plane and the provider, and says how far it is."""

import argparse
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from dev.control_plane.parts import PARTS, PROVIDER, built, missing, part
from dev.engine.cache import BuildFailed, build_lock, built_bin, cache_root, group_folder, staged
from dev.engine.cli import interrupt, say
from dev.engine.gobuild import build, find_go
from trainingjobs.terminal.interrupt import INTERRUPTED


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status: 0 all there, 1 something cannot be built, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog="python3 -m dev.control_plane",
        description="The real Kubernetes control plane for tests and for the sandbox, and the real Pulumi provider.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    verbs.add_parser("build", help="build what is missing into the cache")
    verbs.add_parser("provider", help="print only the folder of the Pulumi provider, building it if it is missing")
    verb = parser.parse_args(arguments).verb
    signal.signal(signal.SIGTERM, interrupt)
    try:
        if verb == "provider":
            print(_built(PROVIDER) / "bin")
            return 0
        build_missing()
    except BuildFailed as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted: what was whole stays, nothing half built does; run it again to go on")
        return INTERRUPTED
    for name in PARTS:
        print(f"{name} {part(name).version}: {built(name)}")
    return 0


def build_missing() -> None:
    """Builds every part that is not built, saying how far it is. Raises BuildFailed."""
    names = missing()
    if names:
        minutes = sum(part(name).minutes for name in names)
        say(f"to build: {', '.join(names)}: about {minutes} minutes the first time on two cores")
    for number, name in enumerate(names, start=1):
        say(f"[{number} of {len(names)}] {name}")
        _built(name)


def _built(name: str) -> Path:
    group = part(name)
    if built_bin(group):
        return group_folder(group)
    try:
        go, version = find_go(group)
    except BuildFailed as error:
        raise BuildFailed(
            f"{name} {group.version} is not built, and {error}. "
            f"Install Go {group.go} or newer (https://go.dev/dl/): this then builds it in about {group.minutes} minutes"
        ) from error
    with build_lock(group, say):
        if built_bin(group):
            return group_folder(group)
        say(f"building {name} {group.version} with {go} (Go {version}) into {cache_root()}: about {group.minutes} min")
        started = time.monotonic()
        with staged(group) as stage:
            build(group, go, stage, say)
        say(f"built {name} in {time.monotonic() - started:.0f} s")
    return group_folder(group)
