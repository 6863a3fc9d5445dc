# SPDX-License-Identifier: BSD-3-Clause
"""The tables of docs/from-mpi.md, by call of MPI and by routine of OpenSHMEM, from docs/mpi_calls.def."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from api_spec import ROOT, Spec

SOURCE = ROOT / "docs/mpi_calls.def"
HEADERS = ("/usr/include/*/mpi/mpi.h", "/usr/lib/*/openmpi/include/mpi.h", "/usr/include/*/mpich/mpi.h")


@dataclass(frozen=True)
class Pair:
    heading: str
    mpi: tuple[str, ...]
    shmem: tuple[str, ...]
    note: str


def read(text: str) -> list[Pair]:
    pairs, heading = [], ""
    for line in text.splitlines():
        if line.startswith("["):
            heading = line.strip("[]")
        elif line and not line.startswith("#"):
            calls, routines, note = (cell.strip() for cell in line.split("|"))
            pairs.append(Pair(heading, tuple(calls.split(", ")), tuple(routines.split(", ")), note))
    return pairs


def quoted(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def by_mpi() -> str:
    parts: dict[str, list[str]] = {}
    for pair in read(SOURCE.read_text()):
        parts.setdefault(pair.heading, []).append(f"| {quoted(pair.mpi)} | {quoted(pair.shmem)} | {pair.note} |")
    return "\n\n".join(f"### {heading}\n\n| MPI | OpenSHMEM | what differs |\n|---|---|---|\n" + "\n".join(rows)
                       for heading, rows in parts.items())


def by_shmem() -> str:
    """Each routine once, in alphabetical order, with every call for which it may stand."""
    calls: dict[str, dict[str, None]] = {}
    for pair in read(SOURCE.read_text()):
        for routine in pair.shmem:
            calls.setdefault(routine, {}).update(dict.fromkeys(pair.mpi))
    rows = [f"| `{routine}` | {quoted(list(calls[routine]))} |" for routine in sorted(calls)]
    return "\n".join(["| OpenSHMEM | MPI |", "|---|---|", *rows])


def declared() -> str | None:
    """The text of an installed mpi.h."""
    return next((path.read_text(errors="replace") for pattern in HEADERS
                 for path in Path("/").glob(pattern.lstrip("/"))), None)


def problems(text: str, header: str | None) -> list[str]:
    """Names in the tables that do not exist. Calls of MPI are compared only where an mpi.h is installed."""
    spec = Spec.read()
    known = {f.name for f in spec.functions} | {row.generic for row in spec.rows if row.generic}
    found = []
    for pair in read(text):
        named = pair.shmem + tuple(re.findall(r"`(shmemx?_\w+)`", pair.note))
        found += [f"docs/mpi_calls.def: no such routine: {name}" for name in named if name not in known]
        found += [f"docs/mpi_calls.def: no such call of MPI: {name}" for name in pair.mpi
                  if header is not None and not re.search(rf"\b{name}\b", header)]
    return found
