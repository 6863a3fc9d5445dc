"""The interval of one library in one case: the bootstrap over launches, and over the batches of each launch. The slope
of a line through several cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy
import scipy.stats

from ..results.rows import Row

CONFIDENCE = 0.95
RESAMPLES = 400


@dataclass(frozen=True)
class Interval:
    value: float
    low: float
    high: float


def interval(row: Row, seed: int = 1) -> Interval:
    """The median of launches with its bootstrap interval, by resampling launches and then batches."""
    batches = [numpy.asarray(batch, float) for batch in row.batches if batch]
    if not batches:
        return Interval(math.nan, math.nan, math.nan)
    draw = numpy.random.default_rng(seed)
    medians = numpy.stack([
        numpy.median(batch[draw.integers(0, len(batch), (RESAMPLES, len(batch)))], axis=1) for batch in batches],
                          axis=1)
    chosen = draw.integers(0, len(batches), (RESAMPLES, len(batches)))
    values = numpy.median(numpy.take_along_axis(medians, chosen, axis=1), axis=1)
    low, high = numpy.quantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(row.median, float(min(low, row.median)), float(max(high, row.median)))


def bounds(row: Row) -> tuple[float, float]:
    own = interval(row)
    return own.low, own.high


def slope(points: Sequence[tuple[float, float]]) -> Interval:
    """The slope of the least-squares line through the points, with its interval by Student's t: the less a line fits,
    the wider. Fewer than three points have no interval, and points at one place no slope."""
    x, y = numpy.asarray(points, float).T
    away, free = x - x.mean(), len(points) - 2
    if not away.any():
        return Interval(math.nan, math.nan, math.nan)
    value = float(away @ y / (away @ away))
    if free < 1:
        return Interval(value, value, value)
    rest = y - y.mean() - value * away
    reach = float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, free) * math.sqrt(rest @ rest / free / (away @ away)))
    return Interval(value, value - reach, value + reach)
