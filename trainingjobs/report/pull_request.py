"""`make comment OUT=FILE`: what a change would do to stacks, as a comment for a pull request.

To those that STACKS="dev prod" names, else to all but the sandbox's.

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

from trainingjobs import catalog
from trainingjobs.core.findings import has_errors, render_findings
from trainingjobs.judge.judgement import Judgement
from trainingjobs.operations.cloud_stacks import cloud_stacks
from trainingjobs.operations.engine import Engine, Preview
from trainingjobs.operations.errors import StackError
from trainingjobs.operations.job_results import current_job
from trainingjobs.operations.preview_summary import Lookup, summary
from trainingjobs.project.files import project, write_whole
from trainingjobs.project.judged import judge_stack_named
from trainingjobs.report.cost_table import notes, stack_cost, table

# GitHub takes 65536 characters.
LIMIT = 60_000
OPS = {"create": "created", "update": "updated", "replace": "replaced", "delete": "deleted"}


def main(words: Sequence[str]) -> int:
    """Writes the comment; returns 1 where a stack has an error or its preview fails."""
    parser = argparse.ArgumentParser(prog="python -m trainingjobs.report.pull_request", description=__doc__)
    parser.add_argument("stacks", nargs="*", metavar="STACK")
    parser.add_argument("-o", "--out", type=Path, help="the file to write; standard output without it")
    args = parser.parse_args(words)
    sections = [section(name) for name in args.stacks or cloud_stacks()]
    text = "\n\n".join(text for text, _ in sections) or "There is no stack but the sandbox's."
    if len(text) > LIMIT:
        text = text[:LIMIT] + "\n```\n\n(cut; the workflow's log has it all)"
    text += "\n"
    if args.out:
        write_whole(args.out, text)
    print(text)
    return 0 if all(ok for _, ok in sections) else 1


def section(name: str) -> tuple[str, bool]:
    """Returns the part of the comment about a stack, and whether nothing is wrong with it."""
    judgement = judge_stack_named(name)
    parts = [_block("Findings", render_findings(judgement.findings))] if judgement.findings else []
    ok = not has_errors(judgement.findings)
    if ok:
        try:
            engine = Engine.asked(name)
            text = project().stack_file(name).read_text(encoding="utf-8")
            run = engine.previewed(text, is_new=engine.state() is None)
        except StackError as problem:
            return f"### {name}: could not be previewed\n\n{_block('Engine', str(problem))}", False
        parts += _of_run(run, partial(current_job, engine.environment))
        ok = run.status == 0
    parts += _cost(name, judgement)
    return f"### {name}: {'fine' if ok else 'refused'}\n\n" + "\n\n".join(parts), ok


def _of_run(run: Preview, lookup: Lookup) -> list[str]:
    policies = "\n".join(_policies(run.events))
    summary_lines = summary(run.events, datetime.now(UTC), lookup, whole=run.status == 0)
    parts = [_block("Changes", "\n".join([_counts(run.events), *summary_lines]))]
    if policies:
        parts.append(_block("Policies", policies))
    if run.status and not policies:
        parts.append(_block("Preview", run.output[-4000:]))
    return parts


def _counts(events: Iterable[Mapping[str, Any]]) -> str:
    last: Mapping[str, Any] = next((event["summaryEvent"] for event in events if "summaryEvent" in event), {})
    changes = last.get("resourceChanges") or {}
    counts = [f"{count} {OPS[op]}" for op, count in sorted(changes.items()) if op in OPS and count]
    return ", ".join(counts) or "nothing changes"


def _policies(events: Iterable[Mapping[str, Any]]) -> list[str]:
    lines = set()
    for event in events:
        policy = event.get("policyEvent")
        if policy:
            message = " ".join(str(policy.get("message", "")).replace("<{%reset%}>", "").split())
            resource = str(policy.get("resourceUrn", "")).rpartition("::")[2]
            lines.add(f"{policy.get('enforcementLevel')}: {resource}: {message} [{policy.get('policyName')}]")
        remediation = event.get("policyRemediationEvent")
        if remediation:
            resource = str(remediation.get("resourceUrn", "")).rpartition("::")[2]
            lines.add(f"remediate: {resource}: the pack remediates it [{remediation.get('policyName')}]")
    return sorted(lines, key=lambda line: (not line.startswith("mandatory"), line))


def _cost(name: str, judgement: Judgement) -> list[str]:
    cost = stack_cost(name, judgement, catalog.load_prices(None))
    return [_block("Cost, USD per hour", "\n".join([*table(cost), "", *notes([cost])]))] if cost else []


def _block(title: str, text: str) -> str:
    """A fence longer than any in the text keeps a message from ending the block."""
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
    return f"**{title}**\n\n{fence}text\n{text}\n{fence}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
