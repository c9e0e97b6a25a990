"""A gcloud command as documents and scripts have it: the shell's words, variables, documents, and gcloud's flags."""

from __future__ import annotations

import pytest

from trainingjobs.convert.gcloud_words import Command, CommandError, entries, is_command, mapping, read_command

VERBS = (("ai", "custom-jobs", "create"), ("ai-platform", "jobs", "submit", "training"))
SWITCHES = frozenset({"--async", "--quiet"})
CREATE = "gcloud ai custom-jobs create"


def read(text: str) -> Command:
    return read_command(text, VERBS, SWITCHES)


def made(*flags: tuple[str, str | None], positionals: tuple[str, ...] = (), user: tuple[str, ...] = ()) -> Command:
    return Command(verb=VERBS[0], positionals=positionals, flags=flags, user_args=user)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("", made()),
        ("--region=r", made(("--region", "r"))),
        ("--region r", made(("--region", "r"))),
        ("--region=a=b", made(("--region", "a=b"))),
        ("--region=", made(("--region", ""))),
        ("--async --region r", made(("--async", None), ("--region", "r"))),
        ("--quiet name", made(("--quiet", None), positionals=("name",))),
        ("--region --async", made(("--region", None), ("--async", None))),
        ("--region", made(("--region", None))),
        ("--count -1", made(("--count", "-1"))),
        ("--file -", made(("--file", "-"))),
        ("-", made(positionals=("-",))),
        ("one two --region r three", made(("--region", "r"), positionals=("one", "two", "three"))),
        ("--region r -- --lr 0.1 --region s", made(("--region", "r"), user=("--lr", "0.1", "--region", "s"))),
        ("--", made()),
        ("--a 'b c' --d \"e f\"", made(("--a", "b c"), ("--d", "e f"))),
        ("--a b \\\n  --c d", made(("--a", "b"), ("--c", "d"))),
        ("--a b \\\r\n  --c d", made(("--a", "b"), ("--c", "d"))),
        ("--a b \\  \n  --c d", made(("--a", "b"), ("--c", "d"))),
        ("--a b\n--c d", made(("--a", "b"))),
        ("--a 'b\nc' --d e", made(("--a", "b\nc"), ("--d", "e"))),
        ("--a \"b\nc\" --d e", made(("--a", "b\nc"), ("--d", "e"))),
        ("--a \"b\\\"\nc\" --d e", made(("--a", 'b"\nc'), ("--d", "e"))),
        ("--a 'b\\' --d e\n--f g", made(("--a", "b\\"), ("--d", "e"))),
        *(
            (f"--a b {end} rm --c d", made(("--a", "b")))
            for end in ("&&", "||", ";", "|", ">", ">>", "&", "<<<")
        ),
    ],
)  # fmt: skip
def test_the_words_of_a_command(words: str, command: Command) -> None:
    assert read(f"{CREATE} {words}") == command


@pytest.mark.parametrize(
    "text",
    [
        "gcloud alpha ai custom-jobs create --a b",
        "gcloud beta ai custom-jobs create --a b",
        "$ gcloud ai custom-jobs create --a b",
        "  $  gcloud ai custom-jobs create --a b",
        "# first\ncd train\n\tgcloud ai custom-jobs create --a b\nls --c d",
    ],
)
def test_where_a_command_begins(text: str) -> None:
    assert is_command(text)
    assert read(text) == made(("--a", "b"))


@pytest.mark.parametrize("text", ["", "run gcloud ai", "gcloud", "a: gcloud ai custom-jobs create"])
def test_what_is_no_command(text: str) -> None:
    assert not is_command(text)
    with pytest.raises(CommandError):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "gcloud compute instances create x",
        "gcloud ai custom-jobs list",
        f"{CREATE} --a 'b",
        f'{CREATE} --a "b',
        f"{CREATE} --config /dev/stdin <<END\nx: 1\n",
        f"{CREATE} {'x' * 200_001}",
    ],
)
def test_what_cannot_be_read(text: str) -> None:
    with pytest.raises(CommandError) as caught:
        read(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_text_at_the_limit_is_read() -> None:
    text = f"{CREATE} --a "
    assert read(text + "x" * (200_000 - len(text))).last("--a") is not None


@pytest.mark.parametrize(
    ("before", "word", "value", "unknown"),
    [
        ("R=us", "$R", "us", ()),
        ("R=us", "${R}", "us", ()),
        ("R=us", "${R}-1", "us-1", ()),
        ("export R='us central'", '"$R"', "us central", ()),
        ("R=us # the region", "$R", "us", ()),
        ("R=us\nR=eu", "$R", "eu", ()),
        ("S=x\nR=$S", "$R", "$R", ("R",)),
        ("R=`date`", "$R", "$R", ("R",)),
        ("R=$(date)", "$R", "$R", ("R",)),
        ("R=a b", "$R", "$R", ("R",)),
        ("R='a", "$R", "$R", ("R",)),
        ("S='a\nR=us", "$R", "us", ()),
        ("", "$R-$S-$R", "$R-$S-$R", ("R", "S")),
        ("", "$(date +%s)", "${COMMAND_OUTPUT}", ("COMMAND_OUTPUT",)),
        ("", "`date`", "${COMMAND_OUTPUT}", ("COMMAND_OUTPUT",)),
    ],
)
def test_shell_variables(before: str, word: str, value: str, unknown: tuple[str, ...]) -> None:
    command = read(f"{before}\n{CREATE} --region={word}")
    assert (command.last("--region"), command.variables) == (value, unknown)


def test_what_is_assigned_after_the_command_is_not_its_own() -> None:
    assert read(f"{CREATE} --region=$R\nR=us").variables == ("R",)


@pytest.mark.parametrize("opening", ["<<END", "<< END", "<<'END'", '<<"END"', "<<-END"])
def test_a_document_on_standard_input(opening: str) -> None:
    text = f"{CREATE} --a b --config=/dev/stdin {opening}\nx: 1\n  y: 2\nEND\nls --c d"
    command = read(text)
    assert command.document == "x: 1\n  y: 2"
    assert command.flags == (("--a", "b"), ("--config", "/dev/stdin"))


def test_a_document_before_the_command_ends_where_it_says() -> None:
    command = read(f"cat > f <<EOF\nR=us\nEOF \n{CREATE} --region=$R")
    assert (command.document, command.variables) == ("R=us", ("R",))


def test_the_last_of_a_flag_holds() -> None:
    command = read(f"{CREATE} --a 1 --b 2 --a 3")
    assert (command.last("--a"), command.last("--b"), command.last("--c")) == ("3", "2", None)


def test_the_second_verb() -> None:
    assert read("gcloud ai-platform jobs submit training j --a b").verb == VERBS[1]
    assert read("gcloud ai-platform jobs submit training j --a b").positionals == ("j",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b", ["a", "b"]),
        ("a", ["a"]),
        ("", []),
        ("a,,b,", ["a", "b"]),
        ("^;^a,b;c", ["a,b", "c"]),
        ("^--^a--b,c", ["a", "b,c"]),
        ("a^b^c", ["a^b^c"]),
    ],
)
def test_the_entries_of_a_list(text: str, expected: list[str]) -> None:
    assert entries(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b,c=d", {"a": "b", "c": "d"}),
        ("a=b=c", {"a": "b=c"}),
        (" a =b", {"a": "b"}),
        ("a", {"a": ""}),
        ("^:^a=b,c:d=e", {"a": "b,c", "d": "e"}),
    ],
)
def test_the_entries_of_a_dictionary(text: str, expected: dict[str, str]) -> None:
    assert mapping(text) == expected
