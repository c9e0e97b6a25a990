"""Makes the pictures of docs/pictures: the report of prod as people see it, its topology, and commands in a terminal.

`python -m tools.screenshots` needs what `python -m tools.browser` makes ready.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from html import escape
from pathlib import Path

from infra.provider.identity import LABEL
from infra.report.colours import variables
from sandbox import lifecycle
from tools.browser import BrowserError, browser

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDTHS = (1280, 390)
COLUMNS = 80
# Enough for the first lines of the job.
SECONDS_OF_TRAINING = 12
# The terminal's colours as the report's.
SHADES = {31: "error", 33: "warn"}
GUIDE = "machine-type=n1-highmem-96,replica-count=5,accelerator-type=NVIDIA_TESLA_V100,accelerator-count=8"
FAULTY = """\
framework: horovod
container: {imageUri: "us-docker.pkg.dev/acme/train/bert:latest", env: {HOROVOD_FUSION_THRESHOLD: "67108864"}}
pools:
  primary: {machineType: n1-highmem-96, acceleratorType: NVIDIA_TESLA_V100, acceleratorCount: 8, replicaCount: 2}
  workers: {replicaCount: 4}
  parameterServers: {machineType: n1-highmem-16}
  reducers: {machineType: n1-highcpu-8, replicaCount: 4, acceleratorType: NVIDIA_TESLA_T4, acceleratorCount: 1}
"""
COMMANDS = {
    "size": ["size", f"--worker-pool-spec={GUIDE}"],
    "validate": ["validate", "--file=bert.yaml"],
    "cost": ["cost", "--stack=prod"],
    "status": ["status", "sandbox"],
    "logs": ["logs", "sandbox", "digits", "--role=all"],
}


def main() -> int:
    """Writes the pictures; returns the exit status."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            _pictures(Path(folder))
    except BrowserError as problem:
        print(f"make pictures: {problem}", file=sys.stderr)
        return 1
    print(f"» {len(list(PICTURES.iterdir()))} pictures in {PICTURES.relative_to(ROOT)}")
    return 0


def _pictures(folder: Path) -> None:
    _infra("report", "prod", "--as=svg", "-o", str(PICTURES / "topology-prod.svg"))
    _infra("report", "prod", "--as=png", "-o", str(PICTURES / "topology-prod.png"))
    page = folder / "report.html"
    _infra("report", "prod", "--compare", "staging", "-o", str(page))
    (folder / "bert.yaml").write_text(FAULTY, encoding="utf-8")
    with browser() as tab:
        for width in WIDTHS:
            for dark in (False, True):
                tab.open(page, width, dark=dark)
                name = f"report-prod-{width}-{'dark' if dark else 'light'}.png"
                (PICTURES / name).write_bytes(tab.screenshot())
        tab.open(page)
        printed = folder / "report.pdf"
        printed.write_bytes(tab.pdf())
        with _job_in_the_sandbox(folder):
            for name, words in COMMANDS.items():
                shown = folder / f"{name}.html"
                shown.write_text(_terminal(words, folder), encoding="utf-8")
                tab.open(shown, 700, 40)
                (PICTURES / f"terminal-{name}.png").write_bytes(tab.screenshot())
    target = PICTURES / "report-prod-printed"
    subprocess.run(["pdftoppm", "-r", "80", "-png", "-singlefile", str(printed), str(target)], check=True)


@contextlib.contextmanager
def _job_in_the_sandbox(folder: Path) -> Iterator[None]:
    """The sandbox stack's job as it trains, in a sandbox of its own; the commands see it."""
    os.environ["TRAINING_SANDBOX"] = str(folder / "sandbox")
    lifecycle.start(folder / "sandbox")
    try:
        api = json.loads((folder / "sandbox" / "api.json").read_text(encoding="utf-8"))
        words = ["render", "--stack=sandbox", "--job=digits", "--as=custom-job"]
        rendered = subprocess.run(
            [sys.executable, "-m", "infra", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE
        ).stdout
        body = json.loads(rendered)
        body["labels"] = {**body.get("labels", {}), LABEL: "0" * 32}
        jobs = f"{api['endpoint']}/v1/projects/acme-ml-sandbox/locations/us-central1/customJobs"
        headers = {"Authorization": f"Bearer {api['token']}"}
        urllib.request.urlopen(urllib.request.Request(jobs, json.dumps(body).encode(), headers)).close()
        time.sleep(SECONDS_OF_TRAINING)
        yield
    finally:
        lifecycle.stop(folder / "sandbox")
        del os.environ["TRAINING_SANDBOX"]


def _infra(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "infra", *words], cwd=ROOT, check=True)


def _terminal(words: list[str], folder: Path) -> str:
    """A page that shows a command and what it prints in a terminal of COLUMNS columns."""
    said = escape(f"$ python -m infra {' '.join(words)}\n{_typed(words, folder)}")
    for code, name in SHADES.items():
        said = said.replace(f"\x1b[{code}m", f'<span style="color:var(--{name})">')
    said = said.replace("\x1b[0m", "</span>")
    style = (
        f":root{{{variables('dark')}}}body{{margin:0;background:var(--ground)}}"
        f"pre{{margin:0;padding:16px 20px;color:var(--ink);font:13.5px/1.45 'DejaVu Sans Mono',monospace;"
        f"width:{COLUMNS}ch;box-sizing:content-box;white-space:pre-wrap;word-break:break-all}}"
    )
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{style}</style><pre>{said}</pre></html>'


def _typed(words: list[str], folder: Path) -> str:
    """What a command prints in a real terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm", "PYTHONPATH": str(ROOT)}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "infra", *words]
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        pieces = []
        # Linux answers the end of the last writer with an error.
        with contextlib.suppress(OSError):
            while piece := os.read(ours, 1 << 16):
                pieces.append(piece)
    os.close(ours)
    return b"".join(pieces).decode().replace("\r\n", "\n")


if __name__ == "__main__":
    sys.exit(main())
