"""A gcloud command line as documents and scripts have it → its flags. Owns the shell's and gcloud's syntax only."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

COMMAND = re.compile(r"^[ \t]*(?:\$[ \t]+)?gcloud[ \t]", re.MULTILINE)
HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)([A-Za-z_]+)\1[ \t]*\n")
# Longer texts are no commands.
LENGTH_LIMIT = 200_000
ASSIGNMENT = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(\S.*)$", re.MULTILINE)
SUBSTITUTION = re.compile(r"\$\([^()\n]*\)|`[^`\n]*`")
VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
ENDS = ("&&", "||", ";", "|", ">", ">>", "&")
TRACKS = ("alpha", "beta")
# What reads its document from the command itself.
STANDARD_INPUT = ("/dev/stdin", "-")


class CommandError(ValueError):
    """A text that is no command line; the message is one line."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its group and verb, what stands without a flag, flags in order, the program's own arguments.

    `document` is the text that the command gets on standard input; `variables` the shell variables whose value the text
    does not say.
    """

    verb: tuple[str, ...]
    positionals: tuple[str, ...] = ()
    flags: tuple[tuple[str, str | None], ...] = ()
    user_args: tuple[str, ...] = ()
    document: str | None = None
    variables: tuple[str, ...] = field(default=())

    def last(self, name: str) -> str | None:
        """Returns the value of a flag; the last one holds where it stands twice."""
        return next((value for flag, value in reversed(self.flags) if flag == name), None)


def is_command(text: str) -> bool:
    """Returns whether a text holds a gcloud command."""
    return COMMAND.search(text) is not None


def read_command(text: str, verbs: tuple[tuple[str, ...], ...], switches: frozenset[str]) -> Command:
    """Returns the first gcloud command of the text; `switches` take no value. Raises CommandError."""
    if len(text) > LENGTH_LIMIT:
        raise CommandError(f"{len(text)} characters; a command of at most {LENGTH_LIMIT} is read")
    text, document = _without_heredoc(text.replace("\r\n", "\n"))
    start = COMMAND.search(text)
    if start is None:
        raise CommandError("no gcloud command")
    known = {name: value for name, value in _assignments(text[: start.start()]).items() if "$" not in value}
    words = _words(text[start.start() :])[1:]
    unknown: dict[str, None] = {}
    words = [_expanded(word, known, unknown) for word in words]
    if words and words[0] in TRACKS:
        words = words[1:]
    verb = next((candidate for candidate in verbs if tuple(words[: len(candidate)]) == candidate), None)
    if verb is None:
        allowed = ", ".join(f"gcloud {' '.join(candidate)}" for candidate in verbs)
        raise CommandError(f"gcloud {' '.join(words[:3])[:60]} submits no training job; known are {allowed}")
    return _command(verb, words[len(verb) :], switches, document, tuple(unknown))


def _without_heredoc(text: str) -> tuple[str, str | None]:
    """Returns the text without the document that stands in it, and that document."""
    opening = HEREDOC.search(text)
    if opening is None:
        return text, None
    lines = text[opening.end() :].split("\n")
    end = next((number for number, line in enumerate(lines) if line.strip() == opening[2]), None)
    if end is None:
        raise CommandError(f"the document that begins with <<{opening[2]} has no end")
    return "\n".join([text[: opening.start()], *lines[end + 1 :]]), "\n".join(lines[:end])


def _command(
    verb: tuple[str, ...], words: list[str], switches: frozenset[str], document: str | None, unknown: tuple[str, ...]
) -> Command:
    cut = words.index("--") if "--" in words else len(words)
    command_words, user_args = words[:cut], words[cut + 1 :]
    positionals: list[str] = []
    flags: list[tuple[str, str | None]] = []
    positions = iter(range(len(command_words)))
    for number in positions:
        word = command_words[number]
        if not word.startswith("-") or word == "-":
            positionals.append(word)
            continue
        name, equals, value = word.partition("=")
        if equals:
            flags.append((name, value))
        elif name in switches or number + 1 == len(command_words) or command_words[number + 1].startswith("--"):
            flags.append((name, None))
        else:
            flags.append((name, command_words[next(positions)]))
    return Command(verb, tuple(positionals), tuple(flags), tuple(user_args), document, unknown)


def _assignments(text: str) -> Mapping[str, str]:
    values = {}
    for name, value_text in ASSIGNMENT.findall(text):
        try:
            words = shlex.split(value_text, comments=True)
        except ValueError:
            continue
        if len(words) == 1 and "`" not in words[0]:
            values[name] = words[0]
    return values


def _words(text: str) -> list[str]:
    """Returns the words of the command that the text begins with, over its lines where a backslash or a quote asks."""
    text = SUBSTITUTION.sub("${COMMAND_OUTPUT}", re.sub(r"\\[ \t]*\n", " ", text))
    try:
        words = shlex.split(text[: _end_of_line(text)].strip().removeprefix("$ "))
    except ValueError:
        raise CommandError("a quote is not closed") from None
    return list(takewhile(lambda word: word not in ENDS and not word.startswith("<<"), words))


def _end_of_line(text: str) -> int:
    """Returns where the first line ends that does not end within quotes."""
    quote, escaped = "", False
    for place, character in enumerate(text):
        if escaped or (character == "\\" and quote != "'"):
            escaped = not escaped
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "\n":
            return place
    return len(text)


def _expanded(word: str, known: Mapping[str, str], unknown: dict[str, None]) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name not in known:
            unknown[name] = None
        return known.get(name, match[0])

    return VARIABLE.sub(value, word)


def entries(text: str) -> list[str]:
    """Returns the entries of a list flag: separated by commas, or by what stands between ^ and ^ at its start."""
    custom = re.match(r"\^([^^]+)\^", text)
    parts = text[custom.end() :].split(custom[1]) if custom else text.split(",")
    return [part for part in parts if part]


def mapping(text: str) -> dict[str, str]:
    """Returns the entries key=value of a dictionary flag; an entry without = has the value ""."""
    return {key.strip(): value for key, _, value in (entry.partition("=") for entry in entries(text))}
