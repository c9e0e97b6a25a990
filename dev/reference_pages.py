"""Writes docs/reference: the keys of a stack from the JSON Schema, and the verbs from the command line's own parsers.

The rules have a page of their own: dev/rules_page.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trainingjobs.cli.main import VERBS, examples, parser_of
from trainingjobs.spec.json_schema import stack_file_schema
from trainingjobs.workloads.registry import kinds

# What a verb's own table leaves out.
EVERYWHERE = ("help", "json", "quiet")
ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"
MADE = "<!-- Made by `python -m dev.reference_pages`. Do not edit. -->"
# The order in which a reader meets the parts: the stack, a job, what a job holds; the rest by name.
FIRST = ("Job", "Pools", "Pool", "Container", "Declares", "PythonPackage", "Scheduling", "Limits", "Network", "Cluster")


def pages() -> dict[str, str]:
    """Returns the pages by file name."""
    return {"configuration.md": configuration(), "commands.md": commands(), "README.md": index()}


def index() -> str:
    """Returns the page that leads to the others."""
    return "\n".join(
        [
            "# Reference",
            "",
            MADE,
            "",
            "- [Keys of a stack file](configuration.md), from its JSON Schema",
            "- [What a key left out means](../configuration.md), pool by pool",
            "- [Commands](commands.md): every verb of `trainingjobs`",
            "- [Rules](../rules.md): every rule with an example",
            "",
        ]
    )


def configuration() -> str:
    """Returns the page of the keys."""
    schema = stack_file_schema(kinds())
    definitions = schema["$defs"]
    order = [*(name for name in FIRST if name in definitions), *sorted(set(definitions) - set(FIRST))]
    lines = [
        "# Keys of a stack file",
        "",
        MADE,
        "",
        "`stacks/Pulumi.<stack>.yaml`; a job document given to the commands is a [Job](#job). Editors complete and",
        "check the files by `stacks/schema.json`, which the first line of each file names.",
        "",
        "## Under `config`",
        "",
        *_table(schema["properties"]["config"]["properties"], schema["properties"]["config"]["required"]),
    ]
    for name in order:
        body = definitions[name]
        lines += ["", f"## {name}", "", body.get("description", "").replace("\n", " ")]
        if body.get("properties"):
            lines += ["", *_table(body["properties"], body.get("required", []))]
    return "\n".join(lines) + "\n"


def _table(properties: dict[str, Any], required: list[str]) -> Iterator[str]:
    yield "| key | type | default | |"
    yield "| --- | --- | --- | --- |"
    for key, body in properties.items():
        default = "needed" if key in required else _default(body)
        example = body.get("examples", [None])[0]
        text = body.get("description", "") + (f" Example: `{_json(example)}`." if example is not None else "")
        yield f"| `{key}` | {_type(body)} | {default} | {_cell(text)} |"


def _default(body: dict[str, Any]) -> str:
    default = body.get("default")
    return "" if default in (None, {}, []) else f"`{_json(default)}`"


def _type(body: dict[str, Any]) -> str:
    if "$ref" in body:
        name = body["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in body:
        return " \\| ".join(f"`{value}`" for value in body["enum"])
    if "const" in body:
        return f"`{body['const']}`"
    for keyword in ("anyOf", "allOf"):
        if keyword in body:
            return " or ".join(_type(schema) for schema in body[keyword] if schema.get("type") != "null")
    if body.get("type") == "array":
        return f"list of {_type(body.get('items', {}))}"
    if body.get("type") == "object":
        values = body.get("additionalProperties") or next(iter(body.get("patternProperties", {}).values()), None)
        return f"map of {_type(values)}" if values else "map"
    return _range(body)


def _range(body: dict[str, Any]) -> str:
    low, high = body.get("minimum"), body.get("maximum")
    limits = f" {low} to {high}" if None not in (low, high) else f" from {low}" if low is not None else ""
    return f"{body.get('type', 'any')}{limits}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def commands() -> str:
    """Returns the page of the verbs."""
    lines = [
        "# Commands",
        "",
        MADE,
        "",
        "`trainingjobs VERB`. Exit status: 0 fine (advice alone is fine), 1 at least one error or a failed check,",
        "2 wrong usage or unreadable input. Bandwidth is in Gbps, prices are in USD an hour.",
        "",
        "Every verb takes two options:",
        "",
        "- `--json`: standard output holds JSON alone, everything else goes to standard error. Where a verb has no",
        '  result to give, that is `{"ok": false, "findings": […]}`.',
        "- `--quiet`: findings, errors and the result alone. Left out are notes, hints, verdicts on what is fine, and",
        "  of `size` and `cost` all that does not decide the figure. That a rule is lowered is always said.",
        "",
        "In a terminal lines fit its width and rules are coloured, unless NO_COLOR is set; a file or a pipe gets",
        "whole, plain lines.",
    ]
    for verb, summary in VERBS.items():
        parser = parser_of(verb)
        actions = [action for action in parser._actions if action.dest not in EVERYWHERE]
        lines += ["", f"## {verb}", "", f"{summary[0].upper()}{summary[1:]}.", ""]
        if actions:
            lines += ["| option | |", "| --- | --- |"]
            lines += [*(f"| {_option(action)} | {_cell(action.help or '')} |" for action in actions), ""]
        lines += ["```sh", *(f"trainingjobs {verb} {arguments}".rstrip() for arguments in examples(verb)), "```"]
    return "\n".join(lines) + "\n"


def _option(action: Any) -> str:
    names = list(action.option_strings) or [action.metavar or action.dest]
    value = ""
    if action.option_strings and action.nargs != 0:
        value = "=" + (action.metavar or "|".join(action.choices or ()) or action.dest.upper())
    return ", ".join(
        f"`{name}{value if name.startswith('--') else value.replace('=', ' ')}`" for name in names
    ).replace("|", "\\|")


def main() -> None:
    """Writes the pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        draft = FOLDER / f"{name}.tmp"
        draft.write_text(text, encoding="utf-8")
        draft.replace(FOLDER / name)
    print(f"{FOLDER.relative_to(ROOT)}: {len(pages())} pages")


if __name__ == "__main__":
    main()
