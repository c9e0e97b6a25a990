"""`make comment STACKS="dev prod" OUT=FILE`: what a change would do to stacks, as a comment for a pull request.

For each stack: the findings, what the pack says of a preview, what would be replaced or deleted, and what it costs.
Nothing is declared, and no stack is made in the back end.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from infra import catalog
from infra.cli.cost import notes, stack_cost, table
from infra.cli.inputs import Judged, judged_stack
from infra.engine.stack_engine import EngineError, Run, StackEngine
from infra.problems import has_errors, render_findings
from infra.project_files import STACKS
from infra.promotion.records import write_whole
from tools.job_ends import looked_at
from tools.preview_summary import Look, summary

# GitHub takes 65536 characters.
LIMIT = 60_000
OPS = {"create": "created", "update": "updated", "replace": "replaced", "delete": "deleted"}


def main(words: Sequence[str]) -> int:
    """Writes the comment; returns 1 where a stack has an error or its preview fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.pull_request", description=__doc__)
    parser.add_argument("stacks", nargs="+", metavar="STACK")
    parser.add_argument("-o", "--out", type=Path, help="the file to write; standard output without it")
    args = parser.parse_args(words)
    sections = [section(name) for name in args.stacks]
    text = "\n\n".join(text for text, _ in sections)
    if len(text) > LIMIT:
        text = text[:LIMIT] + "\n```\n\n(cut; the workflow's log has it all)"
    text += "\n"
    if args.out:
        write_whole(args.out, text)
    print(text)
    return 0 if all(ok for _, ok in sections) else 1


def section(name: str) -> tuple[str, bool]:
    """Returns the part of the comment about a stack, and whether nothing is wrong with it."""
    judged = judged_stack(name)
    parts = [_block("Findings", render_findings(judged.findings))] if judged.findings else []
    ok = not has_errors(judged.findings)
    if ok:
        try:
            engine = StackEngine.of(name)
            text = (STACKS / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")
            run = engine.previewed(text, is_new=engine.state() is None)
        except EngineError as problem:
            return f"### {name}: could not be previewed\n\n{_block('Engine', str(problem))}", False
        parts += _of_run(run, partial(looked_at, engine.environment))
        ok = run.status == 0
    parts += _cost(name, judged)
    return f"### {name}: {'fine' if ok else 'refused'}\n\n" + "\n\n".join(parts), ok


def _of_run(run: Run, look: Look) -> list[str]:
    policies = "\n".join(_policies(run.events))
    goes = summary(run.events, datetime.now(UTC), look, whole=run.status == 0)
    parts = [_block("Changes", "\n".join([_counts(run.events), *goes]))]
    if policies:
        parts.append(_block("Policies", policies))
    if run.status and not policies:
        parts.append(_block("Preview", run.output[-4000:]))
    return parts


def _counts(events: Iterable[Mapping[str, Any]]) -> str:
    last = next((event["summaryEvent"] for event in events if "summaryEvent" in event), {})
    changes = last.get("resourceChanges") or {}
    said = [f"{count} {OPS[op]}" for op, count in sorted(changes.items()) if op in OPS and count]
    return ", ".join(said) or "nothing changes"


def _policies(events: Iterable[Mapping[str, Any]]) -> list[str]:
    found = set()
    for event in events:
        policy = event.get("policyEvent")
        if policy:
            message = " ".join(str(policy.get("message", "")).replace("<{%reset%}>", "").split())
            resource = str(policy.get("resourceUrn", "")).rpartition("::")[2]
            found.add(f"{policy.get('enforcementLevel')}: {resource}: {message} [{policy.get('policyName')}]")
        mended = event.get("policyRemediationEvent")
        if mended:
            resource = str(mended.get("resourceUrn", "")).rpartition("::")[2]
            found.add(f"remediate: {resource}: the pack mends it [{mended.get('policyName')}]")
    return sorted(found, key=lambda line: (not line.startswith("mandatory"), line))


def _cost(name: str, judged: Judged) -> list[str]:
    cost = stack_cost(name, judged, catalog.load_prices(None))
    return [_block("Cost, USD per hour", "\n".join([*table(cost), "", *notes([cost])]))] if cost else []


def _block(title: str, text: str) -> str:
    """A fence longer than any in the text keeps a message from ending the block."""
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
    return f"**{title}**\n\n{fence}text\n{text}\n{fence}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
