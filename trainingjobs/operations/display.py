"""What a run of a stack shows: messages, results, and the engine's own output as it suits the terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from trainingjobs.terminal.text import SHADES, folded, has_colour, width

# The engine's tree cuts its last column in a narrower terminal: nothing would say what a wait waits for.
TREE_COLUMNS = 120
POLICIES = re.compile(r"^Policies:\n(?P<block>(?:[ \t]+.*\n|\n(?=[ \t]))+)", re.MULTILINE)
# How to forget a stack that is down: nothing needs it, and the command may not be on PATH.
LEFT_OUT = ("The resources in the stack have been deleted", "If you want to remove the stack completely")
_quiet = False
_messages: list[str] | None = None


def be_quiet() -> None:
    """Leaves everything out of this process's output but findings, errors and results."""
    global _quiet
    _quiet = True


def collect(messages: list[str]) -> None:
    """Puts what this process tells into a list in place of the terminal, which gets the engine's failures alone."""
    global _messages
    _messages = messages


def is_quiet() -> bool:
    """Returns whether be_quiet was called."""
    return _quiet


def say(text: str) -> None:
    """Tells the user what happens."""
    if not _quiet:
        tell(text)


def tell(text: str) -> None:
    """Tells the user a result: quiet or not."""
    if _messages is None:
        print(folded(f"» {text}", 2), flush=True)
    else:
        _messages.append(text)


def engine_options(verb: str, options: Sequence[str]) -> tuple[str, ...]:
    """Returns the engine's options that suit the verb and the terminal; `options` are those that the run has already.

    Line by line where its tree does not fit, where nobody looks, and where a line is left out; a run that asks before
    it changes anything keeps the tree, without which the engine does not ask.
    """
    if not sys.stdout.isatty() or _quiet:
        # Where lines are not drawn over, the dots of progress are lines that say nothing.
        return ("--suppress-progress",)
    if verb != "preview" and "--yes" not in options:
        # On a dumb terminal the engine draws no tree.
        if verb == "up" and not _has_room() and os.environ.get("TERM") != "dumb":
            say(f"less than {TREE_COLUMNS} columns: the engine cuts what it waits for; `trainingjobs status` has it")
        return ()
    if _has_room() and verb != "destroy":
        return ()
    return ("--non-interactive", "--suppress-progress", "--color", "always" if has_colour(sys.stdout) else "never")


def _has_room() -> bool:
    return (width() or TREE_COLUMNS) >= TREE_COLUMNS


def run_engine(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], wait: Callable[[subprocess.Popen[bytes]], int]
) -> int:
    """Runs the engine and returns its exit status, as `wait` finds it.

    Line by line, they are folded to the terminal. Quietly, they are kept back: shown whole where it failed, else
    what its policies say.
    """
    if _quiet:
        lines: list[str] = []
        status = _through(lines.append, words, folder, environment, wait)
        output = "".join(lines)
        stream = sys.stdout if _messages is None else sys.stderr
        print(output if status else findings_of(output), end="", flush=True, file=stream)
        return status
    if "--non-interactive" in words or {"destroy", "--yes"} <= set(words):
        return _through(_fold, words, folder, environment, wait)
    with subprocess.Popen(words, cwd=folder, env=environment) as engine:
        return wait(engine)


def _through(
    take: Callable[[str], object],
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    wait: Callable[[subprocess.Popen[bytes]], int],
) -> int:
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as engine:
        # A thread, so that Ctrl-C comes to `wait`.
        reader = threading.Thread(target=_each_line, args=(engine, take))
        reader.start()
        status = wait(engine)
        reader.join()
    return status


def _each_line(engine: subprocess.Popen[bytes], take: Callable[[str], object]) -> None:
    for line in engine.stdout or ():
        take(line.decode(errors="replace"))


def _fold(line: str) -> None:
    if line.startswith(LEFT_OUT):
        return
    words = SHADES.sub("", line)
    print(folded(line.rstrip("\n"), 4 + len(words) - len(words.lstrip(" "))), flush=True)


def findings_of(output: str) -> str:
    """Returns what the policies say in the engine's output, "" where they say nothing."""
    blocks = [match["block"] for match in POLICIES.finditer(output) if "- [" in match["block"]]
    return blocks[-1] if blocks else ""
