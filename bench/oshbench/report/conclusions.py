"""The verdicts of the report: by kind of operation, and by case."""

from __future__ import annotations

from .. import formats, judge, pairing, summary
from ..catalogue import AXES, kind_of
from ..judge import Verdict
from ..results import Table
from .section import Section

MOST_VERDICTS = 120  # shown unfolded


def by_axis(table: Table, base: str) -> tuple[list[str], list[list[str]]]:
    """A line per kind of operation: the time of `base` over that of each other library, and the counts of verdicts."""
    others = [name for name in table if name != base]
    floor = judge.floor(table)
    found = {name: judge.compare(summary.weighed(table[name]), table[base], (name, base), True, floor) for name in others}
    rows = []
    for axis, title in AXES.items():
        own = {name: [v for v in verdicts if kind_of(v.key.case).axis == axis] for name, verdicts in found.items()}
        if any(own.values()):
            rows.append([title, *[_share(own[name], axis) for name in others]])
    return ["kind of operation", *[f"{base} over {name}" for name in others]], rows


def _share(found: list[Verdict], axis: str) -> str:
    if not found:
        return "–"
    count = {word: sum(v.word == word for v in found) for word in pairing.MARKS}
    told = ", ".join(f"{count[word]} {word}" for word in pairing.MARKS if count[word])
    return f"{formats.share(summary.mean(found))} of the {'memory' if axis == 'memory' else 'time'} ({told})"


def verdicts(table: Table, base: str) -> Section:
    floor = judge.floor(table)
    section = Section("verdicts", "Verdicts", f"The ratio is the time of {base} over that of the other library; below 1 {base} is faster. “faster” and “slower” mean "
                      f"that the difference exceeds {max(judge.SMALLEST, floor):.1%}, by which a library differs from itself on this machine, "
                      "and that chance would show it in less than one table of twenty (p, corrected for all rows by Holm). "
                      "“inconclusive” means that more launches would decide, “same” that they would not change the result. Launches of "
                      "a round are compared with each other.")
    for name in table:
        if name == base:
            continue
        found = judge.compare(table[name], table[base], (name, base), True, floor)
        rows = [_line(v) for v in sorted(found, key=pairing._order)]
        section.add(f"{base} against {name}", ["verdict", "ratio", "description", "case", "size", "PEs", "95 % interval", "p"], rows,
                    unfolded=len(rows) <= MOST_VERDICTS)
    return section


def _line(verdict: Verdict) -> list[str]:
    """The verdict first, then its evidence."""
    _, case, size, pes, ratio, interval, p, words = pairing._row(verdict)
    return [words, ratio, kind_of(verdict.key.case).about, case, size, pes, interval, p]
