"""`python -m sandbox.kubernetes VERB`: see sandbox/kubernetes/cli.py."""

from tools.interrupt import run_main

if __name__ == "__main__":
    run_main("sandbox.kubernetes.cli")
