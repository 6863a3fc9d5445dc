"""A section of the report, and helpers for all sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from markupsafe import Markup
from oshen_figures.page import picture as put_in

from ..cases.catalogue import base_of, kind_of
from ..results.rows import Key, Row, Table
from . import formats

LONG = 30  # rows of a table
FOLDED = ("pt2pt", "collectives", "sync", "all", "memory", "atomics", "apps", "threads")


class Section:
    """A heading with text, figures and tables."""

    def __init__(self, name: str, title: str, about: str = "") -> None:
        self.name, self.title, self.about = name, title, about
        self.figures: list[tuple[str, Markup, str]] = []  # caption, picture, command
        self.tables: list[tuple[str, list[str], list[list[str]], bool]] = []  # and whether it is unfolded

    def figure(self, caption: str, picture: str, command: str = "") -> None:
        """`command` repeats the measurement of the figure."""
        self.figures.append((caption, put_in(picture), command))

    def add(self, title: str, columns: list[str], rows: list[list[str]], unfolded: bool | None = None) -> None:
        """By default long tables are folded, and tables that repeat the figures of their section."""
        if rows:
            usual = len(rows) <= LONG and self.name not in FOLDED
            self.tables.append((title, columns, rows, usual if unfolded is None else unfolded))


def again(keys: Iterable[Key]) -> str:
    """The command that measures exactly these cases."""
    keys = list(keys)
    cases = ",".join(dict.fromkeys(base_of(key.case) for key in keys))
    pes = ",".join(map(str, sorted({key.pes for key in keys})))
    sizes = ",".join(map(str, sorted({key.size for key in keys if key.size})))
    more = f" --sizes {sizes}" if "," in sizes else ""
    return f"oshbench run '{cases}' -n {pes}{more}"


# ---- rows of a run

def sized(table: Table, axes: tuple[str, ...]) -> list[tuple[str, int]]:
    """Cases with several sizes."""
    sizes: dict[tuple[str, int], set[int]] = {}
    for rows in table.values():
        for key, row in rows.items():
            if row.axis in axes and row.unit == "ns" and key.size and not key.case.endswith("_local"):
                sizes.setdefault((key.case, key.pes), set()).add(key.size)
    return [case for case, of_case in sizes.items() if len(of_case) > 2]


def single(table: Table, axis: str) -> list[Key]:
    """Times of an axis without data, or of at most two sizes."""
    times = [key for key in formats.keys(table) if kind_of(key.case).axis == axis and row_of(table, key).unit == "ns"]
    count = Counter((key.case, key.pes) for key in times)
    return [key for key in times if count[key.case, key.pes] <= 2]


def titled(keys: list[Key], what: str, look) -> str:
    """A caption with what the rows of a figure have in common: their size, and their number of PEs."""
    sizes, counts = {key.size for key in keys}, {key.pes for key in keys}
    told = [what] + ([formats.size_of(keys[0])] if len(sizes) == 1 and 0 not in sizes else [])
    return ", ".join(told + ([look.pes(*counts)] if len(counts) == 1 else []))


def row_of(table: Table, key: Key) -> Row:
    return next(rows[key] for rows in table.values() if key in rows)


def add_values(section: Section, table: Table, keys: list[Key], title: str = "Values") -> None:
    """A table of every library in these cases."""
    names = list(table)
    section.add(title, ["case", "size", "PEs", *names],
                [[key.case, formats.size_of(key), str(key.pes), *[formats.quantity(table[n].get(key)) for n in names]]
                 for key in keys])
