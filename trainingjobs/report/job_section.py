"""One job's part of the page: topology, reducers, pools, and the environment of its replicas."""

from __future__ import annotations

from collections.abc import Sequence

from trainingjobs.estimates.cost import known_sum
from trainingjobs.report import charts
from trainingjobs.report.environment import MOST_REPLICAS, environments
from trainingjobs.report.html import NUMBER, ONE_LINE, data, table, text
from trainingjobs.report.layout import job_drawing
from trainingjobs.report.svg import svg
from trainingjobs.report.view import TITLES, JobView, PoolView, StackView, shown, usd

TALL = 340
# Rows of the table that says what the chart shows.
ROWS = 9


def job_section(view: StackView, job: JobView, number: int) -> str:
    """Returns the section; `number` makes its ids unique."""
    name = f"job-{number}"
    parts = [
        f'<h2 id="{name}">{text(job.name)}</h2>',
        f'<p class="muted">{text(job.plan.kind)} on {text(job.place)}; framework {text(job.plan.job.framework)}</p>',
        "<h3>Topology</h3>",
        _picture(job, name),
        "<h3>Reducers</h3>",
        _reducers(job, name),
        "<h3>Pools</h3>",
        _pools(job),
        f'<div class="replica"><h3>Environment of a replica</h3>{_environment(view, job, name)}</div>',
    ]
    return f'<section class="job" aria-labelledby="{name}">{"".join(parts)}</section>'


def _picture(job: JobView, name: str) -> str:
    wide = svg(job_drawing(job), f"{name}-topology-wide", alone=False)
    tall = svg(job_drawing(job, TALL), f"{name}-topology-tall", alone=False)
    return f'<figure class="wide">{wide}</figure><figure class="tall">{tall}</figure>'


def _reducers(job: JobView, name: str) -> str:
    wide = charts.chart(job, f"{name}-chart", "wide")
    if not wide:
        has_reducers = any(pool.role == "reducers" for pool in job.pools)
        return (
            "<p>The number of reducers is not known: the machines of the nodes have no figures.</p>"
            if has_reducers
            else "<p>This job has no reducers.</p>"
        )
    tall = charts.chart(job, f"{name}-chart", "tall")
    return (
        f"<p>{text(charts.description(job))} {text(_gain(job))}</p>"
        f'<figure class="wide">{wide}</figure><figure class="tall">{tall}</figure>'
        f"<details><summary>The chart as a table</summary>{_chart_table(job)}</details>"
    )


def _gain(job: JobView) -> str:
    job_gain = job.gain
    if job_gain is None:
        return ""
    verdict = (
        "They never pay by the model."
        if job_gain.pays_from is None
        else f"They pay where the all-reduce takes {job_gain.pays_from:.1%} of a step or more."
    )
    return f"The reducers are {job_gain.share:.1%} of the job's price. {verdict}"


def _chart_table(job: JobView) -> str:
    plan = job.plan.sizing
    counts = charts.counts_of(job)
    if plan is None:
        return ""
    step = max(1, len(counts) // ROWS)
    break_even = charts.break_even_count(job)
    chosen = plan.pool.replica_count
    shown_counts = sorted({*counts[::step], chosen, *([break_even] if break_even else [])})
    marks = {break_even: "break-even", chosen: "chosen"}
    unknown: list[float | None] = [None] * len(shown_counts)
    amounts: Sequence[float | None] = charts.prices(job, shown_counts) or unknown
    rows = [
        (
            str(count) + (f" ({marks[count]})" if count in marks else ""),
            shown(plan.pool.gbps_each * count),
            f"{speed:.2f}",
            usd(amount),
        )
        for count, speed, amount in zip(shown_counts, charts.speedups(job, shown_counts), amounts, strict=True)
    ]
    heads = [("reducers", ""), ("egress", NUMBER), ("speed-up", NUMBER), ("price of the job", NUMBER)]
    return table(f"Speed-up over the ring and price of {job.name} by number of reducers", heads, rows)


def _pools(job: JobView) -> str:
    heads = [
        ("pool", ""), ("machines", ONE_LINE), ("accelerators", ONE_LINE), ("Gbps each", NUMBER),
        ("Gbps in all", NUMBER), ("USD/hour", NUMBER), ("image", ""),
    ]  # fmt: skip
    rows = [
        (
            TITLES[pool.role],
            text(f"{pool.count or '?'} × {pool.machine}"),
            text(pool.accelerators or "none"),
            _gbps(pool, of_all=False),
            _gbps(pool, of_all=True),
            _price(pool),
            f"<code>{text(pool.image or 'its own program')}</code>",
        )
        for pool in job.pools
    ]
    known = any(cost.usd_per_hour is not None for cost in job.costs)
    total = f"{known_sum(job.costs):,.2f}" if known else "unknown"
    trials = job.plan.facts.parallel_trials
    caption = f"Pools of {job.name}" + (f", {trials} trials at once in each price" if trials > 1 else "")
    return table(caption, heads, rows, ("Together", "", "", "", "", total, "") if rows else ())


def _gbps(pool: PoolView, *, of_all: bool) -> str:
    value = pool.gbps if of_all else pool.gbps_each
    return "?" if value is None else f"{float(value):g}"


def _price(pool: PoolView) -> str:
    amount = "unknown" if pool.usd_per_hour is None else f"{pool.usd_per_hour:,.2f}"
    return amount + (f' <span class="muted">({text(pool.note)})</span>' if pool.note else "")


def _environment(view: StackView, job: JobView, name: str) -> str:
    if job.has_errors:
        return "<p>A job with an error has no environment: see the findings.</p>"
    pools = environments(job)
    if not pools:
        return "<p>Nothing is set on these replicas.</p>"
    options = "".join(f"<option>{text(pool['title'])}</option>" for pool in pools)
    command = f"trainingjobs env --stack {view.name} --job {job.name} --task {pools[0]['role']}:0"
    note = (
        f'<p class="muted">Of a pool the page holds {MOST_REPLICAS} replicas and the last one.</p>'
        if any(pool["count"] > MOST_REPLICAS + 1 for pool in pools)
        else ""
    )
    return (
        f"<p>What the platform sets, as <code>{text(command)}</code> prints it; JSON is indented here.</p>{note}"
        f'<div class="picker" role="group" aria-label="Replica of {text(job.name)}" '
        f'data-source="{name}-data" data-target="{name}-shown">'
        f"<label>role <select>{options}</select></label>"
        '<label>index <input type="number" value="0" min="0" step="1" inputmode="numeric"></label></div>'
        f'<div id="{name}-shown" role="status"><noscript>{text(command)}</noscript></div>'
        f"{data(pools, f'{name}-data')}"
    )
