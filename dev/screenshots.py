"""Makes the pictures of docs/pictures: the report of prod as people see it, its topology, and commands in a terminal.

`python -m dev.screenshots` needs what `python -m dev.browser` makes ready.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from html import escape
from pathlib import Path

from playwright.sync_api import PdfMargins

from dev.browser import BrowserError, browser, new_page
from dev.terminal_screen import typed
from sandbox import lifecycle
from trainingjobs.clients.vertex.identity import LABEL
from trainingjobs.report.colours import variables

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDTHS = (1280, 390)
MARGINS: PdfMargins = {"top": "0.4in", "right": "0.4in", "bottom": "0.4in", "left": "0.4in"}
COLUMNS = 80
# A machine that is busy takes longer to the first steps of the job.
MOST_SECONDS_TO_TRAIN = 90
GUIDE = "machine-type=n1-highmem-96,replica-count=5,accelerator-type=NVIDIA_TESLA_V100,accelerator-count=8"
FAULTY = """\
framework: horovod
container:
  imageUri: us-docker.pkg.dev/acme/train/bert@sha256:bd58416e145040d33c57510e09e5bb445ac756a46aa79d56554d0943f108d338
  env: {HOROVOD_FUSION_THRESHOLD: "67108864"}
  declares: {nccl: "2.20", packages: [google-reduction-server]}
pools:
  primary: {machineType: a2-highgpu-8q, replicaCount: 2}
  workers: {machineType: n1-highmem-96, acceleratorType: NVIDIA_TESLA_V100, acceleratorCount: 8, replicaCount: 4}
  reducers: {machineType: n1-highcpu-16, acceleratorType: NVIDIA_TESLA_T4, acceleratorCount: 1}
labels: {team: nlp}
"""
COMMANDS = {
    "size": ["size", f"--worker-pool-spec={GUIDE}"],
    "cost": ["cost", "--stack=prod"],
}
WATCHED = {
    "status": ["status", "sandbox"],
    "logs": ["logs", "sandbox", "digits", "--role=all"],
}
# The rows of a window that shows the end of something longer.
WINDOW = 32


def main() -> int:
    """Writes the pictures; returns the exit status."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            _pictures(Path(folder))
    except BrowserError as error:
        print(f"make pictures: {error}", file=sys.stderr)
        return 1
    print(f"» {len(list(PICTURES.iterdir()))} pictures in {PICTURES.relative_to(ROOT)}")
    return 0


def _pictures(folder: Path) -> None:
    environment = dict(os.environ)
    _python(environment, "trainingjobs", "report", "prod", "--as=svg", "-o", str(PICTURES / "topology-prod.svg"))
    _python(environment, "trainingjobs", "report", "prod", "--as=png", "-o", str(PICTURES / "topology-prod.png"))
    page = folder / "report.html"
    _python(environment, "trainingjobs", "report", "prod", "--compare", "staging", "-o", str(page))
    (folder / "bert.yaml").write_text(FAULTY, encoding="utf-8")
    pdf = folder / "report.pdf"
    with browser() as launched:
        for width in WIDTHS:
            for dark in (False, True):
                name = f"report-prod-{width}-{'dark' if dark else 'light'}.png"
                with new_page(launched, width, dark=dark) as report:
                    report.goto(page.as_uri())
                    report.screenshot(path=PICTURES / name, full_page=True)
        with new_page(launched) as report:
            report.goto(page.as_uri())
            report.pdf(path=pdf, format="A4", print_background=True, margin=MARGINS)
        with new_page(launched, 700, 40) as terminal:
            for name, html in _terminals(folder).items():
                terminal.set_content(html)
                terminal.screenshot(path=PICTURES / f"terminal-{name}.png", full_page=True)
    target = PICTURES / "report-prod-printed"
    subprocess.run(["pdftoppm", "-r", "110", "-f", "1", "-l", "1", "-png", "-singlefile", pdf, target], check=True)


def _terminals(folder: Path) -> dict[str, str]:
    """The pages of the terminal pictures by name."""
    pages = {name: _command(arguments) for name, arguments in COMMANDS.items()}
    pages["validate"] = _command(["validate", "--file=bert.yaml"], folder=folder)
    environment = _sandbox_environment(folder / "sandbox")
    command = [sys.executable, "-m", "trainingjobs", "up", "sandbox"]
    try:
        pages["up"] = _terminal("make up", typed(command, ROOT, environment, COLUMNS, _is_waiting).html(WINDOW))
        with _job_that_trains(environment):
            pages |= {name: _command(arguments, environment) for name, arguments in WATCHED.items()}
    finally:
        lifecycle.stop(folder / "sandbox")
    return pages | {"promote": _promotion(folder)}


def _is_waiting(text: str) -> bool:
    """Whether the screen shows a wait with the line that the job wrote last."""
    return re.search(r"RUNNING,[^|]*waiting for succeeded[^|]*step\s\d", " ".join(text.split())) is not None


