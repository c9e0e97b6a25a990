"""stacks/releases/<id>.json: every release that was promoted, whole, so that going back needs no archive."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from trainingjobs.core.documents import DocumentError
from trainingjobs.operations.promotion.release import Release, as_record, from_record
from trainingjobs.project.files import project, read_file

RELEASE_ID = re.compile(r"r-[0-9a-f]{12}")


def releases_folder() -> Path:
    """Returns the folder of the project's releases."""
    return project().stacks / "releases"


def record_path(release_id: str) -> Path:
    """Returns the file of a release."""
    return releases_folder() / f"{release_id}.json"


def load(release_id: str) -> tuple[Release, list[dict[str, str]]]:
    """Returns a recorded release and its promotions. Raises DocumentError where it is not there or was edited."""
    path = record_path(release_id)
    if not RELEASE_ID.fullmatch(release_id) or not path.is_file():
        known = ", ".join(file.stem for file in sorted(releases_folder().glob("r-*.json"))) or "none"
        raise DocumentError("no such release", f"there are {known}", release_id)
    record = read_file(path)
    try:
        release = from_record(record)
    except ValueError as problem:
        raise DocumentError(str(problem), "restore the file from git", project().label(path)) from None
    return release, [dict(promotion) for promotion in record.get("promotions", []) if isinstance(promotion, dict)]


def record_text(release: Release, source: str, target: str) -> str:
    """Returns the text of the release's file with this promotion in it. Raises DocumentError for an edited file."""
    promotions = load(release.id)[1] if record_path(release.id).is_file() else []
    promotion = {"source": source, "target": target}
    if promotion not in promotions:
        promotions = [*promotions, promotion]
    return json.dumps(as_record(release, promotions), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def all_records() -> list[dict[str, Any]]:
    """Returns the recorded releases by id. Raises DocumentError for an edited file."""
    records = []
    for path in sorted(releases_folder().glob("r-*.json")):
        release, promotions = load(path.stem)
        records.append({"id": release.id, "images": sorted(set(release.images.values())), "promotions": promotions})
    return records
