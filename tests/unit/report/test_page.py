from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.unit.jobs import gpu_job, with_pools
from tests.unit.report.views import several, view_of
from trainingjobs.cli.main import main
from trainingjobs.convert.environments import replica_environment
from trainingjobs.report.colours import COLOURS, Theme, colour
from trainingjobs.report.compare import derived, written
from trainingjobs.report.environment import MOST_REPLICAS, environments, stretch
from trainingjobs.report.layout import stack_drawing
from trainingjobs.report.page import page
from trainingjobs.report.svg import svg
from trainingjobs.report.view import StackView

ROOT = Path(__file__).resolve().parents[3]
VOID = {"meta", "input", "br", "link"}


class Tags(HTMLParser):
    """Checks that elements close in order, and gathers ids and what refers to them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: set[str] = set()
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("aria-labelledby", "data-source", "data-target"):
                self.references |= set((value or "").split())
            if name in ("src", "href", "xlink:href") and not (value or "").startswith("#"):
                self.loads.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def read(text: str) -> Tags:
    tags = Tags()
    tags.feed(text)
    tags.close()
    assert tags.open == []
    return tags


@pytest.fixture(scope="module")
def full() -> StackView:
    return several()


def test_a_page_is_well_formed_and_loads_nothing(full: StackView) -> None:
    tags = read(page(full, view_of({})))
    assert len(tags.ids) == len(set(tags.ids))
    assert tags.references <= set(tags.ids)
    assert tags.loads == []


def test_a_stack_without_jobs_has_a_page_and_a_picture() -> None:
    view = view_of({})
    read(page(view))
    ElementTree.fromstring(svg(stack_drawing(view), "topology", alone=True))


def test_a_picture_is_an_svg_with_title_and_description(full: StackView) -> None:
    root = ElementTree.fromstring(svg(stack_drawing(full), "topology", alone=True))
    spaced = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert root.find(f"{spaced}title") is not None
    described = root.find(f"{spaced}desc")
    assert described is not None and "16 × n1-highcpu-16" in (described.text or "")


def test_words_of_a_document_stay_words(full: StackView) -> None:
    text = page(full)
    assert "<script>alert" not in text
    assert "</script><b>" not in text


def test_findings_stand_on_the_page_with_their_fixes(full: StackView) -> None:
    text = page(full)
    assert "<code>reducer-bandwidth</code>" in text
    assert "<strong>Fix:</strong>" in text


def test_a_job_with_an_error_shows_no_environment(full: StackView) -> None:
    broken = next(job for job in full.jobs if job.name == "broken")
    assert broken.has_errors
    assert environments(broken) == []


def rebuilt(pool: dict[str, object], index: int) -> dict[str, str]:
    """As the page's script does it."""
    first: dict[str, str] = pool["first"]  # type: ignore[assignment]
    if not index:
        return first
    others: dict[str, dict[str, str | list[object]]] = pool["others"]  # type: ignore[assignment]
    return {
        name: diff
        if isinstance(diff, str)
        else first[name][: diff[0]] + diff[2] + first[name][len(first[name]) - diff[1] :]  # type: ignore[misc, index, operator]
        for name, diff in others[str(index)].items()
    }


def test_the_page_holds_the_environment_of_every_replica(full: StackView) -> None:
    for job in full.jobs:
        for pool in environments(job):
            for index in range(pool["count"]):
                assert rebuilt(pool, index) == replica_environment(job.plan, pool["role"], index)


def test_the_embedded_environments_are_what_the_script_reads(full: StackView) -> None:
    blocks = re.findall(r'<script type="application/json" id="[^"]*">(.*?)</script>', page(full), re.DOTALL)
    assert blocks == [blocks[i] for i in range(len(blocks))] and blocks
    expected = [pools for job in full.jobs if (pools := environments(job))]
    assert [json.loads(block) for block in blocks] == expected


def test_a_large_job_keeps_the_page_small() -> None:
    view = view_of({"bert": with_pools(gpu_job(), workers={"replicaCount": 1000})})
    workers = next(pool for pool in environments(view.jobs[0]) if pool["role"] == "workers")
    assert len(workers["others"]) == MOST_REPLICAS
    assert "999" in workers["others"]
    assert len(page(view)) < 3_000_000


@pytest.mark.parametrize(
    ("base", "text"), [("aXb", "aYb"), ("aa", "aaa"), ("aaa", "aa"), ("", "x"), ("x", ""), ("é", "e")]
)
def test_a_stretch_rebuilds_the_text(base: str, text: str) -> None:
    diff = stretch(base, text)
    again = diff if isinstance(diff, str) else base[: int(diff[0])] + str(diff[2]) + base[len(base) - int(diff[1]) :]
    assert again == text


def test_the_difference_names_what_is_written_and_what_follows() -> None:
    here = view_of({"bert": gpu_job()}, name="here")
    there = view_of({"bert": with_pools(gpu_job(), workers={"replicaCount": 9})}, name="there")
    assert [(d.path, d.here, d.there) for d in written(here, there)] == [
        ("training:jobs.bert.pools.workers.replicaCount", "4", "9")
    ]
    assert "bert: reducers" in {d.path for d in derived(here, there)}
    assert written(here, here) == derived(here, here) == []


def test_the_same_stack_gives_the_same_bytes_whatever_the_hash(tmp_path: Path) -> None:
    made = []
    for number in ("0", "77"):
        words = [sys.executable, "-m", "trainingjobs", "report", "prod", "--compare", "staging"]
        environment = {**os.environ, "PYTHONHASHSEED": number}
        made.append(subprocess.run(words, cwd=ROOT, env=environment, check=True, capture_output=True).stdout)
    assert made[0] == made[1]


def luminance(value: str) -> float:
    parts = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "muted", "link", "warn", "error", "good"])
@pytest.mark.parametrize("background", ["ground", "card", "narrow"])
def test_words_have_contrast(theme: Theme, name: str, background: str) -> None:
    light, dark = sorted((luminance(colour(name, theme)), luminance(colour(background, theme))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5
    assert name in COLOURS


@pytest.mark.parametrize(("form", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("mermaid", b"flowchart")])
def test_the_topology_alone(tmp_path: Path, form: str, start: bytes) -> None:
    target = tmp_path / "picture"
    assert main(["report", "prod", f"--as={form}", "-o", str(target)]) == 0
    assert target.read_bytes().startswith(start)
    before = target.read_bytes()
    assert main(["report", "prod", f"--as={form}", "-o", str(target)]) == 0
    assert target.read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ["report", "prodd"],
        ["report", "prod", "--compare", "nowhere"],
        ["report", "prod", "--as=svg", "--compare", "staging"],
        ["report", "prod", "-o", "/nowhere/at/all.html"],
        ["report", "prod", "--as=pdf"],
        ["report"],
    ],
)
def test_what_cannot_be_reported_is_an_error(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err and "Traceback" not in captured.err


def test_the_picture_in_the_documentation_is_the_one_that_is_made(tmp_path: Path) -> None:
    made = tmp_path / "topology.svg"
    assert main(["report", "prod", "--as=svg", "-o", str(made)]) == 0
    assert made.read_bytes() == (ROOT / "docs" / "pictures" / "topology-prod.svg").read_bytes()
