"""The goals of a profile, and whether a run reaches them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from oshbench.common.text import duration, ratio_text
from oshbench.report.grids import Grid, interval, quantity
from oshbench.results.rows import OURS, SOCKET, Key, Row, Table, best, is_peer
from oshbench.statistics import matching

from . import limits


@dataclass(frozen=True)
class Bound:
    """An upper bound. `value` returns the measured value in the unit of `at_most`, or None if the run has none;
    `in_unit` converts a time, or is None if the limit cannot be compared with the bound."""

    text: str
    at_most: float
    value: Callable[["Goal", Table], float | None]
    in_unit: Callable[["Goal", Table, float], float | None] | None = None


@dataclass(frozen=True)
class Goal:
    """A row of ours with its bound. `fallback` is the case of libraries that lack the routine. `limit` names a case of
    the limits program for a row without a reference, `same_memory` one of our cases that is the limit on the same
    pages."""

    label: str
    key: Key
    bound: Bound
    fallback: str = ""
    limit: str = ""
    same_memory: str = ""

    def row(self, table: Table, library: str = OURS) -> Row | None:
        rows = table.get(library, {})
        other = Key(self.fallback, self.key.size, self.key.pes)
        return rows.get(self.key) or (rows.get(other) if library != OURS and self.fallback else None)

    def plain(self, table: Table) -> Row | None:
        return table.get(OURS, {}).get(Key(self.same_memory, self.key.size, self.key.pes)) if self.same_memory else None

    def limit_ns(self, table: Table) -> float | None:
        plain = self.plain(table)
        if plain:
            return plain.median
        if self.limit:
            return limits.named(table, self.limit)
        bare = self.row(table, SOCKET)
        return bare.median if bare and bare.ok else limits.of_row(table, self.key)

    def to_limit(self, table: Table) -> float | None:
        """Ours over the limit, launch by launch if both are ours."""
        ours, plain, limit = self.row(table), self.plain(table), self.limit_ns(table)
        if ours is None or not limit:
            return None
        if plain:
            return median(value / bare for value, bare in matching.matched(ours, plain))
        return ours.median / limit if self.limit or ours.to_reference is None \
            else ours.to_reference / limits_in(ours, self.key)

    def best(self, table: Table, only_mpi: bool = False) -> tuple[str, Row] | None:
        names = [name for name in table if is_peer(name) and not (only_mpi and name.endswith("shmem"))]
        stand_ins = {name: {self.key: row} for name in names if (row := self.row(table, name)) is not None}
        return best(stand_ins, self.key)


def limits_in(row: Row, key: Key) -> float:
    """The limit in units of the reference."""
    return limits.copies(key.case) if row.reference == "copy_both" else 1.0


def time(text: str, ns: float) -> Bound:
    return Bound(text, ns, lambda goal, table: goal.row(table).median, lambda goal, table, limit: limit)


def times_limit(text: str, times: float) -> Bound:
    return Bound(text, times, lambda goal, table: goal.to_limit(table))


def copies(times: float) -> Bound:
    """In copies of the same size by both PEs at once, measured in the same run."""
    def value(goal: Goal, table: Table) -> float | None:
        row = goal.row(table)
        return row.to_reference if row.reference == "copy_both" else None
    return Bound(f"≤ {times:g} copies", times, value)


def times_library(name: str, text: str, times: float) -> Bound:
    def value(goal: Goal, table: Table) -> float | None:
        peer = goal.row(table, name)
        return matching.ratio(goal.row(table), peer) if peer else None
    return Bound(text, times, value)


def times_best(text: str, times: float = 1.0, only_mpi: bool = False) -> Bound:
    """In times of the best other library, or of the best MPI alone."""
    def value(goal: Goal, table: Table) -> float | None:
        peer = goal.best(table, only_mpi)
        return matching.ratio(goal.row(table), peer[1]) if peer else None

    def in_unit(goal: Goal, table: Table, limit: float) -> float | None:
        peer = goal.best(table, only_mpi)
        return limit / peer[1].median if peer else None
    return Bound(text, times, value, in_unit)


def limit_is_higher(goal: Goal, table: Table) -> bool:
    """Whether no library can reach the bound here. A time that ours falls below is no limit."""
    limit, bound = goal.limit_ns(table), goal.bound
    if limit is None or bound.in_unit is None or limit > goal.row(table).median:
        return False
    least = bound.in_unit(goal, table, limit)
    return least is not None and least > bound.at_most


def verdict(goal: Goal, table: Table) -> str:
    """Reached, missed by a factor, or the reason why the run cannot tell."""
    ours = goal.row(table)
    if ours is None:
        return "not measured"
    if not ours.ok:
        return "WRONG RESULT"
    value = goal.bound.value(goal, table)
    if value is None:
        return "nothing to compare with"
    if value <= goal.bound.at_most:
        return "reached"
    above = limit_is_higher(goal, table)
    return f"missed, {value / goal.bound.at_most:.2f}x" + (": the limit itself is higher here" if above else "")


def reached(goals: list[Goal], table: Table) -> int:
    return sum(verdict(goal, table) == "reached" for goal in goals)


COLUMNS = ["PEs", "goal", "ours", "interval", "limit here", "ours / limit", "best of the others", "ours / best",
           "bound", "verdict"]


def table_of(goals: list[Goal], table: Table) -> Grid:
    return "Goals", COLUMNS, [_cells(goal, table) for goal in goals if goal.row(table) is not None]


def _cells(goal: Goal, table: Table) -> list[str]:
    ours, peer = goal.row(table), goal.best(table)
    return [
        str(goal.key.pes), goal.label, quantity(ours), interval(ours), duration(goal.limit_ns(table)),
        ratio_text(goal.to_limit(table)),
        f"{quantity(peer[1])} ({peer[0]})" if peer else "–", ratio_text(matching.ratio(ours, peer[1]) if peer
                                                                        else None),
        goal.bound.text, verdict(goal, table),
    ]
