"""The fastest library by size and number of PEs."""

from __future__ import annotations

from .. import formats, judge
from ..results import Table

Cells = dict[tuple[int, int], tuple[str, float, bool]]


def cells(table: Table, case: str) -> Cells:
    """By size and PEs: the winner, the ratio of the next, and whether their intervals overlap."""
    found_cells = {}
    for key in formats.keys(table):
        found = sorted(((rows[key].median, name) for name, rows in table.items() if key in rows and rows[key].ok))
        if key.case == case and len(found) > 1:
            first, second = (judge.interval(table[name][key]) for _, name in found[:2])
            found_cells[key.size, key.pes] = (found[0][1], found[1][0] / found[0][0], first.high >= second.low)
    return found_cells


def fastest(table: Table, cases: tuple[str, ...]) -> tuple[list[str], list[list[str]]]:
    """A line per case and number of PEs, a column per size."""
    by_case = {case: cells(table, case) for case in cases}
    sizes = sorted({size for found in by_case.values() for size, _ in found})
    rows = [[case, str(pes), *[_told(found.get((size, pes))) for size in sizes]]
            for case, found in by_case.items() for pes in sorted({pes for _, pes in found})]
    return ["operation", "PEs", *map(formats.size_text, sizes)], rows


def _told(cell: tuple[str, float, bool] | None) -> str:
    if cell is None:
        return ""
    name, ahead, tied = cell
    return f"{name} =" if tied else f"{name} {ahead:.1f}×"
