"""`python -m trainingjobs VERB` and the console script `trainingjobs`: see trainingjobs/cli.

A required package that is not installed is named; anything else that is missing is a fault of ours and is shown as one.
"""

import sys

from trainingjobs.terminal.interrupt import run_main

OWN_PACKAGES = ("infra", "trainingjobs", "policies", "sandbox", "dev")
# Package → the extra that brings it, "" for those that every installation has; what is not here goes with Pulumi.
EXTRAS = {"matplotlib": "[report]", "kubernetes": "[kubernetes]", "argcomplete": "", "pydantic": "", "yaml": ""}


def main() -> None:
    """Runs a verb and leaves the process with its exit status."""
    try:
        run_main("trainingjobs.cli.main")
    except ModuleNotFoundError as missing:
        # A module of the project's own or of the interpreter's is no fault of the installation.
        package = (missing.name or "").partition(".")[0]
        if package in {"", *OWN_PACKAGES, *sys.stdlib_module_names}:
            raise
        sys.stderr.write(
            f"trainingjobs: {sys.executable} lacks the package {missing.name}; "
            f"pip install 'trainingjobs{EXTRAS.get(package, '[pulumi]')}'\n"
        )
        sys.exit(2)


if __name__ == "__main__":
    main()
