"""`python -m sandbox VERB`: see sandbox/cli.py."""

from trainingjobs.terminal.interrupt import run_main

if __name__ == "__main__":
    run_main("sandbox.cli")
