"""The page of the profile collectives, with our goals."""

from __future__ import annotations

from oshbench.common.text import duration, ratio_text, size_text
from oshbench.libraries.spinning import spins
from oshbench.measure.profile import KIB, MIB
from oshbench.measure.profiles.collectives import OPERATIONS, SIZES
from oshbench.report.grids import Grid, quantity
from oshbench.results.rows import OURS, Key, Table, best, names_of
from oshbench.results.run import Run
from oshbench.statistics import matching

from .. import limits
from ..goals import Goal, copies, time
from ..page import Page


def goal(label: str, case: str, size: int, pes: int, bound) -> Goal:
    return Goal(label, Key(case, size, pes), bound)


def micros(most: float):
    return time(f"≤ {most:g} µs", 1000 * most)


# Times were set before anything was built: as good as the best library, or half of its time. Where memory bandwidth
# decides, the goal is a number of copies by both PEs at once.
GOALS = (
    goal("barrier", "barrier_all", 0, 2, micros(0.17)),
    goal("sum 8 B", "sum", 8, 2, micros(0.21)),
    goal("sum 64 KiB", "sum", 64 * KIB, 2, micros(7)),
    goal("sum 1 MiB", "sum", MIB, 2, copies(1.6)),
    goal("broadcast 64 KiB", "broadcast", 64 * KIB, 2, micros(2.0)),
    goal("broadcast 1 MiB", "broadcast", MIB, 2, copies(1.1)),
    goal("broadcast 1 MiB, root keeps its dest", "broadcast_aset", MIB, 2, copies(0.6)),
    goal("fcollect 64 KiB", "fcollect", 64 * KIB, 2, micros(5)),
    goal("fcollect 1 MiB", "fcollect", MIB, 2, copies(2.1)),
    goal("alltoall 64 KiB", "alltoall", 64 * KIB, 2, micros(4)),
    goal("alltoall 1 MiB", "alltoall", MIB, 2, copies(2.2)),
    goal("barrier", "barrier_all", 0, 8, micros(10)),
    goal("sum 8 B", "sum", 8, 8, micros(10)),
    goal("sum 1 MiB", "sum", MIB, 8, micros(507)),
    goal("fcollect 1 MiB", "fcollect", MIB, 8, micros(2200)),
    goal("alltoall 1 MiB", "alltoall", MIB, 8, micros(1150)),
)


def tables(_: Run, table: Table) -> list[Grid]:
    counts = sorted({key.pes for key in table.get(OURS, {})})
    return [*(operations(table, pes) for pes in counts), bounds()]


def operations(table: Table, pes: int) -> Grid:
    """Back-to-back times of every library, and the ratio to the best; for single operations the ratio by mean over PEs
    and by span."""
    names = names_of(table)
    keys = [Key("barrier_all", 0, pes), *(Key(name, size, pes) for name in OPERATIONS for size in SIZES)]
    rows = [_row(table, names, key) for key in keys if any(key in table[name] for name in names)]
    columns = ["operation", "size", *(["limit"] if pes == 2 else []), *names, "ours / best", "by mean", "by span"]
    return f"{pes} PEs", columns, rows


def _row(table: Table, names: list[str], key: Key) -> list[str]:
    cells = [quantity(row) + (" †" if row and spins(name, key.pes) else "") for name in names
             for row in [table[name].get(key)]]
    limit = [duration(limits.of_row(table, key))] if key.pes == 2 else []
    ratios = [ratio_text(_ratio(table, Key(key.case + metric, key.size, key.pes)))
              for metric in ("", "_local", "_span")]
    return [key.case, size_text(key.size), *limit, *cells, *ratios]


def _ratio(table: Table, key: Key) -> float | None:
    ours, peer = table.get(OURS, {}).get(key), best(table, key)
    return matching.ratio(ours, peer[1]) if ours and peer else None


def bounds() -> Grid:
    rows = [[name, f"{count:g}", which] for name, (count, which) in limits.COPIES.items()]
    return "Limits of large operations on 2 PEs", ["operation", "copies of b bytes, by both PEs at once", "which"], rows


PAGES = {"collectives": Page("Collectives on one node", tables,
                             "`by mean` and `by span` are ratios of single operations: the mean over PEs, and the "
                             "last exit minus the first entry.", "collectives-notes.md", GOALS)}
