"""The report as one page that needs no network: its head, the summary, and the sections in order."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from trainingjobs.report import compare
from trainingjobs.report.colours import variables
from trainingjobs.report.compare import Difference
from trainingjobs.report.html import table, text
from trainingjobs.report.job_section import job_section
from trainingjobs.report.svg import SHAPES
from trainingjobs.report.view import StackView, usd

FOLDER = Path(__file__).resolve().parent
# The page can load nothing, whatever a document's strings hold.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
NOT_IN = (
    "List prices on demand in us-central1. Not in a price: Vertex AI's management fee, GKE's fee, disks, network "
    "traffic, Tier_1, discounts of SPOT and FLEX_START."
)


@cache
def _part(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def page(view: StackView, other: StackView | None = None) -> str:
    """Returns the report of a stack, with the difference to another where one is given."""
    sections = [
        *(job_section(view, job, number) for number, job in enumerate(view.jobs)),
        _no_jobs() if not view.jobs else "",
        _findings(view),
        _difference(view, other) if other is not None else "",
    ]
    links = [(f"job-{number}", job.name) for number, job in enumerate(view.jobs)] + [("findings", "Findings")]
    links += [("difference", f"Difference to {other.name}")] if other is not None else []
    menu = "".join(f'<li><a href="#{name}">{text(title)}</a></li>' for name, title in links)
    title = f"Stack {view.name}: training report"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{text(title)}</title><style>{_style()}</style></head>\n<body>"
        '<a class="skip" href="#main">Skip to the content</a>\n'
        f'<header><p class="muted">Training report</p><h1>Stack {text(view.name)}</h1>{_facts(view)}'
        f'<nav aria-label="Sections"><ul>{menu}</ul></nav></header>\n<main id="main">\n{_cards(view)}\n'
        + "\n".join(part for part in sections if part)
        + f'\n</main>\n<footer><p class="muted">{NOT_IN} The speed-up is a model, not a measurement.</p></footer>'
        f"\n<script>{_part('script.js')}</script></body></html>\n"
    )


def _style() -> str:
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{variables('dark')}}}}}"
    return f":root{{color-scheme:light dark;{variables('light')}}}{dark}\n{_part('style.css')}{SHAPES}"


def _facts(view: StackView) -> str:
    stack = view.stack
    facts = {
        "project": stack.project,
        "region": stack.region,
        "environment": stack.environment,
        "jobs": str(len(view.jobs)),
        "cluster": "" if stack.cluster is None else (stack.cluster.location or stack.region),
        "network": "" if stack.network is None else "own VPC",
    }
    shown = "".join(f"<div><dt>{name}</dt><dd>{text(value)}</dd></div>" for name, value in facts.items() if value)
    return f'<dl class="facts">{shown}</dl>'


def _cards(view: StackView) -> str:
    errors = sum(finding.severity == "error" for finding in view.findings)
    advice = len(view.findings) - errors
    reducers = sum(pool.count for job in view.jobs for pool in job.pools if pool.role == "reducers")
    replicas = sum(pool.count for job in view.jobs for pool in job.pools)
    verdict = f"{errors} error{'' if errors == 1 else 's'}" if errors else "No errors"
    cards = [
        ("Cost", f'<p class="big">{usd(view.usd_per_hour)}</p>{_limit(view)}'),
        ("Replicas", f'<p class="big">{replicas}</p><p class="muted">{reducers} of them reducers</p>'),
        ("Findings", f'<p class="big">{verdict}</p><p class="muted">advice: {advice or "none"}</p>'),
    ]
    shown = "".join(f'<div class="card"><h2>{title}</h2>{body}</div>' for title, body in cards)
    return f'<section class="cards" aria-label="Summary">{shown}</section>'


def _limit(view: StackView) -> str:
    limit = view.stack.limits.max_usd_per_hour if view.stack.limits else None
    unknown = sum(cost.usd_per_hour is None for cost in view.costs)
    missing = f'<p class="muted">without {unknown} pools of unknown price</p>' if unknown else ""
    if limit is None or view.usd_per_hour is None:
        return f'<p class="muted">no limit is set</p>{missing}' if limit is None else missing
    share = view.usd_per_hour / limit if limit else 2.0
    over = ' class="bar over"' if share > 1 else ' class="bar"'
    return (
        f'<div{over} aria-hidden="true"><span style="width:{min(share, 1):.0%}"></span></div>'
        f'<p class="muted">{share:.0%} of the limit of {limit:g}</p>{missing}'
    )


def _no_jobs() -> str:
    return (
        '<section aria-labelledby="no-jobs"><h2 id="no-jobs">No jobs</h2><p>This stack declares no job: what jobs need '
        "(storage, a repository, a cluster) comes first, then the image, then the job.</p></section>"
    )


def _findings(view: StackView) -> str:
    items = "".join(
        f'<li class="{finding.severity}"><span class="tag">{finding.severity}</span> '
        f"<code>{text(finding.rule)}</code> at <code>{text(finding.path or view.name)}</code>"
        f"<p>{text(finding.message)}</p>"
        + (f"<p><strong>Fix:</strong> {text(finding.fix)}</p>" if finding.fix else "")
        + "</li>"
        for finding in view.findings
    )
    body = f'<ul class="findings">{items}</ul>' if items else '<p class="none">Nothing was found.</p>'
    notes = "".join(f'<p class="muted">{text(note)}</p>' for note in view.notes)
    return f'<section aria-labelledby="findings"><h2 id="findings">Findings</h2>{body}{notes}</section>'


def _difference(view: StackView, other: StackView) -> str:
    title = f"Difference to {text(other.name)}"
    parts = [
        _differences("What follows", view, other, compare.derived(view, other)),
        _differences("What is written", view, other, compare.written(view, other)),
    ]
    return f'<section aria-labelledby="difference"><h2 id="difference">{title}</h2>{"".join(parts)}</section>'


def _differences(title: str, view: StackView, other: StackView, differences: list[Difference]) -> str:
    if not differences:
        return f"<h3>{title}</h3><p>No difference.</p>"
    rows = [
        (f"<code>{text(difference.path)}</code>", _value(difference.here), _value(difference.there))
        for difference in differences
    ]
    heads = [("place", ""), (view.name, ""), (other.name, "")]
    return f"<h3>{title}</h3>{table(f'{title} in {view.name} and in {other.name}', heads, rows)}"


def _value(value: str) -> str:
    return f"<code>{text(value)}</code>" if value else '<span class="muted">not said</span>'
