# SPDX-License-Identifier: BSD-3-Clause
"""Who wins. The incumbent (what runs now) stays unless another algorithm is faster by more than noise: in the paired
comparison of rounds the whole confidence interval must lie below the margin. Neighbouring sizes then share an
algorithm where that costs less than the margin."""

from __future__ import annotations

import math
import statistics
from itertools import groupby

from .points import Point

MARGIN = 0.03      # faster by less than this is not faster
CONFIDENCE = 0.90  # that the true median ratio lies below the bound


def ratios(point: Point, name: str, reference: str) -> list[float]:
    """Time of `name` over that of `reference`, round by round, where both were measured."""
    pairs = zip(point.samples.get(name, []), point.samples.get(reference, []))
    return [a / b for a, b in pairs if a is not None and b is not None and b > 0]


def upper_bound(values: list[float]) -> float:
    """The smallest order statistic that is above the true median with CONFIDENCE (sign test); infinite if there are too
    few values."""
    n, below = len(values), 0.0
    for rank, value in enumerate(sorted(values)):
        below += math.comb(n, rank) / 2 ** n  # probability that at most `rank` of n lie below the median
        if below >= CONFIDENCE:
            return value
    return math.inf


def median_of(point: Point, name: str) -> float:
    return statistics.median(s for s in point.samples[name] if s is not None)


def challengers(point: Point) -> dict[str, float]:
    """Algorithms that beat the incumbent beyond noise, with their median ratio to it; and the incumbent itself."""
    found = {point.incumbent: 1.0}
    for name in point.samples:
        compared = ratios(point, name, point.incumbent)
        if name != point.incumbent and compared and upper_bound(compared) < 1 - MARGIN:
            found[name] = statistics.median(compared)
    return found


def smooth(candidates: list[dict[str, float]]) -> list[str]:
    """One of its candidates for each size, such that the sum of log ratios, and of MARGIN for each change from one size
    to the next, is least."""
    best = {name: (math.log(ratio), [name]) for name, ratio in candidates[0].items()}
    for here in candidates[1:]:
        step = {}
        for name, ratio in here.items():
            cost, path = min(((cost + (MARGIN if path[-1] != name else 0), path) for cost, path in best.values()),
                             key=lambda each: each[0])
            step[name] = (cost + math.log(ratio), path + [name])
        best = step
    return min(best.values(), key=lambda each: each[0])[1]


def decide(points: list[Point]) -> dict[tuple[int, str, int], str]:
    """(PEs, collective, bytes) -> algorithm. Points of one team and collective stand together, sizes rising."""
    winners = {}
    for (n_pes, collective), group in groupby(points, key=lambda p: p.key):
        members = list(group)
        chosen = smooth([challengers(p) for p in members])
        winners.update({(n_pes, collective, p.bytes): name for p, name in zip(members, chosen)})
    return winners
