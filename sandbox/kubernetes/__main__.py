"""`python -m sandbox.kubernetes VERB`: see sandbox/kubernetes/cli.py."""

from trainingjobs.terminal.interrupt import run_main

if __name__ == "__main__":
    run_main("sandbox.kubernetes.cli")
