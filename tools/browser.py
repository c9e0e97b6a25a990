"""Headless Chromium for tests and screenshots: pages opened over the DevTools pipe, nothing fetched from a network.

`python -m tools.browser` makes ready what that takes: Chromium (Debian's package where this is root on Debian) and
axe-core, in the cache.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--remote-debugging-pipe",
)
AXE = "4.14.1"
# Of axe.min.js: what a registry serves under a version is its own affair.
AXE_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"


class BrowserError(Exception):
    """Chromium or axe-core is missing, or does not answer; the message says what to do."""


def cache() -> Path:
    """Returns the folder of what the tests fetch."""
    given = os.environ.get("TRAINING_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(given) if given else base / "training-infra"


def chromium() -> str:
    """Returns the browser's path. Raises BrowserError where there is none."""
    found = os.environ.get("CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        raise BrowserError("no Chromium; `make browser` installs Debian's, or name one: CHROMIUM=/path/to/chromium")
    return found


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


class Page:
    """One tab, driven by commands of the DevTools protocol."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._number, self._rest, self._session = 0, b"", ""
        self.problems: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Returns the answer to a command; errors and requests of the page that come meanwhile go to `problems`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error'].get('message')}")
                return dict(answer["result"])
            self._note(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._read, 1 << 16)
            if not piece:
                raise BrowserError("Chromium has ended")
            self._rest += piece
        text, self._rest = self._rest.split(b"\0", 1)
        return dict(json.loads(text))

    def _note(self, event: dict[str, Any]) -> None:
        method, told = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(f"exception: {told['exceptionDetails'].get('text')}")
        elif method == "Runtime.consoleAPICalled" and told.get("type") in ("error", "warning", "assert"):
            self.problems.append(f"console.{told['type']}: {told.get('args')}")
        elif method == "Log.entryAdded" and told["entry"].get("level") in ("error", "warning"):
            self.problems.append(f"log: {told['entry'].get('text')}")
        elif method == "Network.requestWillBeSent" and not told["request"]["url"].startswith(("file:", "data:")):
            self.problems.append(f"request: {told['request']['url']}")

    def open(self, path: Path, width: int = 1280, height: int = 800, *, dark: bool = False) -> None:
        """Shows a file at a width and in a theme, and waits until it is loaded."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=features)
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.send("Page.navigate", url=path.resolve().as_uri())
        while self.run("document.readyState") != "complete":
            pass

    def run(self, script: str) -> Any:
        """Returns the value of a script, awaited. Raises BrowserError where it throws."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(str(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        """Presses a key, as a person does."""
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def screenshot(self) -> bytes:
        """Returns the whole page as PNG."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        taken = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(taken["data"])

    def pdf(self) -> bytes:
        """Returns the page as it prints, on A4."""
        printed = self.send("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=True)
        return base64.b64decode(printed["data"])

    def axe(self) -> list[dict[str, Any]]:
        """Returns what axe-core finds wrong."""
        self.run(axe_script() + ";0")
        found: list[dict[str, Any]] = self.run("axe.run(document,{resultTypes:['violations']}).then(r=>r.violations)")
        return found


@contextmanager
def browser() -> Iterator[Page]:
    """Gives a page of a new browser with an empty profile. Raises BrowserError."""
    path = chromium()
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # Chromium takes commands on descriptor 3 and answers on 4.
        script = f'exec 3<&{to_read} 4>&{from_write}; exec "$@"'
        process = subprocess.Popen(
            ["/bin/bash", "-c", script, "bash", path, *FLAGS, f"--user-data-dir={profile}"],
            pass_fds=(to_read, from_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        try:
            page = Page(to_write, from_read)
            yield page
            page._session = ""
            page.send("Browser.close")
        finally:
            os.close(to_write)
            os.close(from_read)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


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
            words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run([*words, "--prefix", str(folder), f"axe-core@{AXE}"], check=True, stdout=subprocess.DEVNULL)
        axe_script()
        print(f"» browser: {chromium()}")
    except (BrowserError, OSError, subprocess.CalledProcessError) as problem:
        print(f"make browser: {problem}", file=sys.stderr)
        return 1
    return 0


def _install_chromium() -> None:
    if not shutil.which("apt-get") or os.geteuid() != 0:
        raise BrowserError("install Chromium (Debian: apt-get install chromium), or name one: CHROMIUM=/path")
    print("» installing Chromium (Debian's package): about a minute", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu"]):
        subprocess.run(["apt-get", *words], check=True, env=environment, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
