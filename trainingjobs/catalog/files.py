"""Reads the catalogue's data files, each once. Owns where they lie, not what they mean.

Every row says where its figure comes from: the codes are those of data/sources.csv, which has what and when.
"""

from __future__ import annotations

import csv
import json
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

DATA = Path(__file__).parent / "data"


class BootDisk(TypedDict):
    """Vertex AI's boot disks: sizes in GB."""

    types: list[str]
    default: str
    default_by_machine: dict[str, str]
    unsure: dict[str, str]
    min_gb: int
    max_gb: int
    default_gb: int


class Region(TypedDict):
    """One region of Vertex AI custom training; `unsure` is empty where the documents agree."""

    multi_region: str
    basis: str
    accelerators: list[str]
    unsure: str


class VertexFacts(TypedDict):
    """data/vertex.json: what Vertex AI custom training accepts."""

    machine_types: dict[str, dict[str, list[int]]]
    regions: dict[str, Region]
    reduction_server_images: dict[str, str]
    boot_disk: BootDisk


def read_rows(name: str) -> list[list[str]]:
    """Returns the rows of a table in data/ without its heading, in the file's order."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def read_records(name: str) -> list[dict[str, str]]:
    """Returns the rows of a table in data/ by their columns' names, in the file's order."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@lru_cache(maxsize=1)
def vertex_facts() -> VertexFacts:
    """Returns data/vertex.json (Vertex AI compute, locations and distributed training pages). Not to be changed."""
    facts: VertexFacts = json.loads((DATA / "vertex.json").read_text(encoding="utf-8"))
    return facts


@lru_cache(maxsize=1)
def sources() -> dict[str, tuple[str, str]]:
    """Returns source code → (what it is, date of the copy read)."""
    return {code: (what, date) for code, what, date in read_rows("sources.csv")}
