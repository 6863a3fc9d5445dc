"""Messages between hosts, one-sided beside two-sided. A form is a library with its way to send a message: "oshen
put_signal"."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from oshbench.common.text import size_text
from oshbench.report.grids import Grid, quantity
from oshbench.results.rows import Key, Table

if TYPE_CHECKING:
    from oshbench.statistics.judge import Judgement

ONE_SIDED = {"pp_signal": "put_signal", "pp_quiet": "put, quiet, flag"}
TWO_SIDED = {"pp_two_sided": "send, recv"}
FLOOR = {"pp_socket": "send, recv"}  # of a socket
ANY = "pp_any"  # the case of a message in any form


def is_message(key: Key) -> bool:
    return any(key.case in names for names in (ONE_SIDED, TWO_SIDED, FLOOR))


def tables(table: Table) -> list[Grid]:
    """Nothing if the run has no messages."""
    one, two = forms(table, ONE_SIDED), forms(table, TWO_SIDED)
    if not one and not two:
        return []
    from oshbench.statistics.judge import Judgement  # imported here, because a run does not need NumPy
    judged = Judgement(one | two)
    return [*([crossover(judged, list(one), list(two))] if one and two else []), fastest(judged.table),
            times(judged.table | forms(table, FLOOR))]


def forms(table: Table, names: dict[str, str]) -> Table:
    """The rows of these cases, by form instead of library."""
    by_form: Table = {}
    for library, rows in table.items():
        for key, row in rows.items():
            if key.case in names:
                anyhow = replace(key, case=ANY)
                by_form.setdefault(f"{library} {names[key.case]}", {})[anyhow] = replace(row, key=anyhow)
    return by_form


def crossover(judged: Judgement, one: list[str], two: list[str]) -> Grid:
    """For each one-sided form the sizes at which it is faster than each two-sided form, and than the best of these."""
    rivals = [[name] for name in two] + ([two] if len(two) > 1 else [])
    counts = sorted({key.pes for rows in judged.table.values() for key in rows})
    rows = [[str(pes), name, *(faster(judged, name, names, pes) for names in rivals)]
            for pes in counts for name in one if any(key.pes == pes for key in judged.table[name])]
    columns = ["hosts", "one-sided", *two, *(["the fastest of these"] if len(two) > 1 else [])]
    return "Message sizes at which one-sided is faster than two-sided", columns, rows


def faster(judged: Judgement, name: str, rivals: list[str], pes: int) -> str:
    """The sizes at which the form is faster than the best of these."""
    ahead: dict[int, bool] = {}
    for key, row in judged.table[name].items():
        others = [(judged.table[rival][key].median, rival) for rival in rivals if key in judged.table[rival]
                  and judged.table[rival][key].ok]
        if key.pes == pes and row.ok and others:
            best, rival = min(others)
            ahead[key.size] = row.median < best and judged.ahead(name, rival, key) == "faster"
    return ranges(ahead)


def ranges(ahead: dict[int, bool]) -> str:
    """The sizes that are ahead: "from 4 KiB", or "8 B to 512 B, from 1 MiB"."""
    sizes = sorted(ahead)
    runs = [list(run) for wins, run in groupby(sizes, ahead.__getitem__) if wins]
    if not runs:
        return "no size" if sizes else "–"
    return "all sizes" if runs == [sizes] else ", ".join(_range(run, sizes[-1]) for run in runs)


def _range(run: list[int], largest: int) -> str:
    first, last = size_text(run[0]), size_text(run[-1])
    return f"from {first}" if run[-1] == largest else first if first == last else f"{first} to {last}"


def fastest(both: Table) -> Grid:
    from oshbench.report import crossings  # imported here, because a run does not need NumPy
    columns, rows = crossings.fastest(both, (ANY,))
    title = "The fastest message, and how many times as fast as the next"
    return title, ["hosts", *columns[2:]], [row[1:] for row in rows]


def times(both: Table) -> Grid:
    keys = sorted({key for rows in both.values() for key in rows}, key=lambda key: (key.pes, key.size))
    rows = [[str(key.pes), size_text(key.size), *(quantity(own.get(key)) for own in both.values())] for key in keys]
    return "Messages, one way", ["hosts", "size", *both], rows
