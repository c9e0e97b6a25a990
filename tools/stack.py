"""`python -m tools.stack up|preview|down STACK`: see tools/stack_run.py."""

from tools.interrupt import run_main

if __name__ == "__main__":
    run_main("tools.stack_run")
