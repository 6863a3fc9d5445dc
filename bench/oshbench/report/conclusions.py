"""The verdicts of the report: by kind of operation, and by case."""

from __future__ import annotations

from ..cases.catalogue import AXES, kind_of
from ..results.rows import FEWEST
from ..statistics import judge
from ..statistics.judge import Judgement, Verdict
from . import formats, sentences, verdicts
from .section import Section

MOST_VERDICTS = 120  # shown unfolded


def by_axis(judged: Judgement, base: str) -> tuple[list[str], list[list[str]]]:
    """A line per kind of operation: the counts of verdicts, and the middle ratio of the decided cases."""
    others = [name for name in judged.table if name != base]
    verdicts = {name: sentences.weighed(judged.of(name, base).values()) for name in others}
    rows = []
    for axis, title in AXES.items():
        own = {name: [v for v in every if kind_of(v.key.case).axis == axis] for name, every in verdicts.items()}
        if any(own.values()):
            rows.append([title, *[_share(own[name], axis) for name in others]])
    return ["kind of operation", *[f"{base} over {name}" for name in others]], rows


def _share(rulings: list[Verdict], axis: str) -> str:
    if not rulings:
        return "–"
    told = verdicts.counted(rulings)
    middle = sentences.middle(v for v in rulings if v.launches >= FEWEST)
    if middle is None:
        return told
    what = "memory" if axis == "memory" else "time"
    return f"{told}; {formats.share(middle[0])} of the {what} in the median of {middle[3]}"


def section(judged: Judgement, base: str) -> Section:
    made = Section("verdicts", "Verdicts",
                   f"The ratio is the cost of {base} over that of the other library; below 1 {base} is better. Each "
                   f"case is "
                   "judged by its own launches, those of a round compared with each other. “faster” and “slower”: "
                   "less than one in twenty of the differences that a table shows is expected to be chance (p, "
                   "corrected by Benjamini and Hochberg for all times, or all "
                   f"memory, of the table), and the difference exceeds {judge.SMALLEST:.0%}. “same”: the whole "
                   f"interval lies within {judge.SAME:.0%} of 1. “inconclusive”: more launches would decide, if the "
                   f"mean stays.")
    for name in (name for name in judged.table if name != base):
        rows = [_line(v) for v in sorted(judged.of(name, base).values(), key=verdicts.order)]
        made.add(f"{base} against {name}", ["case", "verdict", "ratio", "95 % interval", "PEs", "p", "more launches",
                                            "description"], rows,
                 unfolded=len(rows) <= MOST_VERDICTS)
    return made


def _line(verdict: Verdict) -> list[str]:
    """The case, the verdict, then its evidence."""
    key = verdict.key
    known = verdict.has_ratio
    more = f"{verdict.more}" if verdict.more < judge.MOST_MORE else f"over {judge.MOST_MORE}"
    return [
        f"{key.case} {formats.size_of(key)}".removesuffix(" –"),
        verdicts.word_of(verdict),
        formats.share(verdict.ratio.value) if known else "–",
        formats.interval(verdict.ratio.low, verdict.ratio.high) if known else "–",
        str(key.pes),
        f"{verdict.p:.2g}" if known else "–",
        more if verdict.word == "inconclusive" else "",
        kind_of(key.case).about,
    ]
