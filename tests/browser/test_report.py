from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from dev.browser import axe, browser, new_page
from tests.unit.jobs import gpu_job
from tests.unit.report.views import several, view_of
from trainingjobs.convert.environments import replica_environment
from trainingjobs.report.page import page as report_page

WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as launched:
        yield launched


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("reports")
    reports = {"several": report_page(several(), view_of({"bert": gpu_job()})), "none": report_page(view_of({}))}
    for name, html in reports.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in reports}


@pytest.fixture
def page(chromium: Browser, addresses: dict[str, str]) -> Iterator[Page]:
    with new_page(chromium, dark=True) as report:
        report.goto(addresses["several"])
        yield report


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["several", "none"])
def test_nothing_serious_for_axe_no_errors_no_sideways_scrolling(
    chromium: Browser, addresses: dict[str, str], name: str, width: int, dark: bool
) -> None:
    problems: list[str] = []
    with new_page(chromium, width, dark=dark) as report:
        report.on("pageerror", lambda error: problems.append(f"exception: {error}"))
        report.on("console", lambda message: problems.append(f"console.{message.type}: {message.text}"))
        report.on("request", lambda request: problems.append(f"request: {request.url}"))
        report.goto(addresses[name])
        serious = [violation for violation in axe(report) if violation["impact"] in ("serious", "critical")]
        assert [(violation["id"], [node["target"] for node in violation["nodes"]]) for violation in serious] == []
        assert report.evaluate("document.documentElement.scrollWidth") <= width
    assert problems == [f"request: {addresses[name]}"]


def test_the_picker_shows_the_replica_that_is_asked_for(page: Page) -> None:
    picker = page.get_by_role("group", name="Replica of reduced")
    # By keyboard alone: the role is a list, the index a number.
    picker.get_by_label("role").focus()
    for key in ("ArrowDown", "Tab", "3"):
        page.keyboard.press(key)
    expect(picker.get_by_label("index")).to_be_focused()
    expect(picker.get_by_label("index")).to_have_value("3")
    shown = page.locator(f"#{picker.get_attribute('data-target')}")
    names, values = shown.locator("h4").all_text_contents(), shown.locator("pre").all_text_contents()
    job = next(job for job in several().jobs if job.name == "reduced")
    environment = replica_environment(job.plan, "workers", 3)
    assert dict(zip(names, map(json.loads, values), strict=True)) == {
        name: json.loads(value) for name, value in environment.items()
    }


def test_an_index_that_is_not_there_becomes_the_nearest(page: Page) -> None:
    index = page.locator(".picker input").first
    index.fill("999")
    assert index.input_value() == index.get_attribute("max")


@pytest.mark.parametrize(("width", "shown", "hidden"), [(1280, "wide", "tall"), (390, "tall", "wide")])
def test_one_picture_of_each_kind_is_shown(page: Page, width: int, shown: str, hidden: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    assert page.locator(f"figure.{shown}").filter(visible=True).count() > 0
    assert page.locator(f"figure.{hidden}").filter(visible=True).count() == 0


def test_it_prints_in_the_light_theme_without_what_only_a_screen_can_do(page: Page) -> None:
    page.emulate_media(media="print")
    expect(page.locator("html")).to_have_css("background-color", "rgb(255, 255, 255)")
    assert page.locator(".replica, nav").filter(visible=True).count() == 0
    assert page.pdf().startswith(b"%PDF")
