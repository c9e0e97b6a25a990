"""`python3 -m dev.control_plane`: refuses a Python that is too old before anything newer than its syntax is loaded."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - run before any environment exists, by whatever python3 is
    sys.exit("Python 3.11 or newer is needed; this is %s (%s)" % (sys.version.split()[0], sys.executable))  # noqa: UP031

from trainingjobs.terminal.interrupt import run_main

if __name__ == "__main__":
    run_main("dev.control_plane.cli")
