"""The page of the rules is the one that the registry and the samples make."""

from __future__ import annotations

import re

from infra.plan.rules import RULES
from tools.rules_page import PAGE, ROOT, page


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tools.rules_page`"


def test_every_rule_has_its_section_and_every_link_leads_somewhere() -> None:
    text = page()
    assert re.findall(r"^## ([a-z-]+)$", text, re.MULTILINE) == sorted(RULES)
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert all((ROOT / "docs" / link).exists() for link in links)
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) == set(RULES)
