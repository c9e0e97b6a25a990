"""A drawing as a bitmap, by matplotlib: the same shapes at the same places as in the SVG."""

from __future__ import annotations

import io

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Polygon

from trainingjobs.report.colours import COLOURS, colour
from trainingjobs.report.layout import Drawing, Rect, Stroke, Words
from trainingjobs.report.svg import HEAD

# Two pixels for one of the drawing: sharp on today's screens.
SCALE = 2
# A figure of matplotlib has 72 points an inch; one unit of the drawing is one pixel before SCALE.
UNITS_PER_INCH = 96
EDGES = {"box": "rule", "narrow": "warn"}
FILLS = {"box": "card", "label": "ground"}


def png(drawing: Drawing) -> bytes:
    """Returns the PNG, in the light theme, without a date in it."""
    figure = Figure(figsize=(drawing.width / UNITS_PER_INCH, drawing.height / UNITS_PER_INCH), dpi=UNITS_PER_INCH)
    figure.patch.set_facecolor(colour("ground"))
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    axes.axis("off")
    for order, shape in enumerate(drawing.shapes):
        _draw(axes, shape, order)
    buffer = io.BytesIO()
    canvas.print_figure(buffer, format="png", dpi=UNITS_PER_INCH * SCALE, metadata={"Software": None})
    return buffer.getvalue()


def _points(pixels: float) -> float:
    return pixels * 72 / UNITS_PER_INCH


def _draw(axes: Axes, shape: Rect | Words | Stroke, order: int) -> None:
    if isinstance(shape, Rect):
        kind = shape.kind.removeprefix("replica-")
        fill = FILLS.get(kind, kind if kind in COLOURS else "card")
        edge = EDGES.get(shape.kind)
        axes.add_patch(
            FancyBboxPatch(
                (shape.x, shape.y),
                shape.width,
                shape.height,
                boxstyle=f"round,pad=0,rounding_size={shape.radius}",
                facecolor=colour(fill),
                edgecolor=colour(edge) if edge else "none",
                linewidth=_points(1.5 if shape.kind == "narrow" else 1),
                zorder=order,
            )
        )
    elif isinstance(shape, Words):
        axes.text(
            shape.x,
            shape.y,
            shape.text,
            fontsize=_points(shape.size),
            color=colour(shape.kind),
            ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
            va="baseline",
            weight="bold" if shape.bold else "normal",
            family="DejaVu Sans",
            parse_math=False,
            zorder=order,
        )
    else:
        _stroke(axes, shape, order)


def _stroke(axes: Axes, shape: Stroke, order: int) -> None:
    points = [*shape.points]
    tint = colour(shape.kind)
    if shape.head:
        x, y = points[-1]
        half = shape.width / 2 + 5
        corners = [(x - half, y - HEAD), (x + half, y - HEAD), (x, y)]
        axes.add_patch(Polygon(corners, closed=True, facecolor=tint, edgecolor="none", zorder=order))
        points[-1] = (x, y - HEAD)
    axes.plot(
        [x for x, _ in points],
        [y for _, y in points],
        color=tint,
        linewidth=_points(shape.width),
        solid_capstyle="butt",
        solid_joinstyle="miter",
        zorder=order,
    )
