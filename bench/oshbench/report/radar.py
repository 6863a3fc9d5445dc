"""One score per axis and library: its mean share of the best over the operations, with an interval. The sizes of an
operation count as one, by their median. Libraries are compared round by round."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

import numpy

from ..cases.catalogue import RADAR, kind_of
from ..results.rows import Key, Row, Table

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
    """Scores by axis, then library. Only cases of every library with the axis count, so that a missing case is no
    advantage."""
    by_axis: dict[str, dict[str, Score]] = {}
    for axis in RADAR:
        names = [name for name, rows in table.items() if any(_counts(key, axis) for key in rows)]
        if len(names) < 2:
            continue
        common = set.intersection(*({key for key in table[name] if _counts(key, axis)} for name in names))
        if len({_operation(key) for key in common}) >= FEWEST:
            by_axis[axis] = {name: _score(name, names, sorted(common), table) for name in names}
    return by_axis


def _counts(key: Key, axis: str) -> bool:
    kind = kind_of(key.case)
    return kind.axis == axis and kind.radar and not key.case.endswith("_local")


def _operation(key: Key) -> tuple:
    """The PEs count, the size does not."""
    return key.case, key.pes


def _score(name: str, names: list[str], keys: list[Key], table: Table) -> Score:
    operations: dict[tuple, list[numpy.ndarray]] = {}
    for key in keys:
        operations.setdefault(_operation(key), []).append(_shares({other: table[other][key] for other in names}, name))
    draw = numpy.random.default_rng(1)
    drawn = [_mean(operations, draw) for _ in range(RESAMPLES)]
    low, high = numpy.quantile(drawn, [0.025, 0.975])
    value = _mean(operations)
    return Score(value, float(min(low, value)), float(max(high, value)), len(operations))


def _shares(rows: dict[str, Row], name: str) -> numpy.ndarray:
    """The share in each round, in which all libraries met the same machine; that of the medians if they have no round
    in common."""
    if not rows[name].ok or 0 in rows[name].values:
        return numpy.array([FAILED])
    right = {other: row for other, row in rows.items() if row.ok and 0 not in row.values}
    rounds = sorted(set.intersection(*(set(row.rounds) for row in right.values())))
    sign = -1 if rows[name].higher_is_better else 1
    costs = {other: numpy.array([dict(zip(row.rounds, row.values))[number] for number in rounds] or [row.median],
                                float) ** sign
             for other, row in right.items()}
    return numpy.min(list(costs.values()), axis=0) / costs[name]


def _mean(operations: dict[tuple, list[numpy.ndarray]], draw: numpy.random.Generator | None = None) -> float:
    """The mean over operations of the median over their sizes of the median over rounds, which `draw` chooses anew."""
    def middle(shares: numpy.ndarray) -> float:
        return float(numpy.median(shares if draw is None else draw.choice(shares, len(shares))))
    return sum(median(middle(shares) for shares in all_shares) for all_shares in operations.values()) / len(operations)
