"""The definition of a profile: a list of parts, each one program with some cases on some numbers of PEs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .goals import Goal
from .launch import Effort
from .render import Grid
from .results import Table

KIB, MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Part:
    """In `pes` 0 means the number of CPUs."""

    program: str  # cases, threads, threads-single (at THREAD_SINGLE), stages, hello, limits, app:NAME, or a program of the profile
    pes: tuple[int, ...] = (2,)
    effort: Effort = field(default_factory=Effort)
    timeout: float = 120
    args: tuple[str, ...] = ()  # of an app
    rounds: int | None = None  # fewer than the profile's
    spinners: bool = True  # includes libraries that keep the CPU while they wait
    fixed: bool = False  # -n does not change the number of PEs


@dataclass(frozen=True)
class Page:
    """The page of docs/bench that `oshbench run PROFILE --record` writes. `tables` makes the tables after the goals."""

    title: str
    tables: Callable[[dict, Table], list[Grid]]
    about: str = ""
    notes: str = ""  # the page with explanations
    goals: tuple[Goal, ...] | Callable[[Table], list[Goal]] = ()
    steady: bool = False  # the rows have only the steady launches, of which one may be left

    def goals_of(self, table: Table) -> list[Goal]:
        return list(self.goals) if isinstance(self.goals, tuple) else self.goals(table)


@dataclass(frozen=True)
class Profile:
    about: str
    rounds: int
    parts: tuple[Part, ...]
    paper: str = ""  # the paper that it repeats: a key of published.py
    designs: bool = False  # adds Oshen restricted to each design of collectives
    page: Page | None = None
    campaign: Callable[[], type] | None = None  # the class that measures it, if not LibraryCampaign


def effort(cases: str, batches: int = 7, batch_us: int = 200, quick: bool = True, sizes: tuple[int, ...] = ()) -> Effort:
    return Effort(batches, batch_us, cases, quick, sizes)
