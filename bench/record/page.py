"""The definition of a page of docs/bench."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from oshbench.report.grids import Grid
from oshbench.results.rows import Table
from oshbench.results.run import Run

from .goals import Goal


@dataclass(frozen=True)
class Page:
    """The page of docs/bench that `oshbench run PROFILE --record` writes. `tables` makes the tables after the goals."""

    title: str
    tables: Callable[[Run, Table], list[Grid]]
    about: str = ""
    notes: str = ""  # the page with explanations
    goals: tuple[Goal, ...] | Callable[[Table], list[Goal]] = ()
    divided: bool = False  # its tables are on a page of their own
    steady: bool = False  # the rows have only the steady launches, of which one may be left

    def goals_of(self, table: Table) -> list[Goal]:
        return list(self.goals) if isinstance(self.goals, tuple) else self.goals(table)
