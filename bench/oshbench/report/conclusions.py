"""What the page concludes: in sentences, by kind of operation, and case by case."""

from __future__ import annotations

import math

from .. import contest, formats, judge
from ..catalogue import AXES, kind_of
from ..judge import Verdict
from ..results import Table
from .section import Section

MOST_VERDICTS = 120  # that are shown unfolded
NOISY = 0.1  # a floor of differences that the summary must mention


def summary(table: Table, base: str) -> list[str]:
    """A sentence for each other library."""
    told = []
    floor = judge.floor(table)
    for name in table:
        if name == base:
            continue
        found = judge.compare(table[name], table[base], (name, base), True, floor)
        count = {word: sum(v.word == word for v in found) for word in contest.MARKS}
        if not found:
            continue
        told.append(f"{base} against {name}: faster in {count['faster']}, as fast in {count['same']}, slower in "
                    f"{count['slower']} of {len(found)} cases, {count['inconclusive']} undecided; on the geometric mean {base} takes "
                    f"{_middle(found):.2f} of the time, or memory, of {name}.{_worst(found)}")
    if told and floor > NOISY:
        told.append(f"This run was disturbed: the same library differs from itself by {floor:.0%}, and smaller differences count as "
                    "none. On a quiet machine more would be decided.")
    return told


def _worst(found: list[Verdict]) -> str:
    """Where the other one should be taken: what a reader looks for first."""
    slower = sorted((v for v in found if v.word == "slower"), key=lambda v: -v.ratio.value)
    named = [f"{v.key.case}{' of ' + formats.size_text(v.key.size) if v.key.size else ''}, {v.key.pes} PEs ({v.ratio.value:.2f}×)"
             for v in slower[:3]]
    return f" Slowest beside it: {'; '.join(named)}." if named else ""


def _middle(found: list[Verdict]) -> float:
    """Geometric mean of the ratios."""
    ratios = [v.ratio.value for v in found if not math.isnan(v.ratio.value) and v.ratio.value > 0]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def by_axis(table: Table, base: str) -> tuple[list[str], list[list[str]]]:
    """A line for each kind of operation: what `base` takes of the time of each other library, and how often it is ahead."""
    others = [name for name in table if name != base]
    floor = judge.floor(table)
    found = {name: judge.compare(table[name], table[base], (name, base), True, floor) for name in others}
    rows = []
    for axis, title in AXES.items():
        own = {name: [v for v in verdicts if kind_of(v.key.case).axis == axis] for name, verdicts in found.items()}
        if any(own.values()):
            rows.append([title, *[_share(own[name], axis) for name in others]])
    return ["kind of operation", *[f"{base} takes, of {name}" for name in others]], rows


def _share(found: list[Verdict], axis: str) -> str:
    if not found:
        return "–"
    count = {word: sum(v.word == word for v in found) for word in contest.MARKS}
    told = ", ".join(f"{count[word]} {word}" for word in contest.MARKS if count[word])
    return f"{_middle(found):.2f} of the {'memory' if axis == 'memory' else 'time'} ({told})"


def verdicts(table: Table, base: str) -> Section:
    floor = judge.floor(table)
    section = Section("verdicts", "Verdicts", f"The ratio is what {base} takes over what the other takes: below 1 {base} is faster. “faster” "
                      f"and “slower” stand only where the difference is larger than {max(judge.SMALLEST, floor):.1%}, by which a library "
                      "differs from itself on this machine, and would be seen by chance in less than one table of twenty (p, corrected "
                      "for all rows by Holm). “inconclusive”: more launches would tell; “same”: they would not change it. Launches of a "
                      "round are compared with each other.")
    for name in table:
        if name == base:
            continue
        found = judge.compare(table[name], table[base], (name, base), True, floor)
        rows = [_line(v) for v in sorted(found, key=contest._order)]
        section.add(f"{base} against {name}", ["verdict", "ratio", "what it is", "case", "size", "PEs", "95 % interval", "p"], rows,
                    unfolded=len(rows) <= MOST_VERDICTS)
    return section


def _line(verdict: Verdict) -> list[str]:
    """What everybody reads first, then what proves it."""
    _, case, size, pes, ratio, interval, p, words = contest._row(verdict)
    return [words, ratio, kind_of(verdict.key.case).about, case, size, pes, interval, p]
