"""`make previews`: every stack previewed with the policy pack, on a sandbox of its own that is gone afterwards."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from sandbox import lifecycle
from trainingjobs.cli.main import main as trainingjobs
from trainingjobs.operations.display import say
from trainingjobs.project.files import stack_names


def main() -> int:
    """Previews each stack; returns 1 where one of them fails."""
    failed = []
    with tempfile.TemporaryDirectory(prefix="training-previews-") as folder:
        os.environ["TRAINING_SANDBOX"] = folder
        try:
            failed = [name for name in stack_names() if trainingjobs(["preview", name])]
        finally:
            lifecycle.stop(Path(folder))
    say(f"previews: {len(stack_names()) - len(failed)} passed, {len(failed)} failed" + "".join(f" {n}" for n in failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
