"""`make launcher`: the launcher as one file that any Python from 3.11 on runs, without the package or any other."""

from __future__ import annotations

import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "trainingjobs" / "launcher"
TARGET = ROOT / "dist" / "trainingjobs-launcher.pyz"
ENTRY = "import sys\n\nfrom launcher.cli import main\n\nsys.exit(main(sys.argv[1:]))\n"


def build(target: Path) -> None:
    """Writes the launcher as one file; the same sources give the same bytes."""
    files = {f"launcher/{path.name}": path.read_bytes() for path in SOURCE.glob("*.py")}
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in sorted({**files, "__main__.py": ENTRY.encode()}.items()):
                # Without the time of each file.
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    target.chmod(0o755)


if __name__ == "__main__":
    build(TARGET)
    print(f"» {TARGET.relative_to(ROOT)} written; in an image: COPY it, then: trainingjobs-launcher.pyz COMMAND …")
