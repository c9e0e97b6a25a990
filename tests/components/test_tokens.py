"""The tokens that components register are the installed SDKs': a misspelt one makes a policy that never fires."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from trainingjobs.components import tokens

ROOT = Path(__file__).resolve().parents[2]
GOOGLE = sorted(value for name, value in vars(tokens).items() if name.isupper() and str(value).startswith("gcp:"))
COMPONENTS = sorted(
    value for name, value in vars(tokens).items() if name.isupper() and str(value).startswith("training:")
)


@pytest.mark.parametrize("token", GOOGLE)
def test_a_google_token_is_the_sdks(token: str) -> None:
    package, name = token.split(":")[1].split("/")[0], token.rsplit(":", 1)[1]
    resource = getattr(importlib.import_module(f"pulumi_gcp.{package}"), name)
    assert resource.pulumi_type == token


@pytest.mark.parametrize("token", COMPONENTS)
def test_our_tokens_have_three_segments(token: str) -> None:
    assert len(token.split(":")) == 3


def test_a_stack_on_vertex_alone_never_loads_compute() -> None:
    program = (
        "import sys, json, infra.program\n"
        "print(json.dumps([n for n in sys.modules if n.startswith(('pulumi_gcp', 'pulumi_kubernetes'))]))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True, text=True)
    assert json.loads(done.stdout) == []
