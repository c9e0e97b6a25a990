"""`completion`: what a shell needs to complete verbs, options, stacks and jobs."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Iterable

import argcomplete
from argcomplete.shell_integration import shellcode

from trainingjobs.project.files import stack_names
from trainingjobs.project.judged import judge_stack_named
from trainingjobs.terminal.output import print_json

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = (
    "bash > ~/.local/share/bash-completion/completions/trainingjobs",
    "fish > ~/.config/fish/completions/trainingjobs.fish",
)
STACKS = ("stack", "stacks", "source", "target", "compare")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(args: argparse.Namespace) -> int:
    """Prints the shell's code. Returns the exit status."""
    code = shellcode(["trainingjobs"], shell=args.shell)
    print_json({"shell": args.shell, "code": code}) if args.json else print(code)
    return 0


def complete(verbs: Iterable[str], parser_of: Callable[[str], argparse.ArgumentParser]) -> None:
    """Answers the shell that runs the command for its completions, and leaves the process."""
    top = argparse.ArgumentParser(prog="trainingjobs")
    of_verbs = top.add_subparsers()
    typed = _typed_verb()
    for verb in verbs:
        if verb == typed:
            # The parser of one verb alone: each loads what the verb needs.
            of_verbs.add_parser(verb, parents=[_with_completers(parser_of(verb))], add_help=False)
        else:
            of_verbs.add_parser(verb)
    argcomplete.autocomplete(top, always_complete_options=False)


def _typed_verb() -> str:
    try:
        words = shlex.split(os.environ.get("COMP_LINE", ""))
    except ValueError:
        return ""
    return words[1] if len(words) > 1 else ""


def _with_completers(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    for action in parser._actions:
        if action.dest in STACKS:
            action.completer = _stacks  # type: ignore[attr-defined]  # argcomplete's own attribute
        elif action.dest == "job":
            action.completer = _jobs  # type: ignore[attr-defined]
    return parser


def _stacks(**_: object) -> list[str]:
    return stack_names()


def _jobs(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    stack = getattr(parsed_args, "stack", None)
    return [plan.name for plan in judge_stack_named(stack).plans] if isinstance(stack, str) else []
