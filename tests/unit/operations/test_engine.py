"""How the engine is asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trainingjobs.operations.engine import Engine
from trainingjobs.operations.errors import StackError

STATE = """'{"deployment": {"resources": []}}'"""
EXPORTS = f"""#!/bin/sh
[ -z "$PULUMI_OPTION_FILE" ] || exec >"$PULUMI_OPTION_FILE"
echo {STATE}
"""
# There is no stack until somebody has made it, who may be another run.
MAKES = f"""#!/bin/sh
case "$2" in
export) [ -e made ] && echo {STATE} && exit 0; echo "no stack named 'dev' found" >&2; exit 255 ;;
init) case "$FATE" in
  new) touch made ;;
  "in between") touch made; echo "stack 'dev' already exists" >&2; exit 255 ;;
  *) echo "you may not" >&2; exit 255 ;;
  esac ;;
esac
"""


def engine(folder: Path, script: str, **environment: str) -> Engine:
    program = folder / "bin" / "pulumi"
    program.parent.mkdir()
    program.write_text(script)
    program.chmod(0o700)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    return Engine("dev", {"PATH": path, "PULUMI_BACKEND_URL": folder.as_uri(), **environment}, folder)


def test_the_users_options_for_the_engine_do_not_hold_for_what_is_asked(tmp_path: Path) -> None:
    asked = engine(tmp_path, EXPORTS, PULUMI_OPTION_FILE=str(tmp_path / "elsewhere"))
    assert asked.exported() == {"resources": []}


@pytest.mark.parametrize(("fate", "state"), [("new", {}), ("in between", {"resources": []})])
def test_a_stack_that_is_not_there_is_made_once(tmp_path: Path, fate: str, state: dict[str, object]) -> None:
    assert engine(tmp_path, MAKES, FATE=fate).state_or_new() == state


def test_why_a_stack_cannot_be_made_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="you may not"):
        engine(tmp_path, MAKES, FATE="refused").state_or_new()
