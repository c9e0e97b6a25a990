"""stacks/releases/<id>.json: every release that was promoted, whole, so that going back needs no archive."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from infra.project_files import STACKS, read_file
from infra.promotion.release import Release, as_record, from_record
from infra.spec.text import DocumentError

RELEASES = STACKS / "releases"
RELEASE_ID = re.compile(r"r-[0-9a-f]{12}")


def record_path(release_id: str) -> Path:
    """Returns the file of a release."""
    return RELEASES / f"{release_id}.json"


def load(release_id: str) -> tuple[Release, list[dict[str, str]]]:
    """Returns a recorded release and its promotions. Raises DocumentError where it is not there or was edited."""
    path = record_path(release_id)
    if not RELEASE_ID.fullmatch(release_id) or not path.is_file():
        known = ", ".join(one.stem for one in sorted(RELEASES.glob("r-*.json"))) or "none"
        raise DocumentError("no such release", f"there are {known}", release_id)
    record = read_file(path)
    try:
        release = from_record(record)
    except ValueError as problem:
        raise DocumentError(str(problem), "restore the file from git", f"stacks/releases/{path.name}") from None
    return release, [dict(one) for one in record.get("promotions", []) if isinstance(one, dict)]


def record_text(release: Release, source: str, target: str) -> str:
    """Returns the text of the release's file with this promotion in it. Raises DocumentError for an edited file."""
    promotions = load(release.id)[1] if record_path(release.id).is_file() else []
    this = {"source": source, "target": target}
    if this not in promotions:
        promotions = [*promotions, this]
    return json.dumps(as_record(release, promotions), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def all_records() -> list[dict[str, Any]]:
    """Returns the recorded releases by id. Raises DocumentError for an edited file."""
    found = []
    for path in sorted(RELEASES.glob("r-*.json")):
        release, promotions = load(path.stem)
        found.append({"id": release.id, "images": sorted(set(release.images.values())), "promotions": promotions})
    return found


def write_whole(path: Path, text: str) -> None:
    """Writes a file so that a kill at any moment leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
