"""What the launcher's tests share: running it in this process."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from trainingjobs.launcher.cli import main

from .clusters import Answer, Launch


@pytest.fixture
def launch(capsys: pytest.CaptureFixture[str]) -> Launch:
    """Returns a function that runs the launcher with --print-env in a given environment."""

    def run(environ: Mapping[str, str], *options: str) -> Answer:
        capsys.readouterr()
        status = main(["--print-env", *options], environ)
        captured = capsys.readouterr()
        return Answer(status, captured.out, captured.err)

    return run
