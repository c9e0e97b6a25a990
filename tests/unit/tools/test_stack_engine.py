"""How the engine is asked."""

from __future__ import annotations

import os
from pathlib import Path

from tools.stack_engine import Engine

ENGINE = """#!/bin/sh
[ -z "$PULUMI_OPTION_FILE" ] || exec >"$PULUMI_OPTION_FILE"
echo '{"deployment": {"resources": []}}'
"""


def test_the_users_options_for_the_engine_do_not_hold_for_what_is_asked(tmp_path: Path) -> None:
    engine = tmp_path / "bin" / "pulumi"
    engine.parent.mkdir()
    engine.write_text(ENGINE)
    engine.chmod(0o700)
    environment = {
        "PATH": f"{engine.parent}{os.pathsep}{os.environ['PATH']}",
        "PULUMI_OPTION_FILE": str(tmp_path / "elsewhere"),
    }
    assert Engine("dev", tmp_path, environment).exported() == {"resources": []}
