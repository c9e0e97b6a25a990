"""A drawing as SVG: inline in the page, whose style sheet colours it, or a file of its own with both themes."""

from __future__ import annotations

from html import escape

from trainingjobs.report.colours import variables
from trainingjobs.report.layout import Drawing, Rect, Stroke, Words

FONT = "'DejaVu Sans',Verdana,system-ui,sans-serif"
# What each kind of shape looks like, in the page's and the file's own style sheet.
SHAPES = (
    ".t-box{fill:var(--card);stroke:var(--rule)}"
    ".t-narrow{fill:var(--narrow);stroke:var(--warn);stroke-width:1.5}"
    ".t-label{fill:var(--ground)}"
    ".t-replica-primary{fill:var(--primary)}.t-replica-workers{fill:var(--workers)}"
    ".t-replica-reducers{fill:var(--reducers)}.t-replica-parameterServers{fill:var(--parameterServers)}"
    ".t-replica-evaluators{fill:var(--evaluators)}"
    ".t-ink{fill:var(--ink)}.t-muted{fill:var(--muted)}.t-warn{fill:var(--warn)}.t-link{fill:var(--link)}"
    ".s-warn{stroke:var(--warn);fill:none}.s-link{stroke:var(--link);fill:none}"
    ".h-warn{fill:var(--warn)}.h-link{fill:var(--link)}"
)
HEAD = 11.0


def svg(drawing: Drawing, name: str, *, alone: bool) -> str:
    """Returns the SVG; `name` makes its ids unique on a page. `alone` gives it its own style sheet and ground."""
    width, height = _n(drawing.width), _n(drawing.height)
    style = ""
    if alone:
        dark = f"@media (prefers-color-scheme:dark){{:root{{{variables('dark')}}}}}"
        style = (
            f"<style>:root{{{variables('light')}}}{dark}{SHAPES}</style>"
            f'<rect width="{width}" height="{height}" style="fill:var(--ground)"/>'
        )
    body = "\n".join(_shape(shape) for shape in drawing.shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-labelledby="{name}-t {name}-d" font-family="{FONT}">'
        f'<title id="{name}-t">{escape(drawing.title)}</title>'
        f'<desc id="{name}-d">{escape(drawing.description)}</desc>{style}\n{body}\n</svg>'
    )


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _shape(shape: Rect | Words | Stroke) -> str:
    if isinstance(shape, Rect):
        return (
            f'<rect class="t-{shape.kind}" x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" '
            f'height="{_n(shape.height)}" rx="{_n(shape.radius)}"/>'
        )
    if isinstance(shape, Words):
        bold = ' font-weight="700"' if shape.bold else ""
        anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
        return (
            f'<text class="t-{shape.kind}" x="{_n(shape.x)}" y="{_n(shape.y)}" font-size="{_n(shape.size)}"'
            f"{bold}{anchor}>{escape(shape.text)}</text>"
        )
    points = [*shape.points]
    if shape.head:
        x, y = points[-1]
        points[-1] = (x, y - HEAD)
    line = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
    drawn = f'<polyline class="s-{shape.kind}" points="{line}" stroke-width="{_n(shape.width)}"/>'
    return drawn + (_head(shape) if shape.head else "")


def _head(shape: Stroke) -> str:
    x, y = shape.points[-1]
    half = shape.width / 2 + 5
    corners = ((x - half, y - HEAD), (x + half, y - HEAD), (x, y))
    points = " ".join(f"{_n(a)},{_n(b)}" for a, b in corners)
    return f'<polygon class="h-{shape.kind}" points="{points}"/>'
