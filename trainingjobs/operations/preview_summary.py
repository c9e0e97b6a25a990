"""`make preview` ends with this: one line for each thing that would be replaced or deleted, and what that costs.

From the engine's own events of the one preview; only how a job stands now is asked of its service.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from trainingjobs import catalog
from trainingjobs.clients.vertex import jobs
from trainingjobs.operations.engine import Engine, read_events
from trainingjobs.operations.job_results import current_job
from trainingjobs.workloads.kubernetes import by_object_kind
from trainingjobs.workloads.states import ENDED
from trainingjobs.workloads.vertex import by_token

OPS = {"replace": "replaced", "delete": "deleted"}
NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
DATA = {
    "gcp:storage/bucket:Bucket": "bucket: what it holds is lost",
    "gcp:artifactregistry/repository:Repository": "repository: its images are lost",
    "gcp:compute/instanceGroupManager:InstanceGroupManager": "reducer VMs: a job that uses them fails",
}
# Returns a job by its id as its service has it, empty where it is gone, None where that cannot be asked.
Lookup = Callable[[str], Mapping[str, Any] | None]


def previewed(engine: Engine, options: Iterable[str], say: Callable[[str], None]) -> int:
    """Runs `pulumi preview`, then prints the summary; returns the engine's exit status."""
    with tempfile.TemporaryDirectory(prefix="training-preview-") as folder:
        log = Path(folder) / "events.json"
        # The event log is one of the engine's debugging options.
        engine.environment["PULUMI_DEBUG_COMMANDS"] = "true"
        status = engine.run("preview", *options, "--event-log", str(log))
        lookup = partial(current_job, engine.environment)
        for line in summary(read_events(log), datetime.now(UTC), lookup, whole=status == 0):
            say(line)
    return status


def summary(events: Iterable[Mapping[str, Any]], now: datetime, lookup: Lookup, *, whole: bool) -> list[str]:
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
        consequence = _what(urn, str(metadata.get("type")), metadata.get("old") or {}, op, now, lookup)
        if consequence:
            lines[urn] = f"{op}: {urn.rpartition('::')[2]}, {consequence}{_guarded(metadata)}"
    shown = [lines[urn] for urn in sorted(lines)]
    if not whole:
        return [*shown, f"the preview failed: what {'else ' if shown else ''}would be replaced or deleted is not known"]
    return shown or ["no pool, cluster, job or store of data would be replaced or deleted"]


def _what(urn: str, token: str, old: Mapping[str, Any], op: str, now: datetime, lookup: Lookup) -> str:
    state = old.get("outputs") or {}
    if by_token(token) is not None:
        stack = urn.partition("::")[0].rpartition(":")[2]
        return _job(stack, state, lookup(str(old.get("id"))), op, now)
    if token == NODE_POOL:
        return _node_pool(state)
    if token == CLUSTER:
        return "cluster: every node pool and job on it goes with it; about a quarter of an hour without"
    in_cluster = by_object_kind(token.rpartition(":")[2]) if token.startswith("kubernetes:") else None
    if in_cluster is not None and in_cluster.has_controller:
        return "job on the cluster: its pods are stopped" + ("; it starts anew" if op == "replaced" else "")
    return DATA.get(token, "")


def _job(stack: str, state: Mapping[str, Any], job: Mapping[str, Any] | None, op: str, now: datetime) -> str:
    price = state.get("usdPerHour")
    price = float(price) if isinstance(price, int | float) else None
    word = jobs.state_of(state if job is None else job)
    if job is not None and not job:
        line = "job that its service has no record of any more"
    elif word in ENDED:
        line = f"ended job ({word}): its record is {'kept' if state.get('retainRecord') is True else 'deleted'}"
    elif job is None:
        known = f"{word} at its submission or last refresh; `trainingjobs status {stack}` tells"
        line = f"job ({known}): if it is live it is cancelled, and {_lost(state, price, now)}"
    else:
        line = f"live job ({word}): cancelled, {_lost(job, price, now)}"
    return f"{line}; the new run costs {_usd(price)} an hour" if op == "replaced" else line


def _lost(state: Mapping[str, Any], price: float | None, now: datetime) -> str:
    start = _time(state.get("startTime") or state.get("createTime"))
    if start is None:
        return "its work since the last checkpoint is lost"
    hours = max((now - start).total_seconds() / 3600, 0)
    cost = "a price that is not known" if price is None else f"{hours * price:.2f} USD"
    return f"what it did since its last checkpoint is lost: at most {hours:.1f} h, {cost}"


def _time(text: Any) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(text).replace("Z", "+00:00"))
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _node_pool(state: Mapping[str, Any]) -> str:
    node = state.get("nodeConfig") or {}
    machine = str(node.get("machineType", "?"))
    nodes = (state.get("autoscaling") or {}).get("totalMaxNodeCount") or state.get("nodeCount")
    accelerator: Mapping[str, Any] = next(iter(node.get("guestAccelerators") or ()), {})
    kind = catalog.vertex_accelerator(str(accelerator.get("type"))) if accelerator else None
    node_usd = catalog.usd_per_hour(machine, kind, int(accelerator.get("count") or 0)).usd
    total_usd = None if node_usd is None or not isinstance(nodes, int | float) else node_usd * nodes
    count = f"{nodes:g}" if isinstance(nodes, int | float) else "?"
    return f"node pool of up to {count} x {machine} ({_usd(total_usd)} an hour): its nodes and their pods go"


def _usd(amount: float | None) -> str:
    return "an unknown price" if amount is None else f"{amount:.2f} USD"


def _guarded(metadata: Mapping[str, Any]) -> str:
    if not (metadata.get("old") or {}).get("protect"):
        return ""
    return "; protected: refused until training:unprotect names it"