def _sandbox_environment(state: Path) -> dict[str, str]:
    return {**os.environ, "TRAINING_SANDBOX": str(state), "PYTHONPATH": str(ROOT)}


@contextlib.contextmanager
def _job_that_trains(environment: dict[str, str]) -> Iterator[None]:
    """The sandbox stack's job, submitted once more beside the one that has ended."""
    api = json.loads((Path(environment["TRAINING_SANDBOX"]) / "api.json").read_text(encoding="utf-8"))
    body = json.loads(
        _python(environment, "trainingjobs", "render", "--stack=sandbox", "--job=digits", "--as=custom-job")
    )
    body["labels"] = {**body.get("labels", {}), LABEL: "0" * 32}
    jobs = f"{api['endpoint']}/v1/projects/acme-ml-sandbox/locations/us-central1/customJobs"
    headers = {"Authorization": f"Bearer {api['token']}"}
    urllib.request.urlopen(urllib.request.Request(jobs, json.dumps(body).encode(), headers)).close()
    deadline = time.monotonic() + MOST_SECONDS_TO_TRAIN
    while time.monotonic() < deadline and "step" not in _python(environment, "trainingjobs", *WATCHED["logs"]):
        time.sleep(1)
    yield


def _promotion(folder: Path) -> str:
    """dev brought up in a sandbox of its own, and its release on the way to staging, which has another."""
    environments_folder = folder / "environments"
    environments_folder.mkdir()
    images = _images_with_dev(folder)
    names = ("dev", "staging")
    try:
        for name in names:
            environment = _sandbox_environment(folder / name) | {"TRAINING_SANDBOX_IMAGES": str(images)}
            _python(environment, "sandbox", "start")
            command = ["sh", "-c", f"{_python(environment, 'sandbox', 'env')}\nexec env"]
            (environments_folder / f"{name}.env").write_text(
                subprocess.run(
                    command, env={"PATH": os.environ["PATH"]}, check=True, stdout=subprocess.PIPE, text=True
                ).stdout,
                encoding="utf-8",
            )
            if name == "dev":
                _python(environment, "trainingjobs", "up", name, "--quiet", "--yes")
                _python(environment, "trainingjobs", "logs", name, "bert-large", "--follow")
        environment = {**os.environ, "TRAINING_ENVIRONMENTS": str(environments_folder), "PYTHONPATH": str(ROOT)}
        return _command(["promote", *names, "--dry-run"], environment)
    finally:
        for name in names:
            lifecycle.stop(folder / name)


def _images_with_dev(folder: Path) -> Path:
    """The sandbox's map of images with a stand-in for what dev trains: the picture is of its promotion."""
    program = folder / "bin" / "torchrun"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho trained\n", encoding="utf-8")
    program.chmod(0o755)
    image = re.search(
        r"imageUri: (?P<name>[^@\s]+)@", (ROOT / "stacks" / "Pulumi.dev.yaml").read_text(encoding="utf-8")
    )
    images = json.loads((ROOT / "sandbox" / "images.json").read_text(encoding="utf-8"))
    path = [str(program.parent), str(Path(sys.executable).parent)]
    images[image["name"] if image else ""] = {"path": path, "pythonpath": ["."]}
    (folder / "images.json").write_text(json.dumps(images), encoding="utf-8")
    return folder / "images.json"


def _python(environment: dict[str, str], *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def _command(arguments: list[str], environment: dict[str, str] | None = None, *, folder: Path = ROOT) -> str:
    """The page of a verb of ours."""
    command_environment = environment or {**os.environ, "PYTHONPATH": str(ROOT)}
    screen = typed([sys.executable, "-m", "trainingjobs", *arguments], folder, command_environment, COLUMNS)
    return _terminal(f"trainingjobs {' '.join(arguments)}", screen.html())


def _terminal(command: str, rows: str) -> str:
    """A page that shows a command and what stood below it in a terminal of COLUMNS columns."""
    style = (
        f":root{{{variables('dark')}}}body{{margin:0;background:var(--ground)}}"
        f"pre{{margin:0;padding:16px 20px;color:var(--ink);font:13.5px/1.45 'DejaVu Sans Mono',monospace;"
        f"width:{COLUMNS}ch;box-sizing:content-box;white-space:pre}}b{{color:var(--muted);font-weight:normal}}"
    )
    prompt = "\n".join(escape(line) for line in _wrapped(f"$ {command}"))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><style>{style}</style>'
        f"<pre><b>{prompt}</b>\n{rows}</pre></html>"
    )


def _wrapped(line: str) -> list[str]:
    return [line[start : start + COLUMNS] for start in range(0, len(line), COLUMNS)]


if __name__ == "__main__":
    sys.exit(main())
