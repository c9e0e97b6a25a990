"""`python -m infra VERB`: see infra/cli. Of the packages that are needed, the one that is missing is said."""

import sys

from tools.interrupt import run_main

OURS = ("infra", "policies", "sandbox", "tools")

try:
    run_main("infra.cli.main")
except ModuleNotFoundError as missing:
    # A module of the project's own or of the interpreter's is no fault of the installation.
    if (missing.name or "").partition(".")[0] in {"", *OURS, *sys.stdlib_module_names}:
        raise
    lacks = f"{sys.executable} lacks the package {missing.name}"
    sys.stderr.write(f"python -m infra: {lacks}; `make setup` makes .venv with it: .venv/bin/python -m infra\n")
    sys.exit(2)
