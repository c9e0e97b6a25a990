"""`python -m sandbox start|stop|status|env`: the local stand-in for Google Cloud."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from sandbox import lifecycle
from sandbox.state import describe, state_folder

_VERBS = {
    "start": "start the job API on loopback; says so where it runs already",
    "stop": "stop it, its jobs and every process of theirs, and its Kubernetes API server where one runs",
    "status": "show the endpoint and the jobs with their states; exit status 1 where it does not run",
    "env": 'print what plain Pulumi needs: eval "$(python -m sandbox env)"',
}


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status: 0 fine, 1 not done or not running, 2 wrong usage."""
    parser = argparse.ArgumentParser(
        prog="python -m sandbox",
        description="A local stand-in for Google Cloud. It runs the jobs of the Vertex AI job API as local processes.",
        epilog="State: $TRAINING_SANDBOX, or .sandbox in the project's root. Images: sandbox/images.json says which "
        "local command an image stands for; TRAINING_SANDBOX_IMAGES, set at start, names another file.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb, text in _VERBS.items():
        verbs.add_parser(verb, help=text, description=text)
    verb = parser.parse_args(arguments).verb
    state = state_folder()
    try:
        text, status = _do(verb, state)
    except lifecycle.SandboxError as error:
        print(f"sandbox: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"sandbox: {describe(error, state)}", file=sys.stderr)
        return 1
    return status if _say(text) else 1


def _do(verb: str, state: Path) -> tuple[str, int]:
    """Returns what there is to print, and the exit status."""
    if verb == "start":
        return lifecycle.start(state), 0
    if verb == "stop":
        return lifecycle.stop(state), 0
    if verb == "status":
        return lifecycle.status(state), 0 if lifecycle.running(state) else 1
    return lifecycle.exports(state), 0


def _say(text: str) -> bool:
    """Prints the text; returns whether it could be written. A reader that has left is no error to talk about."""
    try:
        print(text, flush=True)
    except OSError as error:
        # What is still to be written cannot be: the interpreter would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"sandbox: standard output: {error.strerror}", file=sys.stderr)
        return False
    return True
