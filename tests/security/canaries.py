"""Random secrets that are planted where secrets may be given, and the search for them in everything that comes out."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Canaries:
    """Each planted secret by the name of its place."""

    planted: dict[str, str] = field(default_factory=dict)

    def plant(self, place: str, form: str = "{}") -> str:
        """Returns a new secret for a place; `form` is what is around it, as in a token of a known kind."""
        core = self.planted.setdefault(place, f"Kanarie{secrets.token_hex(8)}")
        return form.format(core)

    def leaks(self, outputs: dict[str, str | bytes]) -> list[str]:
        """Returns `place in output` for each secret that is in an output, as it stands or in base64."""
        return [
            f"{place} in {name}"
            for name, text in outputs.items()
            for place, core in self.planted.items()
            if any(form in (text.encode() if isinstance(text, str) else text) for form in _forms(core))
        ]

    def leaks_in_files(self, folders: Iterable[Path], but: Iterable[Path] = ()) -> list[str]:
        """Returns `place in file` for each secret in a file of the folders, or in its name; `but` are left out."""
        left_out = set(but)
        files = [path for folder in folders for path in sorted(folder.rglob("*")) if path not in left_out]
        named = self.leaks({f"the name {path}": path.name for path in files})
        return named + [
            leak
            for path in files
            if path.is_file() and not path.is_symlink()
            for leak in self.leaks({str(path): path.read_bytes()})
        ]


def _forms(core: str) -> list[bytes]:
    """Returns the secret as it stands, and what base64 makes of it wherever in a text it begins."""
    forms = [core.encode()]
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + core.encode()).rstrip(b"=")
        # The first and last characters hold bits of the neighbours too.
        forms.append(text[shift and 4 : -2])
    return forms
