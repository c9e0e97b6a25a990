"""`python -m infra VERB`: finds the verb, reads its options, and turns every bad input into lines and a status.

Exit status: 0 fine (advice alone is fine), 1 at least one error or a failed check, 2 wrong usage or unreadable input.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from infra.problems import did_you_mean

VERBS = {
    "validate": "check stacks and files by everything that needs no engine and no network",
    "size": "the reducer pool for some pools of workers, with the arithmetic",
    "render": "a job in another language",
    "env": "the environment of one replica",
    "convert": "a description from elsewhere as a job document",
    "cost": "what the pools of stacks cost an hour, and what the reducers buy",
    "promote": "bring a release from one environment to the next, or list which is where",
    "drift": "what of a stack is not what its state says",
    "status": "where the jobs of stacks stand now",
    "logs": "what the replicas of a job write",
    "report": "a stack on one page for a reviewer, or its topology alone",
    "init": "a new stack file, by five questions or options",
    "schema": "the JSON Schema of the stack files",
}


class UsageError(Exception):
    """Wrong words on the command line; the message is one line."""


class Parser(argparse.ArgumentParser):
    """argparse with exact option names and a did-you-mean."""

    def error(self, message: str) -> NoReturn:
        """Raises UsageError instead of leaving the process."""
        raise UsageError(message)

    def unknown(self, words: Sequence[str]) -> UsageError:
        """Returns the error for words that no option takes."""
        options = [option for action in self._actions for option in action.option_strings]
        near = did_you_mean(words[0].split("=")[0], options)
        return UsageError(f"unrecognized: {' '.join(words)}" + (f"; did you mean {near}?" if near else ""))


def main(words: Sequence[str]) -> int:
    """Runs one verb and returns the exit status."""
    try:
        return _dispatch(list(words))
    except UsageError as error:
        print(f"{error} (python -m infra --help)", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of a pipe has gone: the interpreter would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help())
        return 0 if words else 2
    verb = words[0]
    if verb not in VERBS:
        near = did_you_mean(verb, VERBS)
        raise UsageError(f"no verb {verb!r}; one of {', '.join(VERBS)}" + (f"; did you mean {near}?" if near else ""))
    module = importlib.import_module(f"infra.cli.{verb}")
    parser = Parser(prog=f"python -m infra {verb}", description=VERBS[verb], allow_abbrev=False)
    module.arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON alone on standard output")
    args, rest = parser.parse_known_args(words[1:])
    if rest:
        raise parser.unknown(rest)
    status: int = module.run(args)
    return status


def _help() -> str:
    lines = "\n".join(f"  {verb:<10} {summary}" for verb, summary in VERBS.items())
    return f"usage: python -m infra VERB [options]\n\n{lines}\n\n`python -m infra VERB --help` tells a verb's options."
