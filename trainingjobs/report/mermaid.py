"""The topology as a Mermaid flowchart, for pages that draw those: pull requests and wikis."""

from __future__ import annotations

from trainingjobs.report.view import TITLES, JobView, LinkView, PoolView, StackView, shown


def mermaid(view: StackView) -> str:
    """Returns the flowchart of a stack; the narrow links are thick."""
    lines = ["flowchart TB"]
    if not view.jobs:
        lines.append(f'  none["stack {_quoted(view.name)} has no jobs"]')
    for number, job in enumerate(view.jobs):
        lines += _job(job, f"j{number}")
    return "\n".join(lines) + "\n"


def _job(job: JobView, name: str) -> list[str]:
    lines = [f'  subgraph {name}["{_quoted(f"{job.name} · {job.place}")}"]']
    lines += [f'    {name}_{pool.role}["{_pool(pool)}"]' for pool in job.pools]
    lines += [f"    {name}_{link.source} {_arrow(link)} {name}_{link.target}" for link in job.links]
    return [*lines, "  end"]


def _pool(pool: PoolView) -> str:
    words = [f"<b>{TITLES[pool.role]}</b>", f"{pool.count or '?'} × {pool.machine}"]
    words += [pool.accelerators] if pool.accelerators else []
    words += [f"{shown(pool.gbps_each)} each"] if pool.gbps_each is not None else []
    return "<br/>".join([words[0], *(_quoted(word) for word in words[1:])])


def _arrow(link: LinkView) -> str:
    text = shown(link.gbps) + (", narrow place" if link.narrow else "")
    if link.kind == "ring":
        return f'<== "ring, {text}" ==>' if link.narrow else f'<-- "ring, {text}" -->'
    return f'== "{text}" ==>' if link.narrow else f'-- "{text}" -->'


def _quoted(text: str) -> str:
    return text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
