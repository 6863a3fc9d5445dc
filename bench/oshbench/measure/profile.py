"""The definition of a profile: a list of parts, each one program with some cases on some numbers of PEs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..libraries.launch import Effort
from ..report.grids import Grid
from ..results.rows import Table
from ..results.run import Run

KIB, MIB = 1 << 10, 1 << 20


@dataclass(frozen=True)
class Part:
    """In `pes` 0 means the number of CPUs."""

    # cases, threads, threads-single (at THREAD_SINGLE), stages, hello, limits, app:NAME, or a program of the profile
    program: str
    pes: tuple[int, ...] = (2,)
    effort: Effort = field(default_factory=Effort)
    timeout: float = 120
    args: tuple[str, ...] = ()  # of an app
    rounds: int | None = None  # fewer than the profile's
    spinners: bool = True  # includes libraries that keep the CPU while they wait
    fixed: bool = False  # -n does not change the number of PEs


@dataclass(frozen=True)
class Profile:
    about: str
    rounds: int
    parts: tuple[Part, ...]
    designs: bool = False  # adds Oshen restricted to each design of collectives
    # printed after a run, if its campaign is not LibraryCampaign
    tables: Callable[[Run, Table], list[Grid]] | None = None
    campaign: Callable[[], type] | None = None  # the class that measures it, if not LibraryCampaign


def effort(cases: str, batches: int = 7, batch_us: int = 200, quick: bool = True,
           sizes: tuple[int, ...] = ()) -> Effort:
    return Effort(batches, batch_us, cases, quick, sizes)
