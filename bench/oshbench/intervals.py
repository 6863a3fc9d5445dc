"""The interval of one library in one case: the bootstrap over launches, and over the batches of each launch."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy

from .results import Row

CONFIDENCE = 0.95
RESAMPLES = 400


@dataclass(frozen=True)
class Interval:
    value: float
    low: float
    high: float


def interval(row: Row, seed: int = 1) -> Interval:
    """The median of launches with its bootstrap interval, by resampling launches and then batches."""
    batches = [numpy.asarray(found, float) for found in row.batches if found]
    if not batches:
        return Interval(math.nan, math.nan, math.nan)
    draw = numpy.random.default_rng(seed)
    medians = numpy.stack([
        numpy.median(found[draw.integers(0, len(found), (RESAMPLES, len(found)))], axis=1) for found in batches], axis=1)
    chosen = draw.integers(0, len(batches), (RESAMPLES, len(batches)))
    values = numpy.median(numpy.take_along_axis(medians, chosen, axis=1), axis=1)
    low, high = numpy.quantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(row.median, float(min(low, row.median)), float(max(high, row.median)))


def bounds(row: Row) -> tuple[float, float]:
    found = interval(row)
    return found.low, found.high
