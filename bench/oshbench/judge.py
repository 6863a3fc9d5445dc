"""What the numbers allow to say: intervals for one library, and whether one is faster than the other.

The unit is the launch: batches of one launch share its luck (pages, placement), so that only launches are independent.
With few launches their spread is badly known; the spread of one row is therefore mixed with that of all rows of its axis
(a moderated t statistic), and all rows of a table are judged together (Holm). A difference counts only if it is also
larger than what the same library differs from itself here (the floor)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import numpy
from scipy import stats

from .results import Key, Row, Table

CONFIDENCE = 0.95
SMALLEST = 0.02  # a difference that nobody cares about
WIDEST = math.log1p(0.15)  # where a machine differs more from itself, nothing is the same
PRIOR = 4.0  # launches' worth of belief in the spread of the whole axis
RESAMPLES = 400
MOST_MORE = 99  # launches that anybody would add


@dataclass(frozen=True)
class Interval:
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Verdict:
    """`ratio` is the cost of `name` over that of `base`: below 1 is faster."""

    key: Key
    base: str
    name: str
    ratio: Interval
    p: float
    word: str  # faster, slower, same, inconclusive, wrong
    more: int = 0  # launches that would be needed, where it is inconclusive


def interval(row: Row, seed: int = 1) -> Interval:
    """The median of launches and its bootstrap interval: launches are drawn, then batches in each."""
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


def _logs(row: Row) -> dict[int, float]:
    """By round, the logarithm of the cost: of what should be large the inverse."""
    sign = -1 if row.higher_is_better else 1
    return {number: sign * math.log(value) for number, value in zip(row.rounds, row.values) if value > 0}


@dataclass
class _Difference:
    """How far two rows are apart, in logarithms, and how well that is known."""

    middle: float
    variance: float  # of one launch's difference
    free: int
    launches: float  # how many differences the middle is the mean of


def _difference(base: Row, other: Row, paired: bool) -> _Difference | None:
    a, b = _logs(base), _logs(other)
    common = sorted(a.keys() & b.keys())
    if paired and len(common) >= 2:
        steps = numpy.array([b[number] - a[number] for number in common])
        return _Difference(float(numpy.mean(steps)), float(numpy.var(steps, ddof=1)), len(steps) - 1, len(steps))
    x, y = numpy.array(list(a.values())), numpy.array(list(b.values()))
    if len(x) == 0 or len(y) == 0:
        return None
    free = len(x) + len(y) - 2
    spread = (((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum()) / free if free else 0.0
    return _Difference(float(y.mean() - x.mean()), 2 * float(spread), free, 2 / (1 / len(x) + 1 / len(y)))


def compare(base: dict[Key, Row], other: dict[Key, Row], names: tuple[str, str], paired: bool,
            floor: float = SMALLEST) -> list[Verdict]:
    """A verdict for every case that both have, in the order of `base`. `paired`: they were measured in one run, so that
    launches of a round saw the same machine."""
    keys = [key for key in base if key in other]
    found = {key: _difference(base[key], other[key], paired) for key in keys if base[key].ok and other[key].ok}
    known = {key: d for key, d in found.items() if d is not None}
    judged = any(d.free > 0 for d in known.values())  # one launch of each says nothing about how launches differ
    prior = _priors(known, base)
    tests = {key: _test(d, prior[base[key].axis]) for key, d in known.items()}
    adjusted = _holm({key: test[0] for key, test in tests.items()})
    verdicts = []
    for key in keys:
        if key not in known:
            verdicts.append(_without_ratio(key, names, base[key], other[key]))
            continue
        verdict = _judge(key, names, known[key], tests[key], adjusted[key], floor, len(known))
        verdicts.append(verdict if judged else replace(verdict, p=1, word="inconclusive", more=max(1, verdict.more)))
    return verdicts


def _without_ratio(key: Key, names: tuple[str, str], base: Row, other: Row) -> Verdict:
    """Of what is wrong, and of what is counted and was nothing, as the share that an overlap hides."""
    word = "base wrong" if not base.ok else "wrong" if not other.ok else "inconclusive" if any(base.values + other.values) else "same"
    return Verdict(key, *names, Interval(math.nan, math.nan, math.nan), 1, word, int(word == "inconclusive"))


def _priors(known: dict[Key, _Difference], rows: dict[Key, Row]) -> dict[str, float]:
    """The usual variance of an axis, wild rows included; never nothing."""
    by_axis: dict[str, list[float]] = {}
    for key, d in known.items():
        if d.free > 0:
            by_axis.setdefault(rows[key].axis, []).append(d.variance)
    everything = [v for found in by_axis.values() for v in found] or [0.05 ** 2]
    usual = {}
    for key in known:
        axis = rows[key].axis
        mine = by_axis.get(axis, [])
        usual[axis] = max(float(numpy.mean(mine if len(mine) >= 5 else everything)), 1e-6)
    return usual


def _test(d: _Difference, prior: float) -> tuple[float, float, float]:
    """p of no difference, half the width of the interval, and the standard deviation of a launch."""
    free = PRIOR + d.free
    variance = (PRIOR * prior + d.free * d.variance) / free
    error = math.sqrt(variance / d.launches)
    p = 2 * float(stats.t.sf(abs(d.middle) / error, free))
    return p, error * float(stats.t.ppf((1 + CONFIDENCE) / 2, free)), math.sqrt(variance)


def _holm(p: dict[Key, float]) -> dict[Key, float]:
    adjusted, largest = {}, 0.0
    for rank, key in enumerate(sorted(p, key=lambda k: p[k])):
        largest = max(largest, min(1.0, p[key] * (len(p) - rank)))
        adjusted[key] = largest
    return adjusted


def _judge(key: Key, names: tuple[str, str], d: _Difference, test: tuple[float, float, float], p: float,
           floor: float, rows: int) -> Verdict:
    _, half, spread = test
    ratio = Interval(math.exp(d.middle), math.exp(d.middle - half), math.exp(d.middle + half))
    edge = math.log1p(max(SMALLEST, floor))
    if p < 1 - CONFIDENCE and abs(d.middle) > edge:
        return Verdict(key, *names, ratio, p, "faster" if d.middle < 0 else "slower")
    if abs(d.middle) + half <= min(2 * edge, WIDEST):
        return Verdict(key, *names, ratio, p, "same")
    return Verdict(key, *names, ratio, p, "inconclusive", _needed(d, edge, spread, rows))


def _needed(d: _Difference, edge: float, spread: float, rows: int) -> int:
    """How many launches more would decide, if the middle stays where it is: that there is a difference, first of `rows` as Holm
    judges them, or that there is none. MOST_MORE if so many do not."""
    effect = abs(d.middle) / spread
    room = min(2 * edge, WIDEST) - abs(d.middle)
    for more in range(1, MOST_MORE):
        count = d.launches + more
        free = PRIOR + count - 1
        if abs(d.middle) > edge and 2 * float(stats.t.sf(effect * math.sqrt(count), free)) * rows < 1 - CONFIDENCE:
            return more
        if spread / math.sqrt(count) * float(stats.t.ppf((1 + CONFIDENCE) / 2, free)) <= room:
            return more
    return MOST_MORE


def floor(table: Table, only: str | None = None) -> float:
    """By how much a library differs from itself here: the 95th percentile over all cases, as a share. Launches of each row
    are halved in every way, or taken one against the other where there are less than four."""
    found: list[float] = []
    for name, rows in table.items():
        if only is None or name == only:
            for row in rows.values():
                found += _self_differences(list(_logs(row).values()))
    return float(math.expm1(numpy.quantile(found, 0.95))) if len(found) >= 10 else SMALLEST


def _self_differences(logs: list[float]) -> list[float]:
    if len(logs) < 4:
        return [abs(a - b) / math.sqrt(2) for a, b in combinations(logs, 2)]
    values = numpy.array(logs[:8])
    first, second = _halves(len(values))
    return list(numpy.abs(numpy.median(values[first], axis=1) - numpy.median(values[second], axis=1)))


@cache
def _halves(count: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """All ways to part so many launches in two, as places."""
    first = list(combinations(range(count), count // 2))
    second = [[i for i in range(count) if i not in chosen] for chosen in first]
    return numpy.array(first), numpy.array(second)
