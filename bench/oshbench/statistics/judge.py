"""Verdicts on two libraries, case by case. Tables, sentences, maps and the gate all take their verdicts from here.

A case is decided by its own launches (differences.py). It is "faster" or "slower" if a t test finds a difference,
corrected for all cases of its table (times and counts of memory are two tables), and if the difference is above
SMALLEST. It is "same" only if the whole interval lies within the margin SAME: two one-sided tests. All else is
"inconclusive".

The correction is that of Benjamini and Hochberg: of the differences that a table shows, at most one in twenty is
expected to be chance. In a table without any difference, chance shows one in at most one table of twenty. Holm's
correction would promise the latter for every table, but with five launches it leaves differences of several times
undecided in tables of
hundreds of
cases."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy
from scipy import stats

from ..results.rows import Key, Row, Table
from . import differences, matching
from .differences import Difference
from .drift import Drift
from .intervals import CONFIDENCE, Interval

SMALLEST = 0.02  # smaller differences do not matter
SAME = 0.05  # the margin of "same"
LARGEST = 9.0  # a logarithm: two launches may show no difference at all
FEWEST_OF_A_RATIO = 3  # launches: fewer have no spread that could be shown beside it
MOST_MORE = 99  # more launches are not worth suggesting
UNKNOWN = Interval(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Verdict:
    """`ratio` is the cost of `name` over that of `base`: below 1 is faster. Its interval is that of this case alone,
    `p` is corrected for all cases. `floor` is the smallest difference that the launches of this case can show."""

    key: Key
    base: str
    name: str
    ratio: Interval
    p: float
    word: str  # faster, slower, same, inconclusive, wrong, base wrong
    more: int = 0  # launches that would decide an inconclusive row
    launches: int = 0  # of the library that has fewer
    floor: float = math.nan

    @property
    def decided(self) -> bool:
        return self.word in ("faster", "slower", "same")

    @property
    def has_ratio(self) -> bool:
        """Whether the ratio may be shown."""
        return self.launches >= FEWEST_OF_A_RATIO and not math.isnan(self.ratio.value)


class Judgement:
    """The verdicts of a table. Each pair of libraries is judged once, over all its cases."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._verdicts: dict[tuple[str, str], dict[Key, Verdict]] = {}

    def of(self, base: str, name: str) -> dict[Key, Verdict]:
        if (base, name) not in self._verdicts:
            verdicts = compare(self.table[base], self.table[name], (base, name))
            self._verdicts[base, name] = {verdict.key: verdict for verdict in verdicts}
        return self._verdicts[base, name]

    def ahead(self, name: str, other: str, key: Key) -> str:
        """The verdict on `name`, which has the better median, against `other`."""
        verdict = self.of(*sorted((name, other)))[key]
        if verdict.word not in ("faster", "slower"):
            return verdict.word
        return "faster" if (verdict.word == "faster") == (verdict.name == name) else "slower"


def compare(base: dict[Key, Row], other: dict[Key, Row], names: tuple[str, str], drift: Drift
            | None = None) -> list[Verdict]:
    """A verdict for every common case, in the order of `base`. Without `drift` both are of one run."""
    keys = [key for key in base if key in other]
    known = {key: difference for key in keys if base[key].ok and other[key].ok
             and (difference := _difference(base[key], other[key], drift))}
    judged = {key: difference for key, difference in known.items() if difference.free > 0}
    tables = [[key for key in judged if (base[key].axis == "memory") == memory] for memory in (False, True)]
    decided = {verdict.key: verdict for table in tables
               for verdict in _judge_table({key: judged[key] for key in table}, names)}
    return [_finished(key, names, base[key], other[key], decided.get(key), known.get(key), drift) for key in keys]


def _difference(base: Row, other: Row, drift: Drift | None) -> Difference | None:
    return differences.in_one_run(base, other) if drift is None else differences.of_two_runs(base, other, drift)


