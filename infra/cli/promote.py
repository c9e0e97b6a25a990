"""`promote`: a release from one environment to the next, shown and refused before anything is written."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from infra.cli.output import UsageError, engines_words, print_json, refuse, say, stop
from infra.cli.terminal import YELLOW, findings, folded, marked, table
from infra.engine.stack_engine import EngineError
from infra.problems import did_you_mean, quote
from infra.project_files import ROOT, stack_names
from infra.promotion import promote
from infra.promotion.checks import Refusal
from infra.promotion.commit import GitError
from infra.promotion.difference import ABSENT, Change, where
from infra.promotion.records import all_records
from infra.promotion.rules import read_rules
from infra.spec.text import DocumentError

EXAMPLES = ("dev staging --dry-run", "staging prod --commit", "staging prod --release=r-4d4d16a8096c", "--list")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the verb's options."""
    parser.add_argument("source", nargs="?", metavar="SOURCE", help="the stack whose release it is")
    parser.add_argument("target", nargs="?", metavar="TARGET", help="the stack that comes next in the order")
    parser.add_argument("--release", metavar="ID", help="an older release, to go back: one that took this step before")
    parser.add_argument("--dry-run", action="store_true", help="show everything, write nothing")
    parser.add_argument("--commit", action="store_true", help="commit on a branch of its own in place of writing")
    parser.add_argument("--list", action="store_true", help="which release is where, and which there are")


def run(args: argparse.Namespace) -> int:
    """Promotes, or lists. Returns 0 where nothing spoke against it, 1 with refusals, 2 where it cannot be known."""
    _checked(args)
    try:
        return _list(args) if args.list else _promote(args)
    except DocumentError as error:
        return refuse(args, [error.finding])
    except (EngineError, GitError, OSError) as problem:
        return stop(args, f"promote: {engines_words(problem)}", 2)


def _checked(args: argparse.Namespace) -> None:
    if args.list and (args.source or args.commit or args.dry_run or args.release):
        raise UsageError("--list stands alone")
    if args.dry_run and args.commit:
        raise UsageError("--dry-run writes nothing, --commit writes: name one")
    if not args.list and not (args.source and args.target):
        raise UsageError("promote needs SOURCE and TARGET, or --list")
    for name in (args.source, args.target):
        if name and name not in stack_names():
            near = did_you_mean(name, stack_names())
            raise UsageError(f"no stack {quote(name)}" + (f"; did you mean {near}?" if near else ""))


def _promote(args: argparse.Namespace) -> int:
    found = promote.examine(args.source, args.target, args.release)
    if args.commit:
        found.refusals += promote.not_committed(found)
    written: list[str] = []
    commit = None
    if found.ok and found.text is not None and not args.dry_run:
        if args.commit:
            commit = {"branch": found.branch, "id": promote.write_commit(found)}
        else:
            written = [path.relative_to(ROOT).as_posix() for path in promote.write(found)]
    if args.json:
        print_json(
            {
                "ok": found.ok,
                "release": found.release.id if found.release else None,
                "changes": [change.as_json() for change in found.changes],
                "refusals": [refusal.as_json() for refusal in _sorted(found.refusals)],
                "notes": found.notes,
                "written": written,
                "commit": commit,
            }
        )
    else:
        _say(found, written, commit, quiet=args.quiet)
    return 0 if found.ok else 1


def _sorted(refusals: list[Refusal]) -> list[Refusal]:
    return sorted(set(refusals))


def _say(found: promote.Promotion, written: list[str], commit: dict[str, str] | None, *, quiet: bool) -> None:
    if found.release is not None:
        versions = ", ".join(f"{key} {value}" for key, value in sorted(found.release.versions.items()))
        print(folded(f"release {found.release.id} of {found.source} ({versions})", 2))
        for image in sorted(set(found.release.images.values())):
            print(f"  image {image}")
    for change in found.changes:
        print(folded(f"{change.kind} {where(change.path)}", 2))
        for line in _values(change, found.target):
            print(folded(line, 6))
    for text in () if quiet else found.notes:
        print(folded(f"note: {text}", 2).replace("note:", marked("note:", YELLOW), 1))
    for refusal in _sorted(found.refusals):
        print(findings(f"refused: {refusal.message} [{refusal.rule}]", sys.stdout))
    print(folded(_verdict(found, written, commit), 2))


def _values(change: Change, target: str) -> list[str]:
    values = [(f"{target} now", change.target), ("release", change.source)]
    if change.base not in (ABSENT, change.target):
        values.insert(0, (f"given to {target}", change.base))
    room = max(len(label) for label, _ in values)
    return [f"    {label:<{room}}  {_shown(value)}" for label, value in values]


def _verdict(found: promote.Promotion, written: list[str], commit: dict[str, str] | None) -> str:
    step = f"{found.source} → {found.target}"
    if not found.ok:
        return f"{step}: refused, nothing was written"
    if found.text is None:
        return f"{step}: {found.target} has this release already"
    if commit is not None:
        return f"{step}: committed as {commit['id'][:12]} on branch {commit['branch']}"
    if written:
        return f"{step}: wrote {', '.join(written)}; now `make up STACK={found.target}`"
    return f"{step}: nothing speaks against it; nothing was written"


def _shown(value: Any) -> str:
    return "-" if value is ABSENT else json.dumps(value, ensure_ascii=False)


def _list(args: argparse.Namespace) -> int:
    stacks, releases = promote.standing(read_rules()), all_records()
    ok = not any("problem" in one for one in stacks)
    last = next((one["running"] for one in reversed(stacks) if one["running"]), None)
    if args.json:
        print_json({"ok": ok, "release": last, "changes": [], "refusals": [], "stacks": stacks, "releases": releases})
        return 0 if ok else 1
    print(table(("stack", "file", "promoted", "running", "last update"), [_row(one) for one in stacks]))
    for record in releases:
        steps = ", ".join(f"{step['source']} → {step['target']}" for step in record["promotions"])
        print(folded(f"{record['id']}: {steps}; {', '.join(record['images'])}", 2))
    # One back end serves several stacks, and its fault is theirs together.
    for problem in dict.fromkeys(one["problem"] for one in stacks if "problem" in one):
        names = ", ".join(one["stack"] for one in stacks if one.get("problem") == problem)
        say(f"{names}: {engines_words(problem)}")
    return 0 if ok else 1


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    updated = one["updated"] or {}
    cells = (one["configured"], one["promoted"], one["running"], f"{updated.get('at', '')} {updated.get('result', '')}")
    return (one["stack"], *(str(cell or "").strip() or "-" for cell in cells))
