"""`python -m sandbox start|stop|status|env`: the local stand-in for Google Cloud."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from dev.engine.cache import BuildFailed
from sandbox import lifecycle
from sandbox.environment import run_variables
from sandbox.kubernetes.lifecycle import BedError
from trainingjobs.project.sandbox_folder import describe, state_folder

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
        subparser = verbs.add_parser(verb, help=text, description=text)
        subparser.add_argument("--json", action="store_true", help="print JSON, for programs")
        if verb == "start":
            subparser.add_argument("--cluster", action="store_true", help="its Kubernetes API server too")
            subparser.add_argument("--quiet", action="store_true", help="do not tell how far it is")
    args = parser.parse_args(arguments)
    state = state_folder()
    try:
        answer, status = _run_verb(args, state)
    except (lifecycle.SandboxError, BedError, BuildFailed) as error:
        return _fail(str(error), as_json=args.json)
    except OSError as error:
        return _fail(describe(error, state), as_json=args.json)
    return status if _say(json.dumps(answer) if args.json else str(answer["message"])) else 1


def _fail(message: str, *, as_json: bool) -> int:
    if as_json:
        _say(json.dumps({"error": message}))
    else:
        print(f"sandbox: {message}", file=sys.stderr)
    return 1


def _run_verb(args: argparse.Namespace, state: Path) -> tuple[dict[str, Any], int]:
    """Returns what there is to print, and the exit status."""
    if args.verb == "start":
        return _start(args, state), 0
    if args.verb == "stop":
        return {"message": lifecycle.stop(state)}, 0
    if args.verb == "status":
        return {"message": lifecycle.status(state)}, 0 if lifecycle.running(state) else 1
    return {"message": lifecycle.exports(state), "variables": lifecycle.variables(state)}, 0


def _start(args: argparse.Namespace, state: Path) -> dict[str, Any]:
    message = lifecycle.start(state)
    if not (args.json or args.cluster):
        return {"message": message}

    def say(text: str) -> None:
        if not args.quiet:
            print(f"» {text}", file=sys.stderr, flush=True)

    return {"message": message, "variables": run_variables(state, with_cluster=args.cluster, say=say)}


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
