"""`python -m sandbox start|stop|status|env`: the local stand-in for Google Cloud."""

from __future__ import annotations

import argparse
import sys

from sandbox import lifecycle
from sandbox.state import describe, state_folder

_VERBS = {
    "start": "start the job API on loopback; says so where it runs already",
    "stop": "stop it, its jobs and every process of theirs",
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
        if verb == "start":
            print(lifecycle.start(state))
        elif verb == "stop":
            print(lifecycle.stop(state))
        elif verb == "status":
            print(lifecycle.status(state))
            return 0 if lifecycle.running(state) else 1
        else:
            print(lifecycle.exports(state))
    except lifecycle.SandboxError as error:
        print(f"sandbox: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"sandbox: {describe(error, state)}", file=sys.stderr)
        return 1
    return 0
