"""The drift of the machine between two runs, by the limits that were measured beside each batch.

A limit is the same loop without any library, in the same processes. Where a case has its limit in both runs, each
launch is divided by its own. Another timed case is corrected by the middle drift of all limits. Without any limit the
drift is unknown: the error of every time then has ALLOWED in it. Counts, such as memory, do not drift."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy

from ..cases.catalogue import higher_is_better
from ..results.rows import Key, Row
from .matching import ALIKE

RESIDUAL = 0.01  # a standard deviation in logarithms: what a limit leaves of the drift
ALLOWED = 0.05  # the same without any limit
FEWEST = 5  # cases with limits from which the middle is taken
TIMES = ("ns",)  # units


@dataclass(frozen=True)
class Correction:
    """`shift` is the logarithm of the drift, `error` its standard error; `divide` if each launch has its own limit."""

    shift: float
    error: float
    divide: bool = False

    def beside(self, row: Row) -> numpy.ndarray | float:
        return numpy.log(row.references) if self.divide else 0.0


@dataclass(frozen=True)
class Drift:
    """Between two runs: the drift of each limit, and their middle."""

    shifts: dict[Key, float] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        return len(self.shifts) >= FEWEST

    @property
    def middle(self) -> float:
        return float(numpy.median(list(self.shifts.values()))) if self.known else 0.0

    @property
    def error(self) -> float:
        """The drift of a single case may be any of those of the limits."""
        if not self.known:
            return ALLOWED
        apart = numpy.abs(numpy.array(list(self.shifts.values())) - self.middle)
        return max(RESIDUAL, 1.4826 * float(numpy.median(apart)))

    def of(self, base: Row, other: Row) -> Correction | None:
        """None if the limits of this case differ so much that the machine was in another state."""
        if not _drifts(base):
            return Correction(0.0, 0.0)
        if base.key in self.shifts:
            return Correction(0.0, RESIDUAL, True) if abs(self.shifts[base.key]) <= math.log(ALIKE) else None
        return Correction(self.middle, self.error)

    def text(self) -> str:
        if not self.known:
            return (f"the runs have no limits beside their batches, so a drift of the machine of {ALLOWED:.0%} is "
                    f"allowed for; measure both in "
                    "one run to see smaller differences")
        return f"the machine's own limits differ by {math.expm1(self.middle):+.1%} between the runs, which is taken out"


def between(base: dict[Key, Row], other: dict[Key, Row]) -> Drift:
    shifts = {}
    for key, row in base.items():
        if key in other and _limited(row) and _limited(other[key]) and row.reference == other[key].reference:
            shifts[key] = float(numpy.log(other[key].references).mean() - numpy.log(row.references).mean())
    return Drift(shifts)


def _limited(row: Row) -> bool:
    return row.unit in TIMES and bool(row.references) and min(row.references) > 0


def _drifts(row: Row) -> bool:
    return row.unit in TIMES or higher_is_better(row.unit)
