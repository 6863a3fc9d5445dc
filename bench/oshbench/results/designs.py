"""The designs of collectives: one-sided (puts), two-sided (matched messages) and single-copy (access to the peers'
memory in place). Oshen chooses among algorithms of all three. Restricted to one design at a time, it shows the
difference of the designs
alone."""

from __future__ import annotations

from dataclasses import replace

from ..libraries.library import Library
from .rows import Key, Row, Table
from .run import Run

DESIGNS = ("one-sided", "two-sided", "single-copy")
OVER_MPI = ("ompi-shmem", "oshmpi")  # OpenSHMEM libraries whose collectives are those of an MPI (Open MPI: scoll/mpi)
# The algorithms of each design within a tenth of its best, over all sizes at 2, 4 and 8 PEs on 2 CPUs, by oshtune.
# Barriers move no data, so none is single-copy.
SETTINGS = {
    "one-sided": {"BROADCAST": "inline@64,linear-put@64k,binomial-put", "COLLECT": "inline@64,linear-put",
                  "FCOLLECT": "inline@512,linear-put", "ALLTOALL": "inline@64,linear-put", "ALLTOALLS": "linear-put",
                  "REDUCE": "central@2k,recursive-doubling-put@64k,ring-put"},
    "two-sided": {"SYNC": "dissemination-message", "BROADCAST": "knomial-message@64,linear-message",
                  "COLLECT": "recursive-doubling-message@2k,linear-message",
                  "FCOLLECT": "recursive-doubling-message@256,linear-message", "ALLTOALL": "linear-message",
                  "ALLTOALLS": "linear-message@64k,pairwise-message",
                  "REDUCE": "recursive-doubling-message@2k,linear-message@64k,rabenseifner-message"},
    "single-copy": {"BROADCAST": "push@64k,pull", "COLLECT": "push", "FCOLLECT": "push", "ALLTOALL": "push",
                    "ALLTOALLS": "push", "REDUCE": "partitioned"},
}
WITHOUT_DATA = ("barrier_all", "sync_all")


def variants(library: Library) -> list[Library]:
    """The same library, restricted to each design."""
    return [replace(library, name=f"{library.name}-{design}", variant_of=library.name, design=design,
                    env=library.env | {f"OSHEN_COLL_{name}": algorithms for name, algorithms in settings.items()})
            for design, settings in SETTINGS.items()]


def without_variants(run: Run, table: Table) -> Table:
    return {name: rows for name, rows in table.items() if not _note(run, name).get("variant_of")}


def of(run: Run, name: str) -> str:
    """The design of a library's collectives; "" if the run also has its variants. An unknown OpenSHMEM library counts
    as one-sided."""
    note = _note(run, name)
    if note.get("design"):
        return note["design"]
    if any(other.get("variant_of") == name for other in run.libraries.values()):
        return ""
    return "two-sided" if note.get("kind") == "mpi" or name in OVER_MPI else "one-sided"


def best(run: Run, table: Table, among: str = "") -> Table:
    """The fastest row of each case by design; only among the variants of `among`, if that is given."""
    best_of: Table = {design: {} for design in DESIGNS}
    for name, rows in table.items():
        design = of(run, name)
        if not design or among and _note(run, name).get("variant_of") != among:
            continue
        for key, row in rows.items():
            if row.ok and not (design == "single-copy" and key.case in WITHOUT_DATA) \
                and _faster(row, best_of[design].get(key)):
                best_of[design][key] = row
    return {design: rows for design, rows in best_of.items() if rows}


def members(run: Run, table: Table) -> dict[str, list[str]]:
    """The libraries of each design."""
    return {design: names for design in DESIGNS if (names := [name for name in table if of(run, name) == design])}


def losses(run: Run, table: Table) -> dict[Key, float]:
    """The time of a library by its own choice over that of its best design."""
    ratios = {}
    for name in {note["variant_of"] for note in run.libraries.values() if note.get("variant_of")} & table.keys():
        own = best(run, table, name)
        for key, row in table[name].items():
            rivals = [rows[key].median for rows in own.values() if key in rows]
            if row.ok and rivals:
                ratios[key] = row.median / min(rivals)
    return ratios


def _note(run: Run, name: str) -> dict:
    return run.libraries.get(name, {})


def _faster(row: Row, than: Row | None) -> bool:
    return than is None or row.median < than.median
