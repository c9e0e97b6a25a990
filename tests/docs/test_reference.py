from __future__ import annotations

from dev.reference_pages import FOLDER, pages
from trainingjobs.cli.main import VERBS


def test_the_pages_are_those_that_the_code_makes() -> None:
    made = pages()
    assert {path.name for path in FOLDER.iterdir()} == set(made)
    assert {name: (FOLDER / name).read_text(encoding="utf-8") for name in made} == made


def test_every_verb_has_a_section() -> None:
    text = pages()["commands.md"]
    assert [verb for verb in VERBS if f"\n## {verb}\n" not in text] == []
