"""The scaling of the mini-apps with the best synchronisation for each number of PEs, and their share of
communication."""

from __future__ import annotations

from dataclasses import dataclass

from ..cases.app_names import app_of, sync_of, variant_of
from ..results.rows import Key, Row, Table
from ..statistics import intervals
from ..statistics.intervals import Interval
from . import formats

COMPUTE = "compute"  # all other phases are communication


@dataclass(frozen=True)
class Point:
    """One library on some PEs: its best synchronisation, and its work per second over that of one PE."""

    pes: int
    way: str
    seconds: float
    times: Interval
    communication: float  # share of the time


def series(table: Table, app: str) -> dict[str, dict[str, list[Point]]]:
    """By variant (strong, weak, with threads: strong.t2), then by library, if several numbers of PEs were run."""
    found: dict[str, dict[str, list[Point]]] = {}
    for name, rows in table.items():
        for variant in dict.fromkeys(variant_of(key.case) for key in rows if app_of(key.case) == app):
            best = _best(rows, app, variant)
            if len(best) > 1:
                first = best[min(best)]
                found.setdefault(variant, {})[name] = [_point(pes, best[pes], first) for pes in sorted(best)]
    return found


def _best(rows: dict[Key, Row], app: str, variant: str) -> dict[int, Row]:
    best: dict[int, Row] = {}
    for key, row in rows.items():
        if app_of(key.case) == app and variant_of(key.case) == variant and row.ok and _work(row):
            if key.pes not in best or row.median < best[key.pes].median:
                best[key.pes] = row
    return best


def _work(row: Row) -> float:
    """Work in units of the figure of merit, which is work over time of the first launch."""
    return row.extra.get("merit", 0) * row.values[0]


def _point(pes: int, row: Row, first: Row) -> Point:
    """`first` has the fewest PEs and is the base."""
    one = _work(first) / first.median / first.key.pes
    seconds = intervals.interval(row)
    times = Interval(*(_work(row) / value / one for value in (seconds.value, seconds.high, seconds.low)))
    phases = row.extra.get("phases", {})
    total = sum(phases.values())
    share = 1 - phases.get(COMPUTE, 0) / total if total else 0.0
    return Point(pes, sync_of(row.key.case), row.median / 1e9, times, share)


def rows_of(app: str, by_variant: dict[str, dict[str, list[Point]]]) -> list[list[str]]:
    """A line per point. Efficiency is the work of a PE over that of a single PE."""
    return [[app, variant, name, str(p.pes), p.way, f"{p.seconds:.3g} s",
             f"{formats.with_interval(p.times.value, p.times.low, p.times.high)}",
             f"{p.times.value / p.pes:.0%}", f"{p.communication:.0%}"]
            for variant, libraries in by_variant.items() for name, points in libraries.items() for p in points]


COLUMNS = ["app", "scaling", "library", "PEs", "best way", "time", "work in a second, over one PE", "efficiency",
           "communication"]
