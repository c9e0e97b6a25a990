"""The page of the rules is the one that the registry and the samples make."""

from __future__ import annotations

import re

from dev.rules_page import PAGE, ROOT, page
from trainingjobs.rules import RULES


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m dev.rules_page`"


def test_every_rule_has_its_section_and_every_link_leads_somewhere() -> None:
    text = page()
    assert re.findall(r"^## ([a-z-]+)$", text, re.MULTILINE) == sorted(RULES)
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert all((ROOT / "docs" / link).exists() for link in links)
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) == set(RULES)
