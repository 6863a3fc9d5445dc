"""What the page concludes: by kind of operation, and case by case."""

from __future__ import annotations

from .. import contest, formats, in_short, judge
from ..catalogue import AXES, kind_of
from ..judge import Verdict
from ..results import Table
from .section import Section

MOST_VERDICTS = 120  # that are shown unfolded


def by_axis(table: Table, base: str) -> tuple[list[str], list[list[str]]]:
    """A line for each kind of operation: what `base` takes of the time of each other library, and how often it is ahead."""
    others = [name for name in table if name != base]
    floor = judge.floor(table)
    found = {name: judge.compare(in_short.weighed(table[name]), table[base], (name, base), True, floor) for name in others}
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
    return f"{formats.share(in_short.mean(found))} of the {'memory' if axis == 'memory' else 'time'} ({told})"


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
