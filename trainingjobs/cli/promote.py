"""`promote`: a release from one environment to the next, shown and refused before anything is written."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from trainingjobs.core.documents import DocumentError
from trainingjobs.core.findings import did_you_mean, quote
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.promotion import promote
from trainingjobs.operations.promotion.checks import Refusal
from trainingjobs.operations.promotion.commit import GitError
from trainingjobs.operations.promotion.difference import ABSENT, Change, where
from trainingjobs.operations.promotion.order import read_rules
from trainingjobs.operations.promotion.records import all_records
from trainingjobs.project.files import project, stack_names
from trainingjobs.terminal.output import UsageError, engines_words, print_json, refuse, say, stop
from trainingjobs.terminal.text import YELLOW, findings_text, folded, marked, table

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
    except (StackError, GitError, OSError) as problem:
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
            nearest = did_you_mean(name, stack_names())
            raise UsageError(f"no stack {quote(name)}" + (f"; did you mean {nearest}?" if nearest else ""))


def _promote(args: argparse.Namespace) -> int:
    promotion = promote.examine(args.source, args.target, args.release)
    if args.commit:
        promotion.refusals += promote.not_committed(promotion)
    written: list[str] = []
    commit = None
    if promotion.ok and promotion.text is not None and not args.dry_run:
        if args.commit:
            commit = {"branch": promotion.branch, "id": promote.write_commit(promotion)}
        else:
            written = [project().label(path) for path in promote.write(promotion)]
    if args.json:
        print_json(
            {
                "ok": promotion.ok,
                "release": promotion.release.id if promotion.release else None,
                "changes": [change.as_json() for change in promotion.changes],
                "refusals": [refusal.as_json() for refusal in _sorted(promotion.refusals)],
                "notes": promotion.notes,
                "written": written,
                "commit": commit,
            }
        )
    else:
        _say(promotion, written, commit, quiet=args.quiet)
    return 0 if promotion.ok else 1


def _sorted(refusals: list[Refusal]) -> list[Refusal]:
    return sorted(set(refusals))


def _say(promotion: promote.Promotion, written: list[str], commit: dict[str, str] | None, *, quiet: bool) -> None:
    if promotion.release is not None:
        versions = ", ".join(f"{key} {value}" for key, value in sorted(promotion.release.versions.items()))
        print(folded(f"release {promotion.release.id} of {promotion.source} ({versions})", 2))
        for image in sorted(set(promotion.release.images.values())):
            print(f"  image {image}")
    for change in promotion.changes:
        print(folded(f"{change.kind} {where(change.path)}", 2))
        for line in _values(change, promotion.target):
            print(folded(line, 6))
    for text in () if quiet else promotion.notes:
        print(folded(f"note: {text}", 2).replace("note:", marked("note:", YELLOW), 1))
    for refusal in _sorted(promotion.refusals):
        print(findings_text(f"refused: {refusal.message} [{refusal.rule}]", sys.stdout))
    print(folded(_verdict(promotion, written, commit), 2))


def _values(change: Change, target: str) -> list[str]:
    values = [(f"{target} now", change.target), ("release", change.source)]
    if change.base not in (ABSENT, change.target):
        values.insert(0, (f"given to {target}", change.base))
    room = max(len(label) for label, _ in values)
    return [f"    {label:<{room}}  {_shown(value)}" for label, value in values]


def _verdict(promotion: promote.Promotion, written: list[str], commit: dict[str, str] | None) -> str:
    step = f"{promotion.source} → {promotion.target}"
    if not promotion.ok:
        return f"{step}: refused, nothing was written"
    if promotion.text is None:
        return f"{step}: {promotion.target} has this release already"
    if commit is not None:
        return f"{step}: committed as {commit['id'][:12]} on branch {commit['branch']}"
    if written:
        return f"{step}: wrote {', '.join(written)}; now `make up STACK={promotion.target}`"
    return f"{step}: nothing speaks against it; nothing was written"


def _shown(value: Any) -> str:
    return "-" if value is ABSENT else json.dumps(value, ensure_ascii=False)


def _list(args: argparse.Namespace) -> int:
    stacks, releases = promote.standing(read_rules()), all_records()
    ok = not any("problem" in stack for stack in stacks)
    last = next((stack["running"] for stack in reversed(stacks) if stack["running"]), None)
    if args.json:
        print_json({"ok": ok, "release": last, "changes": [], "refusals": [], "stacks": stacks, "releases": releases})
        return 0 if ok else 1
    print(table(("stack", "file", "promoted", "running", "last update"), [_row(stack) for stack in stacks]))
    for record in releases:
        steps = ", ".join(f"{step['source']} → {step['target']}" for step in record["promotions"])
        print(folded(f"{record['id']}: {steps}; {', '.join(record['images'])}", 2))
    # One back end serves several stacks, and its fault is theirs together.
    for problem in dict.fromkeys(stack["problem"] for stack in stacks if "problem" in stack):
        names = ", ".join(stack["stack"] for stack in stacks if stack.get("problem") == problem)
        say(f"{names}: {engines_words(problem)}")
    return 0 if ok else 1


def _row(stack: dict[str, Any]) -> tuple[str, ...]:
    updated = stack["updated"] or {}
    cells = (
        stack["configured"],
        stack["promoted"],
        stack["running"],
        f"{updated.get('at', '')} {updated.get('result', '')}",
    )
    return (stack["stack"], *(str(cell or "").strip() or "-" for cell in cells))
