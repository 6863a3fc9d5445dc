"""The difference of two libraries in one case, in logarithms of the cost, with its standard error.

The unit is the launch: batches of one launch share pages and placement, so only launches are independent. Each case is
judged by its own launches alone. In one run a launch is compared with the launch of the other library in the same
round, so a change of the machine between rounds cancels. Two runs are compared by the drift of the machine between them
(drift.py)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy

from ..results.rows import Row
from . import matching
from .drift import Drift

Numbers = float | numpy.ndarray
LEAST_SPREAD = 0.001  # of a launch, in logarithms: equal values of a rounded quantity are no proof of precision


@dataclass(frozen=True)
class Difference:
    """`middle` is positive if the other library costs more. `free` is 0 after one launch, whose error is unknown."""

    middle: float
    error: float  # of `middle`
    free: float  # degrees of freedom of `error`
    spread: float  # of the difference of one launch
    launches: float  # differences in the mean
    fixed: float = 0.0  # the part of the error that more launches do not reduce


def cost(row: Row) -> numpy.ndarray:
    """The logarithm of the cost of each launch. The cost of a rate is its inverse."""
    return (-1 if row.higher_is_better else 1) * numpy.log(numpy.asarray(row.values, float))


def in_one_run(base: Row, other: Row) -> Difference | None:
    """From the launches of each round. None if no two launches can be compared, or if a count is zero."""
    pairs = matching.matched(base, other)
    if not pairs or min(map(min, pairs)) <= 0:
        return None
    sign = -1 if base.higher_is_better else 1
    steps = sign * numpy.diff(numpy.log(pairs), axis=1)[:, 0]
    return _of(float(steps.mean()), _spread([steps]), len(steps) - 1, len(steps))


def of_two_runs(base: Row, other: Row, drift: Drift) -> Difference | None:
    """From the means of both runs, with the drift of the machine taken out. None if the machine was in another
    state."""
    if min(base.values + other.values, default=0) <= 0:
        return None
    trend = drift.of(base, other)
    if trend is None:
        return None
    a, b = (cost(row) - trend.beside(row) for row in (base, other))
    free = len(a) + len(b) - 2
    launches = 2 / (1 / len(a) + 1 / len(b))
    return _of(float(b.mean() - a.mean()) - trend.shift, math.sqrt(2) * _spread([a, b]), free, launches, trend.error)


def _spread(groups: list[numpy.ndarray]) -> float:
    """The pooled standard deviation of a launch."""
    free = sum(len(group) - 1 for group in groups)
    return math.sqrt(sum(((group - group.mean()) ** 2).sum() for group in groups) / free) if free else 0.0


def _of(middle: float, spread: float, free: int, launches: float, fixed: float = 0.0) -> Difference:
    spread = max(spread, LEAST_SPREAD)
    return Difference(middle, *precision(spread, free, launches, fixed), spread, launches, fixed)


def precision(spread: float, free: Numbers, launches: Numbers, fixed: float) -> tuple[Numbers, Numbers]:
    """The standard error of the mean, and its degrees of freedom (Welch and Satterthwaite; `fixed` is known)."""
    own = spread ** 2 / launches
    whole = own + fixed ** 2
    return numpy.sqrt(whole), free * (whole / own) ** 2
