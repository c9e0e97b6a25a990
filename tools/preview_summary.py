"""`make preview` ends with this: one line for each thing that would be replaced or deleted, and what that costs.

From the engine's own events of the one preview; only how a job stands now is asked of its service.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infra import catalog
from infra.engine.stack_engine import read_events
from infra.provider import jobs
from tools.job_ends import looked_at

if TYPE_CHECKING:
    from tools.stack_engine import Engine

OPS = {"replace": "replaced", "delete": "deleted"}
JOB = "trainingjobs:vertex:"
NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
DATA = {
    "gcp:storage/bucket:Bucket": "bucket: what it holds is lost",
    "gcp:artifactregistry/repository:Repository": "repository: its images are lost",
    "gcp:compute/instanceGroupManager:InstanceGroupManager": "reducer VMs: a job that uses them fails",
}
KUBERNETES_JOBS = ("TFJob", "PyTorchJob", "JobSet")
# Returns a job by its id as its service has it, empty where it is gone, None where that cannot be asked.
Look = Callable[[str], Mapping[str, Any] | None]


def previewed(engine: Engine, options: Iterable[str], say: Callable[[str], None]) -> int:
    """Runs `pulumi preview`, then prints the summary; returns the engine's exit status."""
    with tempfile.TemporaryDirectory(prefix="training-preview-") as folder:
        log = Path(folder) / "events.json"
        # The event log is one of the engine's debugging options.
        engine.environment["PULUMI_DEBUG_COMMANDS"] = "true"
        status = engine.run("preview", *options, "--event-log", str(log))
        look = partial(looked_at, engine.environment)
        for line in summary(read_events(log), datetime.now(UTC), look, whole=status == 0):
            say(line)
    return status


def summary(events: Iterable[Mapping[str, Any]], now: datetime, look: Look, *, whole: bool) -> list[str]:
    """Returns a line for each node pool, cluster, job or store of data that goes, or one line that nothing does.

    Of a preview that failed, which is not `whole`, the rest is not known, and that is said.
    """
    lines: dict[str, str] = {}
    for event in events:
        metadata = (event.get("resourcePreEvent") or {}).get("metadata") or {}
        op = OPS.get(str(metadata.get("op")))
        if op is None:
            continue
        urn = str(metadata["urn"])
        what = _what(urn, str(metadata.get("type")), metadata.get("old") or {}, op, now, look)
        if what:
            lines[urn] = f"{op}: {urn.rpartition('::')[2]}, {what}{_guarded(metadata)}"
    found = [lines[urn] for urn in sorted(lines)]
    if not whole:
        return [*found, f"the preview failed: what {'else ' if found else ''}would be replaced or deleted is not known"]
    return found or ["no pool, cluster, job or store of data would be replaced or deleted"]


def _what(urn: str, token: str, old: Mapping[str, Any], op: str, now: datetime, look: Look) -> str:
    state = old.get("outputs") or {}
    if token.startswith(JOB):
        stack = urn.partition("::")[0].rpartition(":")[2]
        return _job(stack, state, look(str(old.get("id"))), op, now)
    if token == NODE_POOL:
        return _node_pool(state)
    if token == CLUSTER:
        return "cluster: every node pool and job on it goes with it; about a quarter of an hour without"
    if token.startswith("kubernetes:") and token.rpartition(":")[2] in KUBERNETES_JOBS:
        return "job on the cluster: its pods are stopped" + ("; it starts anew" if op == "replaced" else "")
    return DATA.get(token, "")


def _job(stack: str, state: Mapping[str, Any], job: Mapping[str, Any] | None, op: str, now: datetime) -> str:
    price = state.get("usdPerHour")
    price = float(price) if isinstance(price, int | float) else None
    word = jobs.state_of(state if job is None else job)
    if job is not None and not job:
        said = "job that its service has no record of any more"
    elif word in jobs.ENDED:
        said = f"ended job ({word}): its record is {'kept' if state.get('retainRecord') is True else 'deleted'}"
    elif job is None:
        seen = f"{word} at its submission or last refresh; `python -m infra status {stack}` tells"
        said = f"job ({seen}): if it is live it is cancelled, and {_lost(state, price, now)}"
    else:
        said = f"live job ({word}): cancelled, {_lost(job, price, now)}"
    return f"{said}; the new run costs {_usd(price)} an hour" if op == "replaced" else said


def _lost(state: Mapping[str, Any], price: float | None, now: datetime) -> str:
    began = _time(state.get("startTime") or state.get("createTime"))
    if began is None:
        return "its work since the last checkpoint is lost"
    hours = max((now - began).total_seconds() / 3600, 0)
    spent = "a price that is not known" if price is None else f"{hours * price:.2f} USD"
    return f"what it did since its last checkpoint is lost: at most {hours:.1f} h, {spent}"


def _time(text: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text).replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _node_pool(state: Mapping[str, Any]) -> str:
    node = state.get("nodeConfig") or {}
    machine = str(node.get("machineType", "?"))
    nodes = (state.get("autoscaling") or {}).get("totalMaxNodeCount") or state.get("nodeCount")
    accelerator = next(iter(node.get("guestAccelerators") or ()), {})
    kind = catalog.vertex_accelerator(str(accelerator.get("type"))) if accelerator else None
    each = catalog.usd_per_hour(machine, kind, int(accelerator.get("count") or 0)).usd
    together = None if each is None or not isinstance(nodes, int | float) else each * nodes
    count = f"{nodes:g}" if isinstance(nodes, int | float) else "?"
    return f"node pool of up to {count} x {machine} ({_usd(together)} an hour): its nodes and their pods go"


def _usd(amount: float | None) -> str:
    return "an unknown price" if amount is None else f"{amount:.2f} USD"


def _guarded(metadata: Mapping[str, Any]) -> str:
    if not (metadata.get("old") or {}).get("protect"):
        return ""
    return "; protected: refused until training:unprotect names it"
