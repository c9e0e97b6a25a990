"""What a release is: the carried parts of a stack's jobs, their images by digest, and the versions it was made with.

Pure. The same jobs and versions have the same id in every environment, whatever their sizes and networks are.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trainingjobs.catalog.images import reduction_server_images
from trainingjobs.operations.promotion.order import Pattern, Rules, is_bound
from trainingjobs.spec.job import Job

DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")
IMAGE_KEYS = ("imageUri", "executorImageUri")
Leaves = dict[Pattern, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """`jobs` are the carried leaves by path, the job's name first; `start` what a stack without the job begins with.

    `versions` are those of the project, the engine and the policy pack.
    """

    jobs: Leaves
    versions: Mapping[str, str]
    start: Leaves = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Returns the release's name: what it carries and its versions, hashed."""
        content = {"jobs": nested(self.jobs), "versions": dict(self.versions)}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return f"r-{hashlib.sha256(text.encode()).hexdigest()[:12]}"

    @property
    def images(self) -> dict[Pattern, str]:
        """Returns the images by their place, the job's name first."""
        return {path: str(value) for path, value in self.jobs.items() if path[-1] in IMAGE_KEYS and value is not None}

    def tagged(self) -> dict[Pattern, str]:
        """Returns the images that do not say their digest; the reduction server's tag is prescribed by Google."""
        exempt = reduction_server_images()
        return {at: image for at, image in self.images.items() if image not in exempt and not DIGEST.search(image)}


def release_of(jobs: Mapping[str, Job], versions: Mapping[str, str], rules: Rules) -> Release:
    """Returns the release that a stack's jobs make, as their user wrote them."""
    carried: Leaves = {}
    start: Leaves = {}
    for name in sorted(jobs):
        document = jobs[name].model_dump(mode="json", by_alias=True, exclude_unset=True)
        for path, value in leaves(document):
            if rules.is_carried(path):
                carried[(name, *path)] = value
            elif not is_bound(path):
                start[(name, *path)] = value
    return Release(jobs=carried, versions=dict(versions), start=start)


def leaves(document: Mapping[str, Any], at: Pattern = ()) -> Iterator[tuple[Pattern, Any]]:
    """Yields the places of a document that hold no mapping, or an empty one, with their values; a list is one value."""
    for key, value in document.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, (*at, str(key)))
        else:
            yield (*at, str(key)), value


def nested(flat: Mapping[Pattern, Any]) -> dict[str, Any]:
    """Returns the document whose leaves are given, keys in their order."""
    document: dict[str, Any] = {}
    for path, value in flat.items():
        node = document
        for key in path[:-1]:
            node = node.setdefault(key, {})
        node[path[-1]] = value
    return document


def as_record(release: Release, promotions: list[dict[str, str]]) -> dict[str, Any]:
    """Returns the release as it is kept in stacks/releases, with the promotions that it went through."""
    return {
        "id": release.id,
        "images": sorted(set(release.images.values())),
        "jobs": nested(release.jobs),
        "start": nested(release.start),
        "versions": dict(release.versions),
        "promotions": promotions,
    }


def from_record(record: Mapping[str, Any]) -> Release:
    """Returns the release that a record holds. Raises ValueError where its content does not have the id it claims."""
    parts = {key: record.get(key) for key in ("jobs", "start", "versions")}
    if not all(isinstance(part, Mapping) for part in parts.values()):
        raise ValueError("jobs, start and versions are needed, each a mapping")
    release = Release(
        jobs=dict(leaves(parts["jobs"] or {})),
        start=dict(leaves(parts["start"] or {})),
        versions={str(key): str(value) for key, value in (parts["versions"] or {}).items()},
    )
    if release.id != record.get("id"):
        raise ValueError(f"it holds release {release.id} and calls itself {record.get('id')}")
    return release
