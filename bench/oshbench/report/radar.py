"""One score per axis and library: its mean share of the best over the operations, with an interval. The sizes of an operation count as
one, by their median."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import numpy

from ..catalogue import RADAR, kind_of
from ..results import Key, Row, Table

FEWEST = 2  # operations of an axis
FAILED = 0.1  # the score of a wrong result or a crash
RESAMPLES = 200


@dataclass(frozen=True)
class Score:
    value: float
    low: float
    high: float
    operations: int


def scores(table: Table) -> dict[str, dict[str, Score]]:
    """Scores by axis, then library. Only cases of every library with the axis count, so that a missing case is no advantage."""
    found: dict[str, dict[str, Score]] = {}
    for axis in RADAR:
        names = [name for name, rows in table.items() if any(_counts(key, axis) for key in rows)]
        if len(names) < 2:
            continue
        common = set.intersection(*({key for key in table[name] if _counts(key, axis)} for name in names))
        if len({_operation(key) for key in common}) >= FEWEST:
            found[axis] = {name: _score(name, names, sorted(common), table) for name in names}
    return found


def _counts(key: Key, axis: str) -> bool:
    kind = kind_of(key.case)
    return kind.axis == axis and kind.radar and not key.case.endswith("_local")


def _operation(key: Key) -> tuple:
    """The PEs count, the size does not."""
    return key.case, key.pes


def _score(name: str, names: list[str], keys: list[Key], table: Table) -> Score:
    operations: dict[tuple, list[Key]] = {}
    for key in keys:
        operations.setdefault(_operation(key), []).append(key)
    value = _mean(operations, lambda key: _share(key, name, names, lambda row: row.median, table))
    draw = numpy.random.default_rng(1)
    drawn = [_mean(operations, lambda key: _share(key, name, names, lambda row: _again(row, draw), table))
             for _ in range(RESAMPLES)]
    low, high = numpy.quantile(drawn, [0.025, 0.975])
    return Score(value, float(low), float(high), len(operations))


def _again(row: Row, draw: numpy.random.Generator) -> float:
    return median(draw.choice(row.values, len(row.values)))


def _share(key: Key, name: str, names: list[str], value, table: Table) -> float:
    rows = {other: table[other][key] for other in names}
    if not rows[name].ok:
        return FAILED
    costs = {other: (1 / value(row) if row.higher_is_better else value(row)) for other, row in rows.items()
             if row.ok and value(row) > 0}
    return min(costs.values()) / costs[name] if name in costs else FAILED


def _mean(operations: dict[tuple, list[Key]], share) -> float:
    """The mean over operations of the median over their sizes."""
    return sum(median(share(key) for key in keys) for keys in operations.values()) / len(operations)
