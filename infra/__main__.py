"""`python -m infra VERB`: see infra/cli."""

from tools.interrupt import run_main

run_main("infra.cli.main")
