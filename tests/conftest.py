"""What holds for every test: hypothesis without deadlines, and which tests share a worker when several run."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

# A machine that is busy makes an example slow, not wrong.
settings.register_profile("project", deadline=None)
# A mutant's verdict is the same each time, and soon there.
settings.register_profile("mutants", deadline=None, derandomize=True, database=None, max_examples=25)
settings.load_profile("project")

# A shell's background jobs ignore interrupts, and so would every process that a test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = Path(__file__).parent
# One control plane serves all of them; several would not fit into the memory of a small machine.
ONE_WORKER = {"kubernetes"}
# Those that wait for engines and servers start first, so that no worker is left with a long file at the end.
SLOW_FIRST = (
    "kubernetes", "docs", "engine", "security", "provider", "frameworks", "browser", "fuzz", "sandbox", "launcher"
)  # fmt: skip


@pytest.fixture
def project_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without stacks, which is the working folder."""
    folder = tmp_path / "project"
    for name in ("stacks", "policies/config"):
        (folder / name).mkdir(parents=True)
    (folder / "Pulumi.yaml").write_text("name: training\nruntime: python\nstackConfigDir: stacks\n")
    monkeypatch.chdir(folder)
    return folder


def pytest_itemcollected(item: pytest.Item) -> None:
    """Gives the tests of a file to one worker."""
    file = item.path.relative_to(HERE)
    item.add_marker(pytest.mark.xdist_group(file.parts[0] if file.parts[0] in ONE_WORKER else str(file)))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Brings the slow folders to the front, in whatever order the files of each were shuffled."""
    items.sort(key=lambda item: _rank(item.path.relative_to(HERE).parts[0]))


def _rank(folder: str) -> int:
    return SLOW_FIRST.index(folder) if folder in SLOW_FIRST else len(SLOW_FIRST)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Says how to run the tests in the same order again."""
    order = getattr(config.option, "randomly_seed", None)
    if order is not None:
        terminalreporter.write_line(f"order: --randomly-seed={order}")
