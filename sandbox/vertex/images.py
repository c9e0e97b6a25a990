"""Which local command an image stands for: sandbox/images.json, or the file that TRAINING_SANDBOX_IMAGES names."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from sandbox.state_folder import ROOT

_KEYS = {"entrypoint", "path", "pythonpath", "cwd"}


class ImageError(Exception):
    """An image that stands for nothing here, or whose entry in the map is malformed."""


@dataclass(frozen=True)
class Image:
    """What stands for an image: its entrypoint, folders for PATH and PYTHONPATH, its working folder if any."""

    entrypoint: list[str]
    path: list[Path]
    pythonpath: list[Path]
    cwd: Path | None


def map_file() -> Path:
    """Returns the file that maps images to local commands."""
    return Path(os.environ.get("TRAINING_SANDBOX_IMAGES") or ROOT / "sandbox" / "images.json")


def find_image(uri: str, file: Path) -> Image:
    """Returns what stands for the image `uri`, whatever its tag or digest; an entry that names the tag comes first.

    Raises ImageError, which names the file, where there is nothing or where its folders are missing.
    """
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"{_display_path(file)}, which maps images to local commands, cannot be read: {error}"
        raise ImageError(message) from None
    repository = re.sub(r"(:[^/:@]+)?(@[^/@]+)?$", "", uri)
    entry = entries.get(uri, entries.get(repository))
    if entry is None:
        message = (
            f"The image {uri} cannot be pulled: the sandbox pulls no images. "
            f"Map {repository} to a local command in {_display_path(file)}."
        )
        raise ImageError(message)
    if not isinstance(entry, dict) or not entry.keys() <= _KEYS:
        message = (
            f"{_display_path(file)}: the entry of {repository} may have {', '.join(sorted(_KEYS))} and nothing else."
        )
        raise ImageError(message)
    image = Image(
        entrypoint=[part.replace("{python}", sys.executable) for part in entry.get("entrypoint", [])],
        path=[ROOT / folder for folder in entry.get("path", [])],
        pythonpath=[ROOT / folder for folder in entry.get("pythonpath", [])],
        cwd=ROOT / entry["cwd"] if "cwd" in entry else None,
    )
    for folder in (*image.path, *image.pythonpath, *([image.cwd] if image.cwd else [])):
        if not folder.is_dir():
            message = (
                f"The image {uri} stands for programs in {_display_path(folder)} "
                f"({_display_path(file)}), which is not there{_make_hint(folder)}."
            )
            raise ImageError(message)
    return image


def _make_hint(folder: Path) -> str:
    """Returns which make target makes the virtual environment of the project's that the folder is in, else ""."""
    top_folder = folder.relative_to(ROOT).parts[0] if folder.is_relative_to(ROOT) else ""
    return f"; `make {top_folder}/.made` makes it" if top_folder.startswith(".venv-") else ""


def _display_path(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
