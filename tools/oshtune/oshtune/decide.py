# SPDX-License-Identifier: BSD-3-Clause
"""Decides which algorithm wins. The incumbent, which the library would use now, stays unless another algorithm is
faster by more than noise. The rounds are compared in pairs, and the whole confidence interval must lie below the
margin. Neighbouring sizes then share an algorithm if that costs less than the margin."""

from __future__ import annotations

import math
import statistics
from itertools import groupby

from .points import Point

MARGIN = 0.03      # a smaller gain does not count
CONFIDENCE = 0.90  # probability that the true median ratio lies below the bound


def ratios(point: Point, name: str, reference: str) -> list[float]:
    """The time of `name` over that of `reference` in each round that measured both."""
    pairs = zip(point.samples.get(name, []), point.samples.get(reference, []))
    return [a / b for a, b in pairs if a is not None and b is not None and b > 0]


def upper_bound(values: list[float]) -> float:
    """The smallest order statistic that exceeds the true median with CONFIDENCE (sign test); infinite for too few
    values."""
    n, below = len(values), 0.0
    for rank, value in enumerate(sorted(values)):
        below += math.comb(n, rank) / 2 ** n  # probability that at most `rank` of n lie below the median
        if below >= CONFIDENCE:
            return value
    return math.inf


def median_of(point: Point, name: str) -> float:
    return statistics.median(s for s in point.samples[name] if s is not None)


def challengers(point: Point) -> dict[str, float]:
    """The incumbent, and the algorithms that beat it beyond noise, with their median ratios to it."""
    found = {point.incumbent: 1.0}
    for name in point.samples:
        compared = ratios(point, name, point.incumbent)
        if name != point.incumbent and compared and upper_bound(compared) < 1 - MARGIN:
            found[name] = statistics.median(compared)
    return found


def smooth(candidates: list[dict[str, float]]) -> list[str]:
    """Chooses a candidate for each size. It minimises the sum of the log ratios, plus MARGIN for each change of the
    algorithm from one size to the next."""
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
    """(PEs, collective, bytes) -> algorithm. `points` lists each team and collective together, by ascending size."""
    winners = {}
    for (n_pes, collective), group in groupby(points, key=lambda p: p.key):
        members = list(group)
        chosen = smooth([challengers(p) for p in members])
        winners.update({(n_pes, collective, p.bytes): name for p, name in zip(members, chosen)})
    return winners
