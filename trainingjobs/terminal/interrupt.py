"""Ctrl-C at any moment of a command, its imports included: one line and exit status 130, never a traceback.

Standard library only, and nothing else of the project.
"""

import importlib
import os
import signal
import sys
from typing import NoReturn

INTERRUPTED = 130


def run_main(module: str) -> NoReturn:
    """Imports `module`, calls its main with the command line's words, and exits with the status that it returns."""
    # A shell that starts a command in the background has SIGINT ignored: that stays so.
    listens = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if listens:
        signal.signal(signal.SIGINT, _leave)
    main = importlib.import_module(module).main
    if listens:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status = int(main(sys.argv[1:]) or 0)
    except KeyboardInterrupt:
        _leave()
    sys.exit(status)


def _leave(*_: object) -> NoReturn:
    sys.stderr.write("interrupted\n")
    # At once: an import that was cut short leaves modules half made, and threads would be waited for.
    os._exit(INTERRUPTED)
