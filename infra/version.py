"""The project's version: what a release was made with. pyproject.toml says the same."""

from typing import Final

VERSION: Final = "1.0.0"
