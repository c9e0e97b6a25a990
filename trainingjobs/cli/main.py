"""`trainingjobs VERB`: finds the verb, reads its options, and turns every bad input into lines and a status.

Exit status: 0 fine (advice alone is fine), 1 at least one error or a failed check, 2 wrong usage or unreadable input.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from trainingjobs.core.findings import did_you_mean, quote
from trainingjobs.terminal.output import UsageError, complain_of_usage
from trainingjobs.terminal.text import folded

__all__ = ["VERBS", "Parser", "UsageError", "examples", "main", "parser_of"]

VERBS = {
    "up": "declare a stack and run its jobs",
    "preview": "what `up` would do to a stack",
    "down": "destroy a stack",
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
    "completion": "the completion of a shell: bash, zsh or fish",
}


class Parser(argparse.ArgumentParser):
    """argparse with exact option names and a did-you-mean for each word that it refuses."""

    def error(self, message: str) -> NoReturn:
        """Raises UsageError instead of leaving the process."""
        raise UsageError(message)

    def check_options(self, words: Sequence[str]) -> None:
        """Raises UsageError for an option that there is not: argparse would name the one that is missing instead."""
        for word in words:
            if word == "--":
                return
            if word.startswith("--") and word.partition("=")[0] not in self._option_string_actions:
                raise self.unknown([word])

    def unknown(self, words: Sequence[str]) -> UsageError:
        """Returns the error for words that no option takes."""
        word = words[0].partition("=")[0]
        options = self._option_string_actions
        nearest = did_you_mean(word, options)
        if not word.startswith("-"):
            nearest = next((f"{key}={word}" for key in self._places(word) if key in options), None)
        # What an option is given may be a secret.
        return UsageError(f"unrecognized: {quote(word)}" + (f"; did you mean {nearest}?" if nearest else ""))

    @staticmethod
    def _places(word: str) -> Iterable[str]:
        """Returns the options that a bare word may have been meant for."""
        return ("--file",) if Path(word).exists() else ("--stack",)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            nearest = did_you_mean(str(value), choices)
            hint = f"; did you mean {nearest}?" if nearest else ""
            raise UsageError(f"{action.option_strings[0]}: {quote(value)}; one of {', '.join(choices)} is needed{hint}")


def main(words: Sequence[str]) -> int:
    """Runs one verb and returns the exit status."""
    if sys.stdout is None:
        # Started with standard output closed: what is printed goes nowhere, as the caller wants it.
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (open until the process ends)
    if "_ARGCOMPLETE" in os.environ:
        importlib.import_module("trainingjobs.cli.completion").complete(VERBS, parser_of)
    words = list(words)
    try:
        status = _dispatch(words)
        sys.stdout.flush()
        return status
    except UsageError as error:
        verb = f" {words[0]}" if words and words[0] in VERBS else ""
        return complain_of_usage(str(error), f"trainingjobs{verb} --help", as_json="--json" in words)
    except BrokenPipeError:
        _leave_output()
        return 1
    except OSError as problem:
        _leave_output()
        print(f"trainingjobs: {problem.strerror or problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _leave_output() -> None:
    # What is still to be written cannot be: the interpreter would complain once more at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help())
        return 0 if words else 2
    verb = words[0]
    if verb not in VERBS:
        nearest = did_you_mean(verb, VERBS)
        hint = f"; did you mean {nearest}?" if nearest else ""
        raise UsageError(f"no verb {quote(verb)}; one of {', '.join(VERBS)}{hint}")
    parser = parser_of(verb)
    if not {"-h", "--help"} & set(words):
        parser.check_options(words[1:])
    args, rest = parser.parse_known_args(words[1:])
    if rest:
        raise parser.unknown(rest)
    status: int = importlib.import_module(f"trainingjobs.cli.{verb}").run(args)
    return status


def parser_of(verb: str) -> Parser:
    """Returns the parser of a verb: its own options, those of every verb, and its examples."""
    parser = Parser(
        prog=f"trainingjobs {verb}",
        description=folded(f"{VERBS[verb][0].upper()}{VERBS[verb][1:]}.", 0),
        epilog="\n".join(["examples:", *(f"  trainingjobs {verb} {words}".rstrip() for words in examples(verb))]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    importlib.import_module(f"trainingjobs.cli.{verb}").arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON alone on standard output")
    parser.add_argument(
        "--quiet", action="store_true", help="print findings, errors and the result alone, without notes and hints"
    )
    return parser


def examples(verb: str) -> tuple[str, ...]:
    """Returns the words that follow a verb in its examples."""
    words: tuple[str, ...] = importlib.import_module(f"trainingjobs.cli.{verb}").EXAMPLES
    return words


def _help() -> str:
    verbs = "\n".join(folded(f"  {verb:<11} {summary}", 14) for verb, summary in VERBS.items())
    common = "Every verb takes --json and --quiet; `trainingjobs VERB --help` tells the others, with examples."
    status = "Exit status: 0 fine, 1 an error was found, 2 wrong usage or unreadable input."
    return f"usage: trainingjobs VERB [options]\n\n{verbs}\n\n{folded(common, 0)}\n{folded(status, 0)}"
