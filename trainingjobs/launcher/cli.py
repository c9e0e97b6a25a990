"""The launcher's command line: reads the description, sets the framework's variables, becomes CMD."""

from __future__ import annotations

import json
import os
import signal
import sys

from .description import describe
from .frameworks import FRAMEWORKS, settings
from .training_cluster import UNKNOWN, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

USAGE = f"""\
usage: python -m trainingjobs.launcher [--framework=F] [--print-env] [--nproc-per-node=N] [--pool2=ps|reducers] \
-- CMD...

  --framework=F         {", ".join(FRAMEWORKS[:5])},
                        {", ".join(FRAMEWORKS[5:])} (default: custom)
  --print-env           print the variables that would be set, as one JSON object; CMD may be left out
  --nproc-per-node=N    processes that CMD starts on each node (default 1)
  --pool2=ps|reducers   what pool 2 holds, where the cluster description does not say
"""
_VALUED = ("--framework", "--nproc-per-node", "--pool2")
_CANNOT_RUN, _NOT_FOUND = 126, 127


class UsageError(Exception):
    """A command line that means nothing. Its text says what is wrong with it."""


def main(arguments: Sequence[str], environ: Mapping[str, str] | None = None) -> int:
    """Becomes CMD, and returns only where it does not: 0 after --print-env or --help, 2, 126 or 127 on an error."""
    environ = os.environ if environ is None else environ
    if "--help" in arguments[: _end_of_options(arguments)]:
        sys.stdout.write(USAGE)
        return 0
    try:
        options, command = _parse(arguments)
    except UsageError as error:
        sys.stderr.write(f"{USAGE}launcher: {error}\n")
        return 2
    try:
        cluster = describe(environ, options.get("--pool2", UNKNOWN))
        processes = options.get("--nproc-per-node", cluster.processes)
        variables, extra = settings(options.get("--framework", "custom"), cluster, processes, environ, _note)
    except RefusedError as error:
        _note(str(error))
        return 2
    except RecursionError:
        _note("the cluster description is nested too deeply")
        return 2
    if "--print-env" in options:
        printed = {name: value for name, value in variables.items() if value is not None}
        sys.stdout.write(json.dumps(printed, sort_keys=True) + "\n")
        return 0
    return _become([*command, *extra], {**environ, **variables})


def _parse(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Returns the options given and the command. Not argparse: its import alone takes as long as all the rest."""
    end = _end_of_options(arguments)
    options: dict[str, str] = {}
    words = iter(arguments[:end])
    for word in words:
        name, equals, value = word.partition("=")
        if name == "--print-env" and not equals:
            options[name] = ""
        elif name in _VALUED:
            options[name] = value if equals else next(words, "")
        else:
            raise UsageError(f"{word!a} is no option; CMD comes after --")
    _check(options)
    command = list(arguments[end + 1 :])
    if not command and "--print-env" not in options:
        raise UsageError("CMD is missing; it comes after --")
    if command and not command[0]:
        raise UsageError("CMD is empty")
    return options, command


def _end_of_options(arguments: Sequence[str]) -> int:
    return list(arguments).index("--") if "--" in arguments else len(arguments)


def _check(options: dict[str, str]) -> None:
    framework = options.get("--framework", "custom")
    if framework not in FRAMEWORKS:
        raise UsageError(f"--framework is {framework!a}; allowed: {', '.join(FRAMEWORKS)}")
    processes = options.get("--nproc-per-node", "1")
    if not (processes.isascii() and processes.isdigit() and len(processes) <= 6 and int(processes)):
        raise UsageError(f"--nproc-per-node is {processes!a}; a whole number from 1 is needed")
    options.update({"--nproc-per-node": str(int(processes))} if "--nproc-per-node" in options else {})
    if options.get("--pool2", "ps") not in ("ps", "reducers"):
        raise UsageError(f"--pool2 is {options['--pool2']!a}; allowed: ps, reducers")


def _become(command: list[str], variables: Mapping[str, str | None]) -> int:
    environ = {name: value for name, value in variables.items() if value is not None}
    # Python ignores these two, and a program inherits what is ignored: `CMD | head` would never end.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        # Runs the user's own command, without a shell, in this process's place: signals and exit status are CMD's.
        os.execvpe(command[0], command, environ)  # noqa: S606
    except (FileNotFoundError, NotADirectoryError):
        _note(f"{command[0]!a}: command not found")
        return _NOT_FOUND
    except (OSError, ValueError) as error:
        _note(f"{command[0]!a} cannot be run: {getattr(error, 'strerror', None) or error}")
        return _CANNOT_RUN


def _note(line: str) -> None:
    sys.stderr.write(f"launcher: {line}\n")
