"""The Python language host's process: serves the engine on loopback, prints the port, ends with the engine."""

import os
import signal
import sys
import time
from typing import NoReturn

PARENT_POLL_SECONDS = 0.2


def _end(*_: object) -> NoReturn:
    sys.exit(0)


def _serve_until_the_engine_ends(engine: int) -> None:
    """Serves until the parent is another process than `engine`: a killed engine sends no signal."""
    from children import Children

    children = Children()
    try:
        from service import serve

        # The engine puts its own address last; flags of its own may stand before it.
        server, port = serve(engine_address=sys.argv[-1], children=children)
        print(port, flush=True)
        while os.getppid() == engine:
            time.sleep(PARENT_POLL_SECONDS)
        server.stop(None)
    finally:
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.SIG_IGN)
        children.stop_all()


def _main() -> None:
    engine = os.getppid()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, _end)
    status = 1
    try:
        _serve_until_the_engine_ends(engine)
        status = 0
    except SystemExit:
        status = 0
    except ImportError as error:
        print(
            f"the Python language host needs the Pulumi SDK in {sys.executable} ({error}); "
            "run 'make setup', or set TRAINING_VENV to a virtual environment that has it",
            file=sys.stderr,
        )
    # At once: the gRPC threads would otherwise be waited for.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _main()
