"""The summary of a run: a few sentences for each other library."""

from __future__ import annotations

import math
from collections.abc import Iterable

from . import formats, judge, pairing
from .catalogue import kind_of
from .judge import Verdict
from .results import Key, Row, Table

NOISY = 0.1  # a floor that the summary mentions


def sentences(table: Table, base: str) -> list[str]:
    told = []
    floor = judge.floor(table)
    for name in (name for name in table if name != base):
        if found := judge.compare(weighed(table[name]), table[base], (name, base), True, floor):
            told.append(f"{base} against {name}: {_decided(found, table[base])} {_means(found, base, name)}{_worst(found)}")
    if told and floor > NOISY:
        told.append(f"This run was disturbed: the same library differs from itself by {floor:.0%}, and smaller differences do not "
                    "count. On a quiet machine more would be decided.")
    return told


def weighed(rows: dict[Key, Row]) -> dict[Key, Row]:
    """The rows without the composition of memory, which would count twice."""
    return {key: row for key, row in rows.items() if kind_of(key.case).axis != "memory" or kind_of(key.case).radar}


def mean(found: Iterable[Verdict]) -> float:
    """Geometric mean of the ratios."""
    ratios = [v.ratio.value for v in found if not math.isnan(v.ratio.value) and v.ratio.value > 0]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def _decided(found: list[Verdict], rows: dict) -> str:
    count = {word: sum(v.word == word for v in found) for word in pairing.MARKS}
    if count["inconclusive"] == len(found):
        once = max(len(rows[v.key].values) for v in found) < 2
        return f"nothing is decided in {len(found)} cases, " + ("one launch of each cannot tell luck from difference (-r 3)." if once else
                                                                "more launches are needed (-r).")
    open_cases = f", {count['inconclusive']} undecided (more launches, -r, would tell)" if count["inconclusive"] else ""
    wrong = f", wrong results in {count['wrong'] + count['base wrong']}" if count["wrong"] + count["base wrong"] else ""
    return (f"faster in {count['faster']}, as fast in {count['same']}, slower in {count['slower']} of {len(found)} cases"
            f"{open_cases}{wrong}.")


def _means(found: list[Verdict], base: str, name: str) -> str:
    """Time and memory separately."""
    times = mean(v for v in found if kind_of(v.key.case).axis != "memory")
    memory = mean(v for v in found if kind_of(v.key.case).axis == "memory")
    told = [] if math.isnan(times) else [f"{formats.share(times)} of the time of {name} ({_in_words(times)})"]
    told += [] if math.isnan(memory) else [f"{formats.share(memory)} of its memory" if told else f"{formats.share(memory)} of the memory of {name}"]
    return f"On the geometric mean {base} takes {' and '.join(told)}." if told else ""


def _in_words(times: float) -> str:
    if abs(math.log(times)) < math.log1p(judge.SMALLEST):
        return "as fast"
    return f"{1 / times:.1f} times as fast" if times < 1 else f"{times:.1f} times as slow"


def _worst(found: list[Verdict]) -> str:
    """The rows in which the other library is best, if any."""
    slower = sorted((v for v in found if v.word == "slower"), key=lambda v: -v.ratio.value)
    named = [f"{v.key.case}{' of ' + formats.size_of(v.key) if v.key.size else ''}, {v.key.pes} PEs ({v.ratio.value:.2f}×)"
             for v in slower[:3]]
    return f" Slowest beside it: {'; '.join(named)}." if named else ""