def _judge_table(by_case: dict[Key, Difference], names: tuple[str, str]) -> list[Verdict]:
    if not by_case:
        return []
    middle, error, free = (numpy.array([getattr(d, field) for d in by_case.values()])
                           for field in ("middle", "error", "free"))
    adjusted = benjamini_hochberg(2 * stats.t.sf(numpy.abs(middle) / error, free))
    half = error * stats.t.ppf((1 + CONFIDENCE) / 2, free)
    # for one more difference
    strictness = len(by_case) / min(len(by_case), 1 + int(numpy.sum(adjusted < 1 - CONFIDENCE)))
    floor = error * stats.t.ppf(1 - (1 - CONFIDENCE) / 2 / strictness, free)
    return [_judge(key, names, by_case[key], *numbers, strictness)
            for key, *numbers in zip(by_case, adjusted, half, floor)]


def _judge(key: Key, names: tuple[str, str], d: Difference, p: float, half: float, floor: float,
           strictness: float) -> Verdict:
    half = min(half, 2 * LARGEST)
    ratio = Interval(*(math.exp(end) for end in (d.middle, d.middle - half, d.middle + half)))
    word, more = "inconclusive", 0
    if p < 1 - CONFIDENCE and abs(d.middle) > math.log1p(SMALLEST):
        word = "faster" if d.middle < 0 else "slower"
    elif abs(d.middle) + half <= math.log1p(SAME):
        word = "same"
    else:
        more = needed(d, strictness)
    return Verdict(key, *names, ratio, float(p), word, more, floor=max(SMALLEST, math.expm1(min(floor, LARGEST))))


def _finished(key: Key, names: tuple[str, str], base: Row, other: Row, decided: Verdict | None, known: Difference
              | None, drift: Drift | None) -> Verdict:
    """The verdict with its number of launches, or that of a row that could not be judged."""
    launches = min(len(base.values), len(other.values))
    if decided is None:
        ratio = UNKNOWN if known is None else Interval(math.exp(known.middle), math.nan, math.nan)
        word = _without_difference(base, other)
        return Verdict(key, *names, ratio, 1.0, word, max(1, FEWEST_OF_A_RATIO - launches) if word == "inconclusive"
                       else 0, launches)
    contradicted = drift is None and decided.word in ("faster", "slower") and not matching.agree(base, other)
    # most launches met different machines
    word, more = ("inconclusive", 1) if contradicted else (decided.word, decided.more)
    return Verdict(key, *names, decided.ratio, decided.p, word, more, launches, decided.floor)


def _without_difference(base: Row, other: Row) -> str:
    """For wrong rows, rows of one launch, and counts of zero, such as the hidden share of a transfer."""
    if not base.ok or not other.ok:
        return "base wrong" if not base.ok else "wrong"
    zeros = min(len(base.values), len(other.values)) > 1 and not any(base.values + other.values)
    return "same" if zeros else "inconclusive"


def benjamini_hochberg(p: numpy.ndarray) -> numpy.ndarray:
    """Each p for all tests together: the expected share of chance among the tests with this p or a smaller one."""
    order = numpy.argsort(p)
    shares = p[order] * len(p) / numpy.arange(1, len(p) + 1)
    adjusted = numpy.empty(len(p))
    adjusted[order] = numpy.minimum.accumulate(numpy.minimum(1.0, shares)[::-1])[::-1]
    return adjusted


def needed(d: Difference, strictness: float) -> int:
    """The number of further launches that would decide, if the mean stays: for a difference whose p times `strictness`
    is small, or for none. At most MOST_MORE."""
    more = numpy.arange(1, MOST_MORE)
    count = d.launches + more
    error, free = differences.precision(d.spread, d.free * (count - 1) / max(d.launches - 1, 1), count, d.fixed)
    different = (2 * stats.t.sf(abs(d.middle) / error, free) * strictness < 1
                 - CONFIDENCE) & (abs(d.middle) > math.log1p(SMALLEST))
    alike = abs(d.middle) + error * stats.t.ppf((1 + CONFIDENCE) / 2, free) <= math.log1p(SAME)
    decided = numpy.flatnonzero(different | alike)
    return int(more[decided[0]]) if len(decided) else MOST_MORE
