"""The fastest library by size and number of PEs."""

from __future__ import annotations

from ..results.rows import Table
from ..statistics.judge import Judgement
from . import formats

Cells = dict[tuple[int, int], tuple[str, float, str]]
MARKS = {"faster": "", "same": "="}  # of a cell without a clear winner: even, or else undecided
UNDECIDED = "?"


def cells(judged: Judgement, case: str) -> Cells:
    """By size and PEs: the library with the best median, the ratio of the next, and the mark of the verdict on these
    two."""
    found_cells = {}
    table = judged.table
    for key in formats.keys(table):
        best = sorted((rows[key].median, name) for name, rows in table.items() if key in rows and rows[key].ok)
        if key.case == case and len(best) > 1:
            (first, name), (second, other) = best[:2]
            found_cells[key.size, key.pes] = (name, second / first if first else 1.0,
                                              MARKS.get(judged.ahead(name, other, key), UNDECIDED))
    return found_cells


def fastest(table: Table, cases: tuple[str, ...]) -> tuple[list[str], list[list[str]]]:
    """A line per case and number of PEs, a column per size."""
    judged = Judgement(table)
    by_case = {case: cells(judged, case) for case in cases}
    sizes = sorted({size for cells_of in by_case.values() for size, _ in cells_of})
    rows = [[case, str(pes), *[_lead(cells_of.get((size, pes))) for size in sizes]]
            for case, cells_of in by_case.items() for pes in sorted({pes for _, pes in cells_of})]
    return ["operation", "PEs", *map(formats.size_text, sizes)], rows


def _lead(cell: tuple[str, float, str] | None) -> str:
    if cell is None:
        return ""
    name, ahead, mark = cell
    return f"{name} {mark}" if mark else f"{name} {ahead:.1f}×"
