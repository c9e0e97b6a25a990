"""Where everything of a topology stands: shapes and words with coordinates, for any width, drawn by svg.py and png.py.

Trainers stand in the first row, what they send to below them; every replica is a small square as far as there is room.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from trainingjobs.report.view import TITLES, JobView, LinkView, PoolView, StackView, shown

Anchor = Literal["start", "middle", "end"]

MARGIN = 14.0
GAP = 16.0
PADDING = 10.0
SQUARE = 9.0
STEP = 13.0
LINK_ROOM = 104.0
# The width of a character as a share of the font's size: DejaVu Sans, generously.
CHARACTER = 0.6
BOLD_CHARACTER = 0.66
SMALLEST = 9.5
THICKEST = 9.0


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle; `kind` decides its colours."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    radius: float = 6


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text at its base line."""

    x: float
    y: float
    text: str
    size: float
    kind: str = "ink"
    anchor: Anchor = "start"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Stroke:
    """An arrow, or a line without a head."""

    points: tuple[tuple[float, float], ...]
    width: float
    kind: str
    head: bool = True


@dataclass(slots=True)
class Drawing:
    """A picture: its size in pixels, what is on it, and what it says to those who cannot see it."""

    width: float
    height: float = 0.0
    title: str = ""
    description: str = ""
    shapes: list[Rect | Words | Stroke] = field(default_factory=list)


def stack_drawing(view: StackView, width: float = 760) -> Drawing:
    """Returns the pictures of a stack's jobs, one under the other."""
    drawing = Drawing(width, MARGIN, f"Topology of stack {view.name}", " ".join(map(description, view.jobs)))
    if not view.jobs:
        drawing.description = "The stack has no jobs."
        drawing.shapes.append(Words(width / 2, 44, f"stack {view.name} has no jobs", 14, "muted", "middle"))
        drawing.height = 72
    for job in view.jobs:
        picture = job_drawing(job, width)
        drawing.shapes += [_moved(shape, drawing.height - MARGIN) for shape in picture.shapes]
        drawing.height += picture.height - MARGIN + GAP
    drawing.height += MARGIN - GAP if view.jobs else 0
    return drawing


