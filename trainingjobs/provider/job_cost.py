"""What a job costs before it is submitted: its machines, their price an hour, and the most that it can come to."""

from __future__ import annotations

import math
from collections.abc import Mapping

from trainingjobs.core.numbers import whole
from trainingjobs.engine.values import UNKNOWN
from trainingjobs.workloads.vertex import VertexWorkload
from trainingjobs.workloads.vertex_types import DEFAULT_TIMEOUT_SECONDS


def describe_cost(kind: VertexWorkload, inputs: Mapping[str, object]) -> str:
    """Returns the machines, what they cost an hour, and the most that the job can cost, in US dollars."""
    spec = inputs.get(kind.spec_key)
    pools = spec.get("workerPoolSpecs") if isinstance(spec, Mapping) else None
    machines = " + ".join(_machines(pool) for pool in pools if pool) if isinstance(pools, list) else "machines unknown"
    scheduling = spec.get("scheduling") if isinstance(spec, Mapping) else None
    timeout = scheduling.get("timeout") if isinstance(scheduling, Mapping) else None
    hours = (float(timeout[:-1]) if isinstance(timeout, str) else DEFAULT_TIMEOUT_SECONDS) / 3600
    length = f"{hours:g} h" if hours == int(hours) else f"{hours * 60:.0f} min"
    limit = f"its timeout of {length}" if timeout else f"Vertex AI's default timeout of {length}"
    trial_count, at_once = whole(inputs.get("maxTrialCount", 1)), whole(inputs.get("parallelTrialCount", 1))
    if kind.runs_trials:
        machines, limit = f"{_trials(trial_count, at_once)} of {machines}", f"{limit} for each trial"
    price = inputs.get("usdPerHour")
    if not isinstance(price, int | float) or timeout is UNKNOWN or trial_count is None or not at_once:
        return f"{machines}; price unknown, at most until {limit}"
    # The price is that of all trials that run at once; the timeout is each trial's own.
    rounds = math.ceil(trial_count / at_once)
    return f"{machines}; {price:.2f} USD an hour, at most {price * hours * rounds:.2f} USD in {limit}"


def _trials(trial_count: int | None, at_once: int | None) -> str:
    return "trials" if None in (trial_count, at_once) else f"{trial_count} trials, {at_once} at once,"


def _machines(pool: object) -> str:
    if not isinstance(pool, Mapping):
        return "a pool not known yet"
    machine = pool.get("machineSpec")
    spec = machine if isinstance(machine, Mapping) else {}
    count, kind = spec.get("acceleratorCount", 0), spec.get("acceleratorType")
    accelerators = f" with {count} {kind}" if kind else ""
    return f"{pool.get('replicaCount', 1)} x {spec.get('machineType', 'machine not known yet')}{accelerators}"
