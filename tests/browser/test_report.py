from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.dialects.environments import replica_environment
from infra.report.page import page as report_page
from tests.unit.jobs import gpu_job
from tests.unit.report.views import several, view_of
from tools.browser import Page, browser

TAB, DOWN = 9, 40
WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    made = {"several": report_page(several(), view_of({"bert": gpu_job()})), "none": report_page(view_of({}))}
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["several", "none"])
def test_nothing_serious_for_axe_no_errors_no_sideways_scrolling(
    page: Page, files: dict[str, Path], name: str, width: int, dark: bool
) -> None:
    page.problems.clear()
    page.open(files[name], width, dark=dark)
    serious = [found for found in page.axe() if found["impact"] in ("serious", "critical")]
    assert [(one["id"], [node["target"] for node in one["nodes"]]) for one in serious] == []
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.problems == []


def test_the_picker_shows_the_replica_that_is_asked_for(page: Page, files: dict[str, Path]) -> None:
    page.open(files["several"])
    picker = "document.querySelector('[aria-label=\"Replica of reduced\"]')"
    # By keyboard alone: the role is a list, the index a number.
    page.run(f"{picker}.querySelector('select').focus()")
    page.press("ArrowDown", DOWN)
    page.press("Tab", TAB)
    page.send("Input.insertText", text="3")
    page.run("document.activeElement.dispatchEvent(new Event('input'))")
    job = next(one for one in several().jobs if one.name == "reduced")
    index = int(page.run("document.activeElement.value"))
    assert index == 3
    shown = f"document.getElementById({picker}.dataset.target)"
    texts = page.run(f"[...{shown}.querySelectorAll('pre')].map(p => JSON.stringify(JSON.parse(p.textContent)))")
    names = page.run(f"[...{shown}.querySelectorAll('h4')].map(h => h.textContent)")
    asked = replica_environment(job.plan, "workers", 3)
    compact = page.run(f"{list(asked.values())!r}.map(t => JSON.stringify(JSON.parse(t)))")
    assert dict(zip(names, texts, strict=True)) == dict(zip(asked, compact, strict=True))


def test_an_index_that_is_not_there_becomes_the_nearest(page: Page, files: dict[str, Path]) -> None:
    page.open(files["several"])
    value = page.run(
        "(() => { const i = document.querySelector('.picker input'); i.value = '999';"
        " i.dispatchEvent(new Event('input')); return i.value; })()"
    )
    assert value == page.run("document.querySelector('.picker input').max")


def test_one_picture_of_each_kind_is_shown(page: Page, files: dict[str, Path]) -> None:
    for width, shown, hidden in ((1280, "wide", "tall"), (390, "tall", "wide")):
        page.open(files["several"], width)
        visible = "[...document.querySelectorAll('figure.{}')].filter(f => f.offsetHeight).length"
        assert page.run(visible.format(shown)) > 0
        assert page.run(visible.format(hidden)) == 0


def test_it_prints_in_the_light_theme_without_what_only_a_screen_can_do(page: Page, files: dict[str, Path]) -> None:
    page.open(files["several"], dark=True)
    page.send("Emulation.setEmulatedMedia", media="print")
    assert page.run("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    assert page.run("[...document.querySelectorAll('.replica, nav')].every(e => !e.offsetHeight)")
    page.send("Emulation.setEmulatedMedia", media="")
    assert page.pdf().startswith(b"%PDF")