def job_drawing(job: JobView, width: float = 760) -> Drawing:
    """Returns the picture of one job."""
    drawing = Drawing(width, title=f"Topology of job {job.name}", description=description(job))
    heading = f"{job.name} · {job.plan.kind} · {job.place}"
    drawing.shapes.append(_fitted(MARGIN, MARGIN + 14, heading, 14, width - 2 * MARGIN, "ink", bold=True))
    rows = _rows(job, wide=width >= 560)
    boxes: dict[str, Rect] = {}
    y = MARGIN + 30
    for number, row in enumerate(rows):
        box_width = (width - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
        height = max(_height(pool, box_width) for pool in row)
        for column, pool in enumerate(row):
            box = Rect(MARGIN + column * (box_width + GAP), y, box_width, height, "narrow" if pool.narrow else "box", 8)
            boxes[pool.role] = box
            drawing.shapes += _box(pool, box)
        last = number == len(rows) - 1
        y += height + (0 if last else LINK_ROOM if _linked(job, row) else GAP)
    ring = [link for link in job.links if link.kind == "ring"]
    drawing.shapes += _links([link for link in job.links if link.kind != "ring"], boxes)
    for link in ring:
        drawing.shapes += _ring(link, boxes)
    y += 40 if ring and len(rows) == 1 else 0
    if job.narrow:
        for line in _wrapped(f"Narrow place: {job.narrow}.", width - 2 * MARGIN, 12):
            y += 22 if line.startswith("Narrow place") else 16
            drawing.shapes.append(Words(MARGIN, y, line, 12, "warn"))
    drawing.height = y + MARGIN
    return drawing


def description(job: JobView) -> str:
    """Returns the picture of a job in words."""
    pools = "; ".join(
        f"{TITLES[pool.role].lower()}: {pool.count or 'unknown number'} × {pool.machine}"
        + (f" with {pool.accelerators}" if pool.accelerators else "")
        + (f", {shown(pool.gbps_each)} each, {shown(pool.gbps)} in all" if pool.gbps is not None else "")
        for pool in job.pools
    )
    links = "; ".join(
        f"{TITLES[link.source].lower()} to {TITLES[link.target].lower()} {shown(link.gbps)}" for link in job.links
    )
    end = f" Narrow place: {job.narrow}." if job.narrow else ""
    return f"Job {job.name} on {job.place}. {pools}." + (f" Links: {links}." if links else "") + end


def _rows(job: JobView, *, wide: bool) -> list[list[PoolView]]:
    top = [pool for pool in job.pools if pool.role in ("primary", "workers")]
    below = [pool for pool in job.pools if pool.role in ("reducers", "parameterServers")]
    evaluators = [pool for pool in job.pools if pool.role == "evaluators"]
    if wide:
        top, evaluators = top + evaluators, []
    return [row for row in (top, below, evaluators) if row]


def _linked(job: JobView, row: list[PoolView]) -> bool:
    return any(link.source == pool.role for link in job.links for pool in row)


def _glyph_room(width: float) -> int:
    return max(1, int((width - 2 * PADDING + STEP - SQUARE) // STEP))


def _height(pool: PoolView, width: float) -> float:
    rows = min(2, -(-max(pool.count, 1) // _glyph_room(width)))
    return 50 + 16 * len(_lines(pool)) + rows * STEP


def _lines(pool: PoolView) -> list[str]:
    lines = [pool.accelerators] if pool.accelerators else []
    if pool.gbps_each is not None:
        together = f" · {shown(pool.gbps)} in all" if pool.role in ("reducers", "parameterServers") else ""
        lines.append(f"{shown(pool.gbps_each)} each{together}" if pool.count > 1 else shown(pool.gbps_each))
    return lines


def _box(pool: PoolView, box: Rect) -> Iterable[Rect | Words | Stroke]:
    x, room = box.x + PADDING, box.width - 2 * PADDING
    yield box
    yield Words(x, box.y + 20, TITLES[pool.role], 12, "muted", bold=True)
    yield _fitted(x, box.y + 38, f"{pool.count or '?'} × {pool.machine}", 13.5, room, "ink", bold=True)
    y = box.y + 38
    for line in _lines(pool):
        y += 16
        yield _fitted(x, y, line, 11.5, room, "muted")
    yield from _squares(pool.count, x, y + 9, _glyph_room(box.width), f"replica-{pool.role}")


def _squares(count: int, x: float, y: float, room: int, kind: str) -> Iterable[Rect | Words | Stroke]:
    capacity = 2 * room
    # What does not fit is counted in the room of the last four squares.
    drawn = count if count <= capacity else max(0, capacity - 4)
    for i in range(drawn):
        yield Rect(x + (i % room) * STEP, y + (i // room) * STEP, SQUARE, SQUARE, kind, 2)
    if drawn < count:
        at = x + (drawn % room) * STEP
        yield Words(at, y + (drawn // room) * STEP + SQUARE, f"+{count - drawn}", 11, "muted")


def _thickness(link: LinkView, highest: float) -> float:
    return 2.0 if link.gbps is None or not highest else max(1.5, THICKEST * float(link.gbps) / highest)


def _links(links: list[LinkView], boxes: dict[str, Rect]) -> Iterable[Rect | Words | Stroke]:
    highest = max((float(link.gbps) for link in links if link.gbps is not None), default=0.0)
    for link in links:
        source, target = boxes[link.source], boxes[link.target]
        x = source.x + source.width / 2
        start, end = source.y + source.height, target.y
        kind = "warn" if link.narrow else "link"
        yield Stroke(((x, start), (x, end)), _thickness(link, highest), kind)
        text = shown(link.gbps)
        middle = (start + end) / 2
        width = max(len(text), 12 if link.narrow else 0) * 13 * CHARACTER + 12
        height = 40 if link.narrow else 24
        yield Rect(x - width / 2, middle - height / 2 - 4, width, height, "label", 5)
        yield Words(x, middle + (-5 if link.narrow else 1), text, 13, kind, "middle", bold=True)
        if link.narrow:
            yield Words(x, middle + 11, "narrow place", 11, "warn", "middle")


def _ring(link: LinkView, boxes: dict[str, Rect]) -> Iterable[Rect | Words | Stroke]:
    source, target = boxes[link.source], boxes[link.target]
    kind = "warn" if link.narrow else "link"
    a, b = source.x + source.width / 2, target.x + target.width / 2
    start = max(source.y + source.height, target.y + target.height)
    low = start + 22
    points = ((a, source.y + source.height), (a, low), (b, low), (b, target.y + target.height))
    yield Stroke(points, 3.0, kind, head=False)
    text = f"ring, {shown(link.gbps)}"
    width = len(text) * 13 * CHARACTER + 12
    yield Rect((a + b) / 2 - width / 2, low - 12, width, 24, "label", 5)
    yield Words((a + b) / 2, low + 4.5, text, 13, kind, "middle", bold=True)


def _fitted(x: float, y: float, text: str, size: float, room: float, kind: str, *, bold: bool = False) -> Words:
    """The words in a smaller size where they are too long, and cut where that is not enough."""
    character = BOLD_CHARACTER if bold else CHARACTER
    size = min(size, max(SMALLEST, room / (len(text) * character)))
    max_characters = int(room / (size * character) + 0.01)
    return Words(
        x,
        y,
        text if len(text) <= max_characters else text[: max(1, max_characters - 1)] + "…",
        round(size, 2),
        kind,
        bold=bold,
    )


def _wrapped(text: str, room: float, size: float) -> list[str]:
    max_characters, lines = int(room / (size * 0.55)), [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) + 1 > max_characters:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _moved(shape: Rect | Words | Stroke, down: float) -> Rect | Words | Stroke:
    if isinstance(shape, Stroke):
        return replace(shape, points=tuple((x, y + down) for x, y in shape.points))
    return replace(shape, y=shape.y + down)
