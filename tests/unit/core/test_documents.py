from __future__ import annotations

import pytest

from trainingjobs.core.documents import DocumentError, decode, parse_document

BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 9)
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("# only a comment", id="comment"),
        pytest.param("- a", id="list"),
        pytest.param("word", id="word"),
        pytest.param("a: 1\na: 2", id="duplicate key"),
        pytest.param("a: {b: 1, b: 2}", id="nested duplicate key"),
        pytest.param("a: !!python/object/apply:os.system [ls]", id="Python tag"),
        pytest.param("a: " + "[" * 100_000, id="deep nesting"),
        pytest.param("a: " + "{b: " * 60 + "1" + "}" * 60, id="deep mapping"),
        pytest.param(BOMB, id="bomb"),
        pytest.param("a: [", id="unfinished"),
        pytest.param("a: 1\n---\nb: 2", id="two documents"),
        pytest.param("? [a]\n: 1", id="a key that is a list"),
        pytest.param("a: *missing", id="an alias of nothing"),
        pytest.param("a: \0", id="control character"),
        pytest.param("a: " + "x" * 3_000_000, id="large"),
    ],
)
def test_refused_with_one_short_line(text: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(text)
    finding = caught.value.finding
    assert finding.rule == "syntax"
    assert len(finding.message) < 300
    assert "\n" not in finding.message


def test_scalars_are_read_as_the_engine_reads_them() -> None:
    text = 'a: 7\nb: 1.5\nc: true\nd: on\ne: "7"\nf: ~\ng: 1:30\nh: 0o17\ni: 2024-01-01\nj: 1e3\nk: 010'
    assert parse_document(text) == {
        "a": 7, "b": 1.5, "c": True, "d": "on", "e": "7", "f": None, "g": "1:30", "h": "0o17", "i": "2024-01-01",
        "j": 1000.0, "k": "010",
    }  # fmt: skip


def test_json_is_read_too() -> None:
    assert parse_document('{"a": [1, {"b": null}]}') == {"a": [1, {"b": None}]}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n  // the job\n  "framework": "jax"\n}', 2),
        ('{\n  "image": "a//b", // the job\n  "framework": "jax"}', 2),
        ('/* the job */ {"framework": "jax"}', 1),
        ('// the job\n{"framework": "jax"}', 1),
        ('{"a": 1, /* two\n lines */ "b": 2}', 1),
    ],
)
def test_json_with_comments_is_refused_since_json_has_none(text: str, line: int) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(text)
    assert caught.value.finding.message == f"line {line}: JSON has no comments"


def test_slashes_in_a_string_are_no_comment() -> None:
    assert parse_document('{"a": "gs://b/c", "b": "x /* y"}') == {"a": "gs://b/c", "b": "x /* y"}
    with pytest.raises(DocumentError) as caught:
        parse_document('{"a": "gs://b/c",, "b": 1}')
    assert "comments" not in caught.value.finding.message


def test_anchors_and_merges_work() -> None:
    assert parse_document("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}") == {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}


def test_bytes_that_are_not_utf8() -> None:
    with pytest.raises(DocumentError):
        decode(b"a: \xff")


@pytest.mark.parametrize("text", ["\ta: 1\n", "a:\n\tb: 1\n", "a:\n  b: 1\n\tc: 2\n"])
def test_a_tab_is_called_one(text: str) -> None:
    with pytest.raises(DocumentError) as error:
        parse_document(text)
    assert " tab" in error.value.finding.message
