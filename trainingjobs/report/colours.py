"""The report's colours, light and dark: one table for the page, the topology, the charts and the bitmap.

Every pair of text and ground has a contrast of 4.5 or more.
"""

from __future__ import annotations

from typing import Literal

Theme = Literal["light", "dark"]

COLOURS: dict[str, tuple[str, str]] = {
    "ground": ("#ffffff", "#14181d"),
    "card": ("#f5f7f9", "#1c2229"),
    "ink": ("#1b2530", "#e6ebf0"),
    "muted": ("#52606d", "#a3b1be"),
    "rule": ("#cbd4dc", "#3a4550"),
    "link": ("#4a6fa5", "#8ab0e6"),
    "warn": ("#a5480a", "#f0a35e"),
    "error": ("#b3261e", "#ff8f85"),
    "good": ("#1d7044", "#6fcf97"),
    "primary": ("#5b3fa8", "#b39df3"),
    "workers": ("#2f62a8", "#86b1ee"),
    "reducers": ("#0f7070", "#5fc9c9"),
    "parameterServers": ("#0f7070", "#5fc9c9"),
    "evaluators": ("#52606d", "#a3b1be"),
    "narrow": ("#fdf3ea", "#2c2218"),
}


def colour(name: str, theme: Theme = "light") -> str:
    """Returns a colour as #rrggbb."""
    return COLOURS[name][theme == "dark"]


def variables(theme: Theme) -> str:
    """Returns the colours as CSS variables."""
    return "".join(f"--{name}:{colour(name, theme)};" for name in COLOURS)
