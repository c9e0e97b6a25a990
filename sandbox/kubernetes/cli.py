"""`python -m sandbox.kubernetes start|stop|status|env`: a real Kubernetes API server and controllers on loopback."""

from __future__ import annotations

import argparse
import sys

from sandbox.kubernetes import lifecycle
from sandbox.kubernetes.bed_settings import bed_folder
from trainingjobs.project.sandbox_folder import state_folder

_VERBS = {
    "start": "start the API server, the controllers and what runs the pods; says so where they run already",
    "stop": "stop all of it; what the cluster holds stays for the next start",
    "status": "show each process; exit status 1 where one is missing",
    "env": 'print what Pulumi and kubectl need: eval "$(python -m sandbox.kubernetes env)"',
}


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status: 0 fine, 1 not done or not running, 2 wrong usage."""
    parser = argparse.ArgumentParser(
        prog="python -m sandbox.kubernetes",
        description="A real Kubernetes control plane on loopback. Pods run as local processes.",
        epilog="State: kubernetes/ in $TRAINING_SANDBOX, or in .sandbox of the project's root.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb, text in _VERBS.items():
        verbs.add_parser(verb, help=text, description=text)
    verb = parser.parse_args(arguments).verb
    try:
        return _run(verb)
    except lifecycle.BedError as error:
        print(error, file=sys.stderr)
        return 1


def _run(verb: str) -> int:
    folder = bed_folder(state_folder())
    if verb == "start":
        if lifecycle.running(folder, kubelet=True):
            print(f"already running ({folder})")
            return 0
        settings = lifecycle.start(folder, kubelet=True, say=lambda text: print(text, file=sys.stderr))
        print(f"started at {settings.server} (KUBECONFIG={settings.kubeconfig})")
    elif verb == "stop":
        print("stopped" if lifecycle.stop(folder) else "not running")
    elif verb == "env":
        print(lifecycle.exports(folder))
    else:
        process_ids = lifecycle.states(folder)
        for name, pid in process_ids.items():
            print(f"{name}: {f'process {pid}' if pid else 'not running'}")
        return 0 if all(process_ids.values()) else 1
    return 0
