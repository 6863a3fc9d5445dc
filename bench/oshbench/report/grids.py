"""Numbers as text, and grids of text: on the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from oshen_tables import lines, paragraph

from ..common.text import duration
from ..results.rows import Row

LONG = 24  # characters of a cell: a longer one stands beside or below its row
Grid = tuple[str, list[str], list[list[str]]]  # title, columns, rows


def quantity(row: Row | None) -> str:
    """The median as a time, or as a count with its unit."""
    if row is None:
        return "–"
    if not row.ok:
        return "WRONG"
    if row.unit == "kB" and row.median >= 10_000:
        return f"{row.median / 1024:.3g} MiB"
    return duration(row.median) if row.unit == "ns" else f"{row.median:.4g} {row.unit}"


def interval(row: Row) -> str:
    """The 95 % interval of the median of launches, relative to it."""
    from ..statistics import intervals  # imported here, because a run does not need NumPy
    if len(row.values) < 2 or row.median == 0:
        return "–"
    low, high = (100 * (end / row.median - 1) for end in intervals.bounds(row))
    digits = next((d for d in range(3) if f"{low:+.{d}f}" != f"{high:+.{d}f}"), 0)
    return f"{low:+.{digits}f}…{high:+.{digits}f} %"


def print_grids(grids: Iterable[Grid]) -> None:
    for title, columns, rows in grids:
        print("\n".join(["", *paragraph(title), *lines(*_with_notes([columns, *rows]))]))


def _with_notes(rows: list[list[str]]) -> tuple[list[list[str]], list[str] | None]:
    """The rows without their last column, and that column as notes, if it has long texts."""
    if max(len(row[-1]) for row in rows) <= LONG:
        return rows, None
    return [row[:-1] for row in rows], [row[-1] for row in rows]


def markdown(grids: Iterable[Grid], heading: str = "##") -> str:
    parts = []
    for title, columns, rows in grids:
        lines = [f"{heading} {title}", "", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        parts.append("\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]))
    return "\n\n".join(parts) + "\n"
