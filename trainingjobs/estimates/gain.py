"""What a job's reducers cost and what they buy, by the model of estimates/reducers.py: no step was measured."""

from __future__ import annotations

from dataclasses import dataclass

from trainingjobs.estimates.cost import PoolCost
from trainingjobs.estimates.reducers import Sizing

BITS_PER_BYTE = 8
SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """Reducers of one job: USD per hour, their share of the job's price, and the model's speed-up of the all-reduce.

    `seconds_saved` and `usd_saved` are of one step for each GB of gradients (the time of the other machines);
    `pays_from` is the share of a step, without reducers, that the all-reduce has to have for them to pay, None where
    they never do.
    """

    usd_per_hour: float
    share: float
    speedup: float
    seconds_saved: float
    usd_saved: float
    pays_from: float | None


def gain(sizing: Sizing | None, costs: list[PoolCost]) -> Gain | None:
    """Returns what the reducers of a job buy; None without reducers, without a speed-up, or with an unknown price."""
    amounts = [cost.usd_per_hour for cost in costs]
    reducers = [cost.usd_per_hour for cost in costs if cost.pool == "reducers"]
    if sizing is None or sizing.verdict.speedup is None or not reducers or reducers[0] is None or None in amounts:
        return None
    total = sum(amount for amount in amounts if amount is not None)
    others_usd = total - reducers[0]
    if not others_usd:
        return None
    speedup = float(sizing.verdict.speedup)
    n = sizing.node_count
    ring = min(float(group.ring_gbps) for group in sizing.nodes if group.count)
    seconds_of_ring = 2 * (n - 1) / n * BITS_PER_BYTE / ring
    saved = seconds_of_ring * (1 - 1 / speedup)
    return Gain(
        usd_per_hour=reducers[0],
        share=reducers[0] / total,
        speedup=speedup,
        seconds_saved=saved,
        usd_saved=saved * others_usd / SECONDS_PER_HOUR,
        pays_from=_pays_from(reducers[0] / others_usd, speedup),
    )


def _pays_from(surcharge: float, speedup: float) -> float | None:
    """A step with a share f of all-reduce takes 1 - f (1 - 1/speedup) of its time, at 1 + surcharge of its price."""
    if speedup <= 1:
        return None
    share = surcharge / (1 + surcharge) / (1 - 1 / speedup)
    return share if share <= 1 else None
