# SPDX-License-Identifier: BSD-3-Clause
"""What a reader of measurements must be told: how they were made, more processes than CPUs, others' load, fewer samples than
were asked for. Needs neither Matplotlib nor Jinja2."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

CROWDED = "‡"  # beside a number of processes that is larger than that of CPUs


def count(n: int, cpus: int, one: str = "rank") -> str:
    """`2 ranks`, with a mark where they are more than the CPUs."""
    return f"{n} {one}{'s' if n != 1 else ''}{mark(n, cpus)}"


def mark(n: int, cpus: int) -> str:
    return CROWDED if 0 < cpus < n else ""


def warnings(counts: list[int], cpus: int, load: float | None, what: str = "ranks") -> list[str]:
    """Lines for the top of a page: more processes than CPUs (which figures mark), and a machine that others used."""
    told = []
    crowded = sorted({n for n in counts if mark(n, cpus)})
    if crowded:
        told.append(f"{CROWDED} more {what} than CPUs ({', '.join(map(str, crowded))} on {cpus}): these also measure the scheduler")
    if load is not None and cpus and load > cpus:
        told.append(f"the load was {load:.1f} on {cpus} CPUs: other programs took part of them")
    return told


def samples(asked: int, got: int, what: str = "samples", why: str = "") -> str:
    """How many there are, and how many had been asked for if that was another number."""
    because = f": {why}" if why else ""
    return f"{got} {what}" + (f" ({asked} were asked for{because})" if got != asked else "")


def command_line() -> str:
    """This run, as the user typed it."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
