"""The summary of a run: a few sentences for each other library, on times and on memory apart.

A sentence speaks of cases with at least FEWEST launches, and its ratio is the median of decided cases, each at its
smallest size."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median

from ..cases.catalogue import kind_of
from ..results.rows import FEWEST, Table
from ..statistics import judge
from ..statistics.judge import Judgement, Verdict
from . import formats

FEW = 3  # decided cases: fewer have no median
WORDS = {"time": ("faster", "as fast", "slower"), "memory": ("smaller", "as small", "larger")}


def sentences(table: Table, base: str, judged: Judgement | None = None) -> list[str]:
    judged = judged or Judgement(table)
    told = []
    for name in (name for name in table if name != base):
        verdicts = weighed(judged.of(name, base).values())
        for what in WORDS:
            own = [v for v in verdicts if _is(v, what)]
            if own:
                told.append(f"{base} against {name}, {what}: {_sentence(own, base, name, what)}")
    return told


def weighed(rulings: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts without the composition of memory, which would count twice."""
    return [v for v in rulings if _is(v, "time") or kind_of(v.key.case).radar]


def _is(verdict: Verdict, what: str) -> bool:
    return (kind_of(verdict.key.case).axis == "memory") == (what == "memory")


def _sentence(own: list[Verdict], base: str, name: str, what: str) -> str:
    enough = [v for v in own if v.launches >= FEWEST]
    wrong = sum(v.word in ("wrong", "base wrong") for v in own)
    told = f" Wrong results in {wrong}." if wrong else ""
    if not enough:
        most = max(v.launches for v in own)
        launches = f"{most} launch{'es' if most > 1 else ''}"
        return f"nothing is said from {launches} of {len(own)} cases; {FEWEST} are needed (-r {FEWEST}).{told}"
    if not any(v.decided for v in enough):
        return f"nothing is decided in {len(enough)} cases; more launches (-r) would tell.{told}"
    return f"{_counted(enough, what)}.{told}{_middle(enough, base, name, what)}{_worst(enough, what)}"


def _counted(rulings: list[Verdict], what: str) -> str:
    count = {word: sum(v.word == word for v in rulings) for word in ("faster", "same", "slower", "inconclusive")}
    words = ", ".join(f"{word} in {count[verdict]}" for word, verdict in zip(WORDS[what], ("faster", "same", "slower")))
    undecided = f"; {count['inconclusive']} are undecided (more launches, -r, would tell)" if count["inconclusive"] \
        else ""
    return f"{words} of {len(rulings)} cases{undecided}"


def middle(rulings: Iterable[Verdict]) -> tuple[float, float, float, int] | None:
    """The median ratio of decided cases, each at its smallest size and on the fewest PEs, the smallest and the largest
    of these ratios, and their number. None if they are too few."""
    first: dict[str, Verdict] = {}
    for verdict in sorted((v for v in rulings if v.decided and v.ratio.value > 0),
                          key=lambda v: (v.key.pes, v.key.size)):
        first.setdefault(verdict.key.case, verdict)
    ratios = [v.ratio.value for v in first.values()]
    return (median(ratios), min(ratios), max(ratios), len(ratios)) if len(ratios) >= FEW else None


def _middle(rulings: list[Verdict], base: str, name: str, what: str) -> str:
    told = middle(rulings)
    if told is None:
        return ""
    value, low, high, count = told
    return (f" Over the {count} decided cases, each at its smallest size, {base} takes {formats.share(value)} of the "
            f"{what} of {name} in the median{f' ({_in_words(value)})' if what == 'time' else ''}, "
            f"{formats.share(low)} to {formats.share(high)}.")


def _in_words(times: float) -> str:
    if abs(math.log(times)) < math.log1p(judge.SMALLEST):
        return "as fast"
    return f"{1 / times:.1f} times as fast" if times < 1 else f"{times:.1f} times as slow"


def _worst(rulings: list[Verdict], what: str) -> str:
    """The rows in which the other library is best, if any."""
    slower = sorted((v for v in rulings if v.word == "slower"), key=lambda v: -v.ratio.value)
    named = [f"{v.key.case}{' of ' + formats.size_of(v.key) if v.key.size else ''}, {v.key.pes} PEs "
             f"({v.ratio.value:.2f}×)"
             for v in slower[:3]]
    return f" {'Slowest' if what == 'time' else 'Largest'} beside it: {'; '.join(named)}." if named else ""
