"""The results of the papers beside those of a run. Times of other machines cannot be compared; ratios and the order of
libraries can."""

from __future__ import annotations

from collections.abc import Iterable

from ..results import designs
from ..results.rows import FEWEST, Key, Table
from ..results.run import Run
from ..statistics.judge import Judgement
from . import formats
from .published import LIBRARIES

Rows = list[list[str]]
MAPPED = ("broadcast", "sum", "fcollect", "collect", "alltoall", "alltoalls", "barrier_all")
EVEN, UNDECIDED = "even", "undecided"


def libraries(table: Table, kinds: dict[str, str]) -> tuple[list[str], Rows]:
    """Each published row, our case on the most PEs, and the spread of both."""
    names = [name for name in table if kinds.get(name) == "shmem"]
    rows = []
    for label, *published in LIBRARIES["rows"]:
        case, size = LIBRARIES["cases"][label]
        key = max((k for n in names for k in table[n] if (k.case, k.size) == (case, size)), key=lambda k: k.pes,
                  default=None)
        measured = [table[name].get(key) if key else None for name in names]
        there, here = _spread(published), _spread([row.median if row and row.ok else None for row in measured])
        few = any(row and len(row.values) < FEWEST for row in measured)
        rows.append([label, *["–" if v is None else f"{v:g}" for v in published], _times(there),
                     f"{case}{' ' + formats.size_text(size) if size else ''}, {key.pes} PEs" if key else "not measured",
                     *[formats.quantity(row) for row in measured], _times(here), f"needs {FEWEST} launches" if few
                     else _compared(there, here)])
    return ["published", *LIBRARIES["columns"][1:], "spread", "here", *names, "spread", "what differs"], rows


def _spread(values: list[float | None]) -> float | None:
    known = [value for value in values if value]
    return max(known) / min(known) if len(known) > 1 else None


def _times(ratio: float | None) -> str:
    return f"{ratio:.1f}×" if ratio else "–"


def _compared(there: float | None, here: float | None) -> str:
    if there is None or here is None:
        return "nothing to compare"
    if max(there, here) / min(there, here) < 1.5:
        return "about as far apart"
    return "libraries are further apart here" if here > there else "libraries are closer here"


def collectives(run: Run, table: Table) -> tuple[list[str], Rows]:
    """The number of sizes that each design wins, and the result of the paper on its two designs."""
    judged = Judgement(designs.best(run, table))
    names = list(judged.table)
    columns = ["operation", "PEs", *[f"{design} wins" for design in names], EVEN, UNDECIDED,
               "one-sided against two-sided, beside the paper"]
    rows = []
    for case in MAPPED:
        for pes in sorted({key.pes for own in judged.table.values() for key in own if key.case == case}):
            keys = [key for key in formats.keys(judged.table) if (key.case, key.pes) == (case, pes)]
            won = list(filter(None, (_winner(judged, key, names) for key in keys)))
            two = list(filter(None, (_winner(judged, key, ("one-sided", "two-sided")) for key in keys)))
            if won:
                rows.append([case, str(pes), *[str(won.count(side)) for side in (*names, EVEN, UNDECIDED)],
                             _finding(case, pes, two if _enough(judged.table, keys) else [])])
    return columns, rows


def _winner(judged: Judgement, key: Key, among: Iterable[str]) -> str | None:
    """The winner by the verdict on the two best, if at least two were measured."""
    times = sorted((judged.table[design][key].median, design) for design in among
                   if key in judged.table.get(design, {}))
    if len(times) < 2:
        return None
    (_, first), (_, second) = times[:2]
    return {"faster": first, "same": EVEN}.get(judged.ahead(first, second, key), UNDECIDED)


def _enough(table: Table, keys: list[Key]) -> bool:
    """Whether the launches suffice for a sentence."""
    return all(len(rows[key].values) >= FEWEST for rows in table.values() for key in keys if key in rows)


def _finding(case: str, pes: int, won: list[str]) -> str:
    decided = [winner for winner in won if winner != UNDECIDED]
    if 2 * len(decided) <= len(won):
        return "too much is undecided" if won else f"needs {FEWEST} launches"
    mostly = 2 * won.count("two-sided") > len(won)
    if pes == 2 and case in ("collect", "broadcast", "alltoall", "sum"):
        return "the paper: one-sided never slower with two PEs; " + ("not so here" if "two-sided" in won
                                                                     else "so it is here")
    return "the paper: two-sided mostly faster; " + ("so it is here" if mostly else "not so here")


def choices(run: Run, table: Table) -> tuple[list[str], Rows]:
    """The time of Oshen's own choice over the best of its designs."""
    lost = designs.losses(run, table)
    sizes = sorted({key.size for key in lost if key.case in MAPPED})
    rows = [[case, str(pes), *[f"{lost[key]:.2f}" if (key := Key(case, size, pes)) in lost else "" for size in sizes]]
            for case in MAPPED for pes in sorted({key.pes for key in lost if key.case == case})]
    return ["operation", "PEs", *map(formats.size_text, sizes)], rows
