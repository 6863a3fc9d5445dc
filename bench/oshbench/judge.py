"""Statistics: intervals for one library, and verdicts on two.

The unit is the launch. Batches of one launch share pages and placement, so only launches are independent. A few launches
estimate their spread badly. The spread of a row is therefore combined with that of all rows of its axis (a moderated t
statistic), and all rows of a table are judged together (Holm). A difference also has to exceed the floor: the difference
of the same library from itself on this machine."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import numpy
from scipy import stats

from . import samples
from .results import Key, Row, Table

CONFIDENCE = 0.95
SMALLEST = 0.02  # smaller differences do not matter
WIDEST = math.log1p(0.15)  # a larger interval is never "same"
PRIOR = 4.0  # weight of the spread of the whole axis, in launches
RESAMPLES = 400
MOST_MORE = 99  # more launches are not worth suggesting


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
    more: int = 0  # launches that would decide an inconclusive row


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


def _logs(row: Row) -> dict[int, float]:
    """The logarithm of the cost by round. The cost of a rate is its inverse."""
    sign = -1 if row.higher_is_better else 1
    return {number: sign * math.log(value) for number, value in zip(row.rounds, row.values) if value > 0}


@dataclass
class _Difference:
    """The difference of two rows in logarithms, and its precision."""

    middle: float
    variance: float  # of one launch
    free: int
    launches: float  # differences in the mean


def _difference(base: Row, other: Row, paired: bool) -> _Difference | None:
    pairs = [pair for pair in samples.matched(base, other) if min(pair) > 0] if paired else []
    if len(pairs) >= 2:
        sign = -1 if base.higher_is_better else 1
        steps = numpy.array([sign * math.log(b / a) for a, b in pairs])
        return _Difference(float(numpy.mean(steps)), float(numpy.var(steps, ddof=1)), len(steps) - 1, len(steps))
    a, b = _logs(base), _logs(other)
    x, y = numpy.array(list(a.values())), numpy.array(list(b.values()))
    if len(x) == 0 or len(y) == 0:
        return None
    free = len(x) + len(y) - 2
    spread = (((x - x.mean()) ** 2).sum() + ((y - y.mean()) ** 2).sum()) / free if free else 0.0
    return _Difference(float(y.mean() - x.mean()), 2 * float(spread), free, 2 / (1 / len(x) + 1 / len(y)))


def compare(base: dict[Key, Row], other: dict[Key, Row], names: tuple[str, str], paired: bool,
            floor: float = SMALLEST) -> list[Verdict]:
    """A verdict for every common case, in the order of `base`. `paired` rows are from one run, so that launches of a round met
    the same machine."""
    keys = [key for key in base if key in other]
    found = {key: _difference(base[key], other[key], paired) for key in keys if base[key].ok and other[key].ok}
    known = {key: d for key, d in found.items() if d is not None}
    judged = any(d.free > 0 for d in known.values())  # one launch each tells nothing about the spread
    prior = _priors(known, base)
    tests = {key: _test(d, prior[base[key].axis]) for key, d in known.items()}
    adjusted = _holm({key: test[0] for key, test in tests.items()})
    verdicts = []
    for key in keys:
        if key not in known:
            verdicts.append(_without_ratio(key, names, base[key], other[key]))
            continue
        verdict = _judge(key, names, known[key], tests[key], adjusted[key], floor, len(known))
        if paired and verdict.word in ("faster", "slower") and not samples.agree(base[key], other[key]):
            verdict = replace(verdict, word="inconclusive", more=1)  # most launches met different machines
        verdicts.append(verdict if judged else replace(verdict, p=1, word="inconclusive", more=max(1, verdict.more)))
    return verdicts


def _without_ratio(key: Key, names: tuple[str, str], base: Row, other: Row) -> Verdict:
    """For wrong rows, and for counts of zero, such as the hidden share of a transfer."""
    word = "base wrong" if not base.ok else "wrong" if not other.ok else "inconclusive" if any(base.values + other.values) else "same"
    return Verdict(key, *names, Interval(math.nan, math.nan, math.nan), 1, word, int(word == "inconclusive"))


def _priors(known: dict[Key, _Difference], rows: dict[Key, Row]) -> dict[str, float]:
    """The mean variance of an axis, at least 1e-6."""
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
    """The number of further launches that would decide, if the mean stays: for a difference as the first of `rows` rows in Holm's order,
    or for none. At most MOST_MORE."""
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
    """The difference of a library from itself: the 95th percentile over all cases, as a share. It compares all halves of the
    launches of a row, or single launches if there are less than four."""
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
    """All divisions of `count` launches into halves, as indices."""
    first = list(combinations(range(count), count // 2))
    second = [[i for i in range(count) if i not in chosen] for chosen in first]
    return numpy.array(first), numpy.array(second)
