from __future__ import annotations

from typing import Any

import pytest

from tests.unit.jobs import IMAGE, findings_of, gpu_job, with_pools

RULE = "fast-socket-conflict"
DECLARES = "container.declares.packages"


def places(document: dict[str, Any]) -> set[str]:
    return {path for rule, severity, path in findings_of(document) if rule == RULE and severity == "error"}


def declaring(*packages: str) -> dict[str, Any]:
    return {"imageUri": IMAGE, "declares": {"nccl": "2.18", "packages": list(packages)}}


@pytest.mark.parametrize(
    ("packages", "alone", "with_reducers"),
    [
        ((), set(), set()),
        (("google-reduction-server",), set(), set()),
        (("google-fast-socket",), set(), {DECLARES}),
        (("google-fast-socket", "google-reduction-server"), {DECLARES}, {DECLARES}),
        (("google-cloud-sdk", "fast-socket-repository"), set(), set()),
    ],
)
def test_the_packages_of_an_image(packages: tuple[str, ...], alone: set[str], with_reducers: set[str]) -> None:
    document = gpu_job(container=declaring(*packages))
    assert places(with_pools(document, reducers=None)) == alone
    assert places(document) == with_reducers


def test_an_evaluator_needs_no_plug_in() -> None:
    evaluators = {"machineType": "n1-standard-8", "container": declaring("google-fast-socket")}
    assert places(with_pools(gpu_job(), evaluators=evaluators)) == set()


def test_what_one_pool_declares_of_the_primarys_image() -> None:
    workers = {"replicaCount": 4, "container": {"declares": {"packages": ["google-fast-socket"]}}}
    assert places(with_pools(gpu_job(), workers=workers)) == {f"pools.workers.{DECLARES}"}
