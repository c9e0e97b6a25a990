"""Headless Chromium for tests and screenshots, driven by Playwright.

`python -m dev.browser` makes ready what that takes: Chromium (Debian's package where this is root on Debian) and
axe-core, in the cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
# Letters would stand otherwise on a machine with other settings of its fonts.
FLAGS = ["--font-render-hinting=none"]
AXE = "4.14.1"
# Of axe.min.js: what a registry serves under a version is its own affair.
AXE_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"


class BrowserError(Exception):
    """Chromium or axe-core is missing; the message says what to do."""


def cache() -> Path:
    """Returns the folder of what the tests fetch."""
    configured = os.environ.get("TRAINING_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(configured) if configured else base / "training-infra"


def chromium() -> str:
    """Returns the browser's path. Raises BrowserError where there is none."""
    executable = os.environ.get("CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)
    if executable is None:
        raise BrowserError("no Chromium; `make browser` installs Debian's, or name one: CHROMIUM=/path/to/chromium")
    return executable


def axe_script() -> str:
    """Returns axe-core's text. Raises BrowserError where it was not fetched, or is not the pinned one."""
    path = cache() / f"axe-core-{AXE}" / "node_modules" / "axe-core" / "axe.min.js"
    if not path.is_file():
        raise BrowserError("axe-core is not there; `make browser` fetches it")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != AXE_SHA256:
        raise BrowserError(
            f"{path} is not axe-core {AXE} as it is pinned; remove its folder and find out where it is from"
        )
    return content.decode()


@contextmanager
def browser() -> Iterator[Browser]:
    """Gives a new browser with an empty profile. Raises BrowserError."""
    executable = chromium()
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=executable, args=FLAGS) as launched,
    ):
        yield launched


def new_page(launched: Browser, width: int = 1280, height: int = 800, *, dark: bool = False) -> Page:
    """Returns an empty page of a width, a phone's where it is narrow, in a theme."""
    theme: Literal["dark", "light"] = "dark" if dark else "light"
    return launched.new_page(viewport={"width": width, "height": height}, is_mobile=width < 600, color_scheme=theme)


def axe(page: Page) -> list[dict[str, Any]]:
    """Returns what axe-core finds wrong with a page."""
    page.evaluate(axe_script())
    violations: list[dict[str, Any]] = page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(results => results.violations)"
    )
    return violations


def main() -> int:
    """Makes ready what the browser tests need; returns the exit status."""
    try:
        try:
            chromium()
        except BrowserError:
            _install_chromium()
        folder = cache() / f"axe-core-{AXE}"
        if not (folder / "node_modules" / "axe-core" / "axe.min.js").is_file():
            print(f"» fetching axe-core {AXE}", flush=True)
            folder.mkdir(parents=True, exist_ok=True)
            command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run(
                [*command, "--prefix", str(folder), f"axe-core@{AXE}"], check=True, stdout=subprocess.DEVNULL
            )
        axe_script()
        print(f"» browser: {chromium()}")
    except (BrowserError, OSError, subprocess.CalledProcessError) as error:
        print(f"make browser: {error}", file=sys.stderr)
        return 1
    return 0


def _install_chromium() -> None:
    if not shutil.which("apt-get") or os.geteuid() != 0:
        raise BrowserError("install Chromium (Debian: apt-get install chromium), or name one: CHROMIUM=/path")
    print("» installing Chromium (Debian's package): about a minute", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for arguments in (
        ["update", "-qq"],
        ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu"],
    ):
        subprocess.run(["apt-get", *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
