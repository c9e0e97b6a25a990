"""On-demand list prices in USD per hour, us-central1. Owns no cost of a job: that is the plan's.

Vertex AI's management fee, Tier_1's surcharge, disks and network traffic are in no price here.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from trainingjobs.catalog import files
from trainingjobs.catalog.accelerator_types import accelerators, nearest_accelerator
from trainingjobs.catalog.machines import built_in_accelerators, machine_names, nearest_machine

PRICE_REGION = "us-central1"
PRICE_COLUMNS = ("kind", "name", "usd_per_hour", "source", "date", "unsure")


class PriceFileError(ValueError):
    """A price file cannot be used; the message is one line with the file, the line, the value and what is allowed."""


@dataclass(frozen=True, slots=True)
class Price:
    """USD per hour of one VM with its accelerators; None: unknown. `date`: of the copies read, "" where unknown."""

    usd: float | None
    unsure: str
    date: str


# ("machine" | "accelerator", name) → price of the machine with its own GPUs, or of one accelerator attached to N1.
Prices = Mapping[tuple[str, str], Price]

_UNKNOWN = Price(None, "no price found", "")


def load_prices(path: Path | None = None) -> Prices:
    """Returns the prices of a CSV file with the columns PRICE_COLUMNS, in place of the catalogue's own (None: those).

    A name that is missing, or whose price is empty, is unknown. Raises PriceFileError for a file that cannot be used.
    """
    return _read_prices(path) if path is not None else _own_prices()


@lru_cache(maxsize=1)
def _own_prices() -> Prices:
    return _read_prices(files.DATA / "prices.csv")


def _read_prices(path: Path) -> Prices:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise PriceFileError(f"{path}: cannot be read as CSV in UTF-8 ({problem})") from problem
    if not rows or tuple(rows[0]) != PRICE_COLUMNS:
        raise PriceFileError(f"{path}:1: the heading must be {','.join(PRICE_COLUMNS)}")
    known = {"machine": frozenset(machine_names()), "accelerator": frozenset(accelerators())}
    prices: dict[tuple[str, str], Price] = {}
    for number, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        key, price = _price_of(f"{path}:{number}", row, known)
        if key in prices:
            raise PriceFileError(f"{path}:{number}: {key[1]} has a second price; one row each")
        prices[key] = price
    return prices


def _price_of(where: str, row: list[str], known: Mapping[str, frozenset[str]]) -> tuple[tuple[str, str], Price]:
    if len(row) != len(PRICE_COLUMNS):
        raise PriceFileError(f"{where}: {len(row)} columns; there are {len(PRICE_COLUMNS)}")
    kind, name, usd, _source, date, unsure = row
    if kind not in known:
        raise PriceFileError(f"{where}: kind {kind!r}; it is machine or accelerator")
    if name not in known[kind]:
        nearest = nearest_machine(name) if kind == "machine" else nearest_accelerator(name)
        raise PriceFileError(
            f"{where}: no {kind} is called {name!r}" + (f"; did you mean {nearest}?" if nearest else "")
        )
    return (kind, name), Price(_amount(where, usd), unsure, date)


def _amount(where: str, usd: str) -> float | None:
    if not usd:
        return None
    try:
        amount = float(usd)
    except ValueError:
        amount = math.nan
    if not math.isfinite(amount) or amount < 0:
        raise PriceFileError(f"{where}: usd_per_hour {usd!r}; it is a number from 0, or empty where it is unknown")
    return amount


def usd_per_hour(
    machine_type: str, accelerator_type: str | None, accelerator_count: int, prices: Prices | None = None
) -> Price:
    """Returns the price of one VM in USD per hour, its accelerators included; usd None where a part is unknown.

    A2, A3, A4, G2 and G4 prices hold the GPUs already; N1 is the machine plus the accelerators' unit prices. `prices`
    comes from load_prices; without it the catalogue's own hold.
    """
    table = prices if prices is not None else _own_prices()
    base = table.get(("machine", machine_type), _UNKNOWN)
    if base.usd is None or not accelerator_type or accelerator_count <= 0 or built_in_accelerators(machine_type):
        return base
    unit = table.get(("accelerator", accelerator_type), _UNKNOWN)
    if unit.usd is None:
        return Price(None, f"{accelerator_type}: {unit.unsure or 'no price found'}", base.date)
    caveats = "; ".join(caveat for caveat in (base.unsure, unit.unsure) if caveat)
    date = base.date if base.date == unit.date else f"{base.date or 'undated'}; accelerators {unit.date or 'undated'}"
    return Price(base.usd + accelerator_count * unit.usd, caveats, date)
