# SPDX-License-Identifier: BSD-3-Clause
"""Information that readers of measurements need: the command, more processes than CPUs, load by other programs, fewer
samples than requested. Needs neither Matplotlib nor Jinja2."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

CROWDED = "‡"  # marks a number of processes that exceeds the number of CPUs


def count(n: int, cpus: int, one: str = "rank") -> str:
    """`2 ranks`, with a mark if there are more than CPUs."""
    return f"{n} {one}{'s' if n != 1 else ''}{mark(n, cpus)}"


def mark(n: int, cpus: int) -> str:
    return CROWDED if 0 < cpus < n else ""


def warnings(counts: list[int], cpus: int, load: float | None, what: str = "ranks") -> list[str]:
    """Lines for the top of a page: more processes than CPUs (which figures mark), and a machine with other load."""
    lines = []
    crowded = sorted({n for n in counts if mark(n, cpus)})
    if crowded:
        lines.append(f"{CROWDED} more {what} than CPUs ({', '.join(map(str, crowded))} on {cpus}): these also measure "
                     f"the scheduler")
    if load is not None and cpus and load > cpus:
        lines.append(f"the load was {load:.1f} on {cpus} CPUs: other programs were running")
    return lines


def samples(asked: int, got: int, what: str = "samples", why: str = "") -> str:
    """The number of samples, and the number requested if it differs."""
    because = f": {why}" if why else ""
    return f"{got} {what}" + (f" ({asked} requested{because})" if got != asked else "")


def command_line() -> str:
    """The command line of this run."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
