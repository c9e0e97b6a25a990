"""What the documentation says that a command prints, it prints; what it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dev.doc_commands import DOCS, ROOT, commands, differences, matches, pages
from trainingjobs.cli.main import VERBS

PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
FENCES = re.compile(r"```.*?```", re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)#:\s]+)(?P<anchor>#[^)]*)?\)")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", pages(), ids=name)
def test_commands_print_what_the_page_says(page: Path) -> None:
    assert list(differences(page)) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_files(page: Path) -> None:
    text = FENCES.sub("", page.read_text(encoding="utf-8"))
    missing = [m["target"] for m in LINK.finditer(text) if not (page.parent / m["target"]).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_verbs_and_targets_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:^|[`$] ?|-m )trainingjobs ([a-z]+)", text, re.MULTILINE)) <= set(VERBS)
    assert set(re.findall(r"`make ([a-z]+)", text)) <= targets
    fenced = "\n".join(FENCES.findall(text))
    assert set(re.findall(r"^(?:\$ )?make ([a-z]+)", fenced, re.MULTILINE)) <= targets


def test_a_block_is_read_as_commands_with_their_output() -> None:
    parsed = commands("$ first\none\ntwo\n$ second \\\n  more\n")
    assert [(command.typed, command.says) for command in parsed] == [("first", "one\ntwo\n"), ("second \\\n  more", "")]


@pytest.mark.parametrize(
    ("says", "prints", "same"),
    [
        ("one\n", "one\n", True),
        ("one\n", "one\ntwo\n", False),
        ("…\ntwo\n", "one\nand\ntwo\n", True),
        ("…\n", "", True),
        ("a … c\n", "a b c\n", True),
        ("a.c\n", "abc\n", False),
    ],
)
def test_an_ellipsis_stands_for_anything(says: str, prints: str, same: bool) -> None:
    assert matches(says, prints) is same
