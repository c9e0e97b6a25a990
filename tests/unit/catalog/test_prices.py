"""Prices: the documents' figures, what is unknown, and a user's own file."""

import csv
import re
from pathlib import Path

import pytest

from trainingjobs import catalog
from trainingjobs.catalog.files import DATA, read_rows

HEADING = ",".join(("kind", "name", "usd_per_hour", "source", "date", "unsure"))


def test_machines_with_their_gpus() -> None:
    assert catalog.usd_per_hour("n1-highcpu-16", None, 0) == catalog.Price(0.566789, "", "2026-07-30")
    assert catalog.usd_per_hour("a2-megagpu-16g", None, 0).usd == pytest.approx(55.739504)
    assert catalog.usd_per_hour("a2-megagpu-16g", "NVIDIA_TESLA_A100", 16).usd == pytest.approx(55.739504)


def test_n1_adds_the_unit_price_of_its_accelerators() -> None:
    price = catalog.usd_per_hour("n1-highmem-96", "NVIDIA_TESLA_V100", 8)
    assert price.usd == pytest.approx(25.518544)
    assert price.date.startswith("2026-07-30") and "undated" in price.date


def test_unknown_prices_are_none_and_doubtful_ones_say_so() -> None:
    for name in ("a4-highgpu-8g", "a4x-highgpu-4g", "a3-edgegpu-8g", "no-such-machine", "cloud-tpu"):
        price = catalog.usd_per_hour(name, None, 0)
        assert price.usd is None and price.unsure
    assert catalog.usd_per_hour("n1-standard-4", "NVIDIA_TESLA_K80", 1).usd is None
    assert catalog.usd_per_hour("a3-megagpu-8g", None, 0).unsure


def test_every_machine_has_a_row_and_every_price_a_source_and_a_date() -> None:
    rows = read_rows("prices.csv")
    assert {name for kind, name, *_ in rows if kind == "machine"} == set(catalog.machine_names())
    for _kind, _name, usd, source, date, unsure in rows:
        if usd:
            assert float(usd) > 0
            assert source in catalog.sources()
            assert date == catalog.sources()[source][1]
            assert re.fullmatch(r"\d{4}-\d\d-\d\d|undated", date)
        else:
            assert unsure


def test_a_user_s_file_replaces_the_catalogue(tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(f"{HEADING}\nmachine,n1-highcpu-16,0.5,contract,2026-01-01,\n", encoding="utf-8")
    prices = catalog.load_prices(path)
    assert catalog.usd_per_hour("n1-highcpu-16", None, 0, prices) == catalog.Price(0.5, "", "2026-01-01")
    assert catalog.usd_per_hour("n2-highcpu-16", None, 0, prices).usd is None
    assert catalog.usd_per_hour("n1-highcpu-16", None, 0).usd == 0.566789


def test_the_catalogue_s_own_file_is_a_valid_one() -> None:
    assert catalog.load_prices(DATA / "prices.csv") == catalog.load_prices()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ":1:"),
        ("a,b\n", "kind,name"),
        (f"{HEADING}\nmachine,n1-highcpu-15,1,s,d,\n", "n1-highcpu-16"),
        (f"{HEADING}\naccelerator,nvidia-tesla-v100,1,s,d,\n", "NVIDIA_TESLA_V100"),
        (f"{HEADING}\ndisk,pd-ssd,1,s,d,\n", "machine or accelerator"),
        (f"{HEADING}\nmachine,n1-highcpu-16,cheap,s,d,\n", "cheap"),
        (f"{HEADING}\nmachine,n1-highcpu-16,-1,s,d,\n", "-1"),
        (f"{HEADING}\nmachine,n1-highcpu-16,nan,s,d,\n", "nan"),
        (f"{HEADING}\nmachine,n1-highcpu-16\n", ":2:"),
        (f"{HEADING}\n" + 2 * "machine,n1-highcpu-16,1,s,d,\n", "second price"),
    ],
)
def test_a_bad_file_is_refused_in_one_line_that_names_it(tmp_path: Path, content: str, expected: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(catalog.PriceFileError) as refused:
        catalog.load_prices(path)
    message = str(refused.value)
    assert str(path) in message and expected in message and "\n" not in message


def test_unreadable_files_are_refused_alike(tmp_path: Path) -> None:
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (binary, tmp_path / "missing.csv", tmp_path):
        with pytest.raises(catalog.PriceFileError):
            catalog.load_prices(path)


def test_tables_are_sorted_without_repetition() -> None:
    for name, keys in (("machines.csv", 1), ("n1_accelerators.csv", 3), ("prices.csv", 2)):
        with (DATA / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert len({len(row) for row in rows}) == 1
        ids = [tuple(row[:keys]) for row in rows[1:]]
        assert ids == sorted(set(ids))
