"""Numbers as text, and grids of text: on the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from .results import Row

Grid = tuple[str, list[str], list[list[str]]]  # title, columns, rows

# With more processes than CPUs these libraries keep the CPU while they wait, so their rows measure time slices.
SPINNERS = ("mpich", "impi", "mvapich")
SPINNING = "† spins while it waits: with more processes than CPUs this is the length of time slices, not of the operation."


def spins(name: str, pes: int) -> bool:
    """Whether a library spins where PEs share CPUs."""
    return pes > 2 and name.startswith(SPINNERS)


def duration(ns: float | None) -> str:
    if ns is None:
        return "–"
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns" if ns < 100 else f"{ns:.0f} ns"


def ratio_text(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def size_text(size: int) -> str:
    if size == 0:
        return "–"
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB" if size >= 1024 else f"{size} B"


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
    from . import intervals  # imported here, because a run does not need NumPy
    if len(row.values) < 2 or row.median == 0:
        return "–"
    low, high = (100 * (end / row.median - 1) for end in intervals.bounds(row))
    digits = next((d for d in range(3) if f"{low:+.{d}f}" != f"{high:+.{d}f}"), 0)
    return f"{low:+.{digits}f}…{high:+.{digits}f} %"


def aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows)]
    return ["  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip() for row in rows]


def print_grids(found: Iterable[Grid]) -> None:
    for title, columns, rows in found:
        print("\n".join(["", title, *aligned([columns, *rows])]))


def markdown(found: Iterable[Grid], heading: str = "##") -> str:
    parts = []
    for title, columns, rows in found:
        lines = [f"{heading} {title}", "", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        parts.append("\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]))
    return "\n\n".join(parts) + "\n"
