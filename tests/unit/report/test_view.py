from __future__ import annotations

from fractions import Fraction

import pytest

from tests.unit.jobs import gpu_job, with_pools
from tests.unit.report.views import several, view_of
from trainingjobs.report.charts import break_even_count, prices, speedups
from trainingjobs.report.layout import Rect, Stroke, Words, stack_drawing
from trainingjobs.report.mermaid import mermaid
from trainingjobs.report.view import JobView


def job(**pools: object) -> JobView:
    return view_of({"bert": with_pools(gpu_job(), **pools)}).jobs[0]


def links(view: JobView) -> dict[tuple[str, str], tuple[Fraction | None, bool]]:
    return {(link.source, link.target): (link.gbps, link.narrow) for link in view.links}


def test_links_carry_what_each_pool_can_send() -> None:
    assert links(job()) == {("primary", "reducers"): (100, True), ("workers", "reducers"): (400, True)}


def test_too_few_reducers_are_the_narrow_place() -> None:
    view = job(reducers={"machineType": "n1-highcpu-16", "replicaCount": 3})
    assert {pool.role for pool in view.pools if pool.narrow} == {"reducers"}


def test_the_slowest_node_is_the_narrow_place_of_a_ring() -> None:
    slower = {"machineType": "n1-highmem-32", "acceleratorType": "NVIDIA_TESLA_V100", "acceleratorCount": 4}
    view = job(reducers=None, workers={**slower, "replicaCount": 2})
    assert {pool.role for pool in view.pools if pool.narrow} == {"workers"}
    assert links(view) == {("primary", "workers"): (50, True)}


def test_a_single_node_has_no_links() -> None:
    view = job(reducers=None, workers=None)
    assert (view.links, view.narrow) == ((), "")


def test_gpu_network_interfaces_count_for_the_ring_alone() -> None:
    a3 = {"primary": {"machineType": "a3-highgpu-8g"}, "workers": {"replicaCount": 1}}
    ring = job(**a3, reducers=None)
    reduced = job(**a3)
    assert ring.pools[0].gbps_each == 800
    assert reduced.pools[0].gbps_each == 200


def test_the_chart_shows_the_model() -> None:
    view = job()
    assert break_even_count(view) == 10
    assert speedups(view, [16]) == [pytest.approx(1.6)]
    hourly_prices = prices(view, [16])
    assert hourly_prices == [pytest.approx(sum(cost.usd_per_hour or 0 for cost in view.costs), abs=0.001)]


@pytest.mark.parametrize("width", [340, 760])
def test_everything_of_a_picture_is_inside_it_and_no_boxes_overlap(width: float) -> None:
    drawing = stack_drawing(several(), width)
    for shape in drawing.shapes:
        if isinstance(shape, Rect):
            assert shape.x >= 0 and shape.x + shape.width <= width
            assert shape.y >= 0 and shape.y + shape.height <= drawing.height
        elif isinstance(shape, Words):
            room = len(shape.text) * shape.size * 0.5
            assert shape.x + (room if shape.anchor == "start" else room / 2) <= width + 1
            assert shape.y <= drawing.height
        else:
            assert isinstance(shape, Stroke)
            assert all(0 <= x <= width and 0 <= y <= drawing.height for x, y in shape.points)
    boxes = [shape for shape in drawing.shapes if isinstance(shape, Rect) and shape.kind in ("box", "narrow")]
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            apart = a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
            assert apart


def test_a_thousand_replicas_are_counted_where_there_is_no_room() -> None:
    drawing = stack_drawing(view_of({"bert": with_pools(gpu_job(), workers={"replicaCount": 999})}))
    squares = [s for s in drawing.shapes if isinstance(s, Rect) and s.kind == "replica-workers"]
    counted = [s.text for s in drawing.shapes if isinstance(s, Words) and s.text.startswith("+")]
    assert f"+{999 - len(squares)}" in counted


def test_mermaid_draws_pools_and_links() -> None:
    text = mermaid(view_of({"bert": gpu_job()}))
    assert text.startswith("flowchart TB\n")
    assert "16 × n1-highcpu-16" in text
    assert 'j0_workers == "400 Gbps, narrow place" ==> j0_reducers' in text
