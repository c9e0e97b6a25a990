"""What a promotion writes into a stack file, and what it leaves as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainingjobs.core.documents import DocumentError, parse_document
from trainingjobs.operations.promotion.difference import ABSENT, Change
from trainingjobs.operations.promotion.stack_text import changed_text
from trainingjobs.project.files import project, stack_names

ID = "r-0123456789ab"
TEXT = """\
# first line
config:
  gcp:project: acme-ml-dev   # a project

  training:jobs:
    # the job
    bert:
      container:
        imageUri: "r.example/t:1" # quoted
        args: [a, 'b', "3"]
        env:
          A: '1'
      pools: {primary: {machineType: a2-highgpu-1g}, workers: {replicaCount: 2}} # own
encryptionsalt: v1:abc=
"""


def change(path: str, source: Any) -> Change:
    return Change(path=tuple(path.split(".")), kind="changed", base=ABSENT, source=source, target=ABSENT)


def test_one_line_changes_and_the_rest_stays() -> None:
    new = changed_text(TEXT, [change("bert.container.imageUri", "r.example/t@sha256:0")], ID)
    before, after = TEXT.splitlines(), new.splitlines()
    assert [line for line in before if line not in after] == ['        imageUri: "r.example/t:1" # quoted']
    assert [line for line in after if line not in before] == [
        '        imageUri: "r.example/t@sha256:0" # quoted',
        f"  training:release: {ID}",
    ]


def test_an_empty_part_goes_with_its_last_value() -> None:
    new = changed_text(TEXT, [change("bert.container.env.A", ABSENT)], ID)
    assert parse_document(new)["config"]["training:jobs"]["bert"]["container"] == {
        "imageUri": "r.example/t:1",
        "args": ["a", "b", "3"],
    }


WORDS = st.text(max_size=20) | st.sampled_from(
    ["yes", "2.20", "1:30", "0x1f", "null", "~", "- a", "# no", "a: b", "1e3", "?a", "]", "\ud7ff\u0085"]
)


@settings(deadline=None, max_examples=50)
@given(st.lists(WORDS, max_size=4), st.dictionaries(st.from_regex(r"[A-Z_]{1,5}", fullmatch=True), WORDS, max_size=3))
def test_strings_stay_strings(args: list[str], env: dict[str, str]) -> None:
    edits = [change("bert.container.args", args), *(change(f"bert.container.env.{key}", env[key]) for key in env)]
    container = parse_document(changed_text(TEXT, edits, ID))["config"]["training:jobs"]["bert"]["container"]
    assert container["args"] == args
    assert {key: container["env"][key] for key in env} == env


def test_a_shared_anchor_is_not_changed_behind_the_back() -> None:
    shared = TEXT.replace("container:", "container: &c").replace(
        "encryptionsalt", "    other:\n      container: *c\nencryptionsalt"
    )
    with pytest.raises(DocumentError):
        changed_text(shared, [change("bert.container.imageUri", "r.example/t@sha256:0")], ID)


@pytest.mark.parametrize("name", stack_names())
def test_the_projects_own_files_keep_every_line(name: str) -> None:
    text = project().stack_file(name).read_text()
    kept = set(changed_text(text, [], ID).splitlines())
    assert [line for line in text.splitlines() if line not in kept] == []
