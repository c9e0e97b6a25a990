"""Speed-up and price against the number of reducers, as SVG by matplotlib; its colours become the page's variables."""

from __future__ import annotations

import io
import math
import re
from fractions import Fraction
from html import escape

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from trainingjobs import catalog
from trainingjobs.estimates import reducers as sizing
from trainingjobs.report.view import JobView

# Colours that mean a variable of the page; each is replaced in the finished SVG.
PLACEHOLDERS = {
    "ink": "#000101",
    "muted": "#000102",
    "rule": "#000103",
    "reducers": "#000104",
    "warn": "#000105",
    "workers": "#000106",
    "ground": "#000107",
}
INCHES = {"wide": (7.6, 4.6), "tall": (3.5, 4.6)}
POINTS_ON_CURVE = 240


def chart(job: JobView, name: str, shape: str) -> str:
    """Returns the chart as inline SVG, `shape` wide or tall; empty where the model says nothing of the job."""
    plan = job.plan.sizing
    if plan is None or plan.verdict.speedup is None:
        return ""
    style = {
        "svg.fonttype": "none",
        "svg.hashsalt": f"{name}-{shape}",
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with matplotlib.rc_context(style):  # type: ignore[arg-type]
        figure = Figure(figsize=INCHES[shape], layout="constrained")
        canvas = FigureCanvasSVG(figure)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        _speed(upper, job)
        _price(lower, job)
        for axes in (upper, lower):
            _dress(axes)
        figure.patch.set_alpha(0)
        buffer = io.StringIO()
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        canvas.print_svg(buffer, metadata=metadata)  # type: ignore[no-untyped-call]
    return _inline(buffer.getvalue(), job, f"{name}-{shape}")


def speedups(job: JobView, counts: list[int]) -> list[float]:
    """Returns the model's speed-up over the ring for each number of reducers."""
    plan = job.plan.sizing
    if plan is None:
        return []
    return [float(sizing.verdict(plan.nodes, plan.pool.gbps_each * count).speedup or 0) for count in counts]


def prices(job: JobView, counts: list[int]) -> list[float] | None:
    """Returns the USD per hour of the whole job for each number of reducers, None where a price is unknown."""
    plan = job.plan.sizing
    other_costs = [cost.usd_per_hour for cost in job.costs if cost.pool != "reducers"]
    usd_each = catalog.usd_per_hour(plan.pool.machine_type, None, 0).usd if plan else None
    if usd_each is None or None in other_costs:
        return None
    other_usd = sum(usd for usd in other_costs if usd is not None)
    return [other_usd + usd_each * job.plan.facts.parallel_trials * count for count in counts]


def counts_of(job: JobView) -> list[int]:
    """Returns the numbers of reducers that the chart shows, from 1 to well past the chosen and the break-even one."""
    plan = job.plan.sizing
    if plan is None:
        return []
    highest = max(8, math.ceil(plan.pool.replica_count * 1.6), break_even_count(job) or 0)
    return list(range(1, highest + 1, max(1, highest // POINTS_ON_CURVE)))


def break_even_count(job: JobView) -> int | None:
    """Returns the fewest reducers that are as fast as the ring, None where no number is."""
    plan = job.plan.sizing
    if plan is None or plan.verdict.break_even_gbps is None:
        return None
    return math.ceil(Fraction(plan.verdict.break_even_gbps) / plan.pool.gbps_each)


def _speed(axes: Axes, job: JobView) -> None:
    counts = counts_of(job)
    chosen = job.plan.sizing.pool.replica_count if job.plan.sizing else 0
    axes.plot(counts, speedups(job, counts), color=PLACEHOLDERS["reducers"], linewidth=2.2)
    axes.axhline(1, color=PLACEHOLDERS["warn"], linewidth=1.2, linestyle=(0, (5, 3)))
    axes.text(counts[-1], 1.03, "the ring's speed ", color=PLACEHOLDERS["warn"], ha="right", va="bottom")
    break_even = break_even_count(job)
    if break_even is not None:
        axes.axvline(break_even, color=PLACEHOLDERS["warn"], linewidth=1, linestyle=(0, (2, 3)))
        axes.annotate(
            f"break-even at {break_even}",
            (break_even, 0.06),
            textcoords="offset points",
            xytext=(6, 0),
            color=PLACEHOLDERS["warn"],
            ha="left",
            va="bottom",
        )
    axes.plot([chosen], speedups(job, [chosen]), "o", color=PLACEHOLDERS["ink"], markersize=7, clip_on=False)
    axes.annotate(
        f"chosen: {chosen}",
        (chosen, speedups(job, [chosen])[0]),
        textcoords="offset points",
        xytext=(0, 8),
        color=PLACEHOLDERS["ink"],
        ha="center",
        weight="bold",
    )
    axes.set_ylim(0, max(1.15, *speedups(job, counts)) * 1.18)
    axes.set_ylabel("speed-up of the all-reduce")


def _price(axes: Axes, job: JobView) -> None:
    counts = counts_of(job)
    amounts = prices(job, counts)
    axes.set_xlabel("reducers")
    axes.set_ylabel("USD per hour")
    axes.set_xlim(0, counts[-1] + 1)
    if amounts is None:
        axes.text(0.5, 0.5, "a price is not known", transform=axes.transAxes, ha="center", color=PLACEHOLDERS["muted"])
        axes.set_yticks([])
        return
    chosen = job.plan.sizing.pool.replica_count if job.plan.sizing else 0
    axes.plot(counts, amounts, color=PLACEHOLDERS["workers"], linewidth=2.2)
    at = (prices(job, [chosen]) or [0.0])[0]
    axes.plot([chosen], [at], "o", color=PLACEHOLDERS["ink"], markersize=7)
    axes.annotate(
        f"{at:,.2f}",
        (chosen, at),
        textcoords="offset points",
        xytext=(0, 8),
        color=PLACEHOLDERS["ink"],
        ha="center",
        weight="bold",
    )
    axes.set_ylim(0, max(amounts) * 1.25)


def _dress(axes: Axes) -> None:
    axes.patch.set_alpha(0)
    axes.grid(visible=True, axis="y", color=PLACEHOLDERS["rule"], linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(colors=PLACEHOLDERS["muted"], labelcolor=PLACEHOLDERS["muted"])
    for side in ("left", "bottom"):
        axes.spines[side].set_color(PLACEHOLDERS["rule"])
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_color(PLACEHOLDERS["ink"])


def _inline(text: str, job: JobView, name: str) -> str:
    """The SVG element alone, with the page's colours, a title, a description and ids of its own."""
    body = text[text.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>\s*", "", body, flags=re.DOTALL)
    for variable, placeholder in PLACEHOLDERS.items():
        body = body.replace(placeholder, f"var(--{variable})")
    body = re.sub(r"(\bid=\"|url\(#|href=\"#)", rf"\g<1>{name}-", body)
    open_tag, _, rest = body.partition(">")
    words = escape(description(job))
    return (
        f'{open_tag} role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">Speed-up and price of {escape(job.name)} by number of reducers</title>'
        f'<desc id="{name}-d">{words}</desc>{rest}'
    )


def description(job: JobView) -> str:
    """Returns the chart in words."""
    plan = job.plan.sizing
    if plan is None:
        return ""
    speed = speedups(job, [plan.pool.replica_count])[0]
    price = prices(job, [plan.pool.replica_count])
    break_even = break_even_count(job)
    return (
        f"{plan.pool.replica_count} reducers are chosen: {speed:.2f} times the ring's speed"
        + (f" at {price[0]:,.2f} USD per hour" if price else "")
        + (
            f"; {break_even} reducers are as fast as the ring."
            if break_even
            else "; no number of reducers is as fast as the ring."
        )
    )
