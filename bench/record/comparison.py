"""Tables that compare libraries, and machines."""

from __future__ import annotations

from statistics import median

from oshbench.cases.catalogue import kind_of
from oshbench.common.text import duration, ratio_text
from oshbench.libraries.spinning import spins
from oshbench.machine import properties
from oshbench.report.formats import size_of
from oshbench.report.grids import Grid, quantity
from oshbench.results.rows import OURS, Key, Row, Table, best, names_of
from oshbench.results.run import Run
from oshbench.statistics import matching

from . import limits
from .goals import Goal, table_of

MANY = 6  # a family with more cases than this has one row


def cases(table: Table, pes: int) -> Grid:
    """A row for each of our cases, with its smallest and its largest size, or one for a family of many cases."""
    ours = {key: row for key, row in table.get(OURS, {}).items() if key.pes == pes and row.ok and row.axis != "memory"}
    by_case: dict[str, list[Key]] = {}
    for key in sorted(ours, key=lambda key: key.size):
        by_case.setdefault(key.case, []).append(key)
    families: dict[str, list[str]] = {}
    for case in by_case:
        families.setdefault(_family(case), []).append(case)
    rows = []
    for family, members in families.items():
        keys = [key for case in members for key in by_case[case]]
        rows += [_family_row(table, family, keys)] if len(members) > MANY else [_case_row(table, by_case[case])
                                                                                for case in members]
    columns = ["case", "size", "limit", "ours", "best of the others", "ours / best", "largest", "limit", "ours",
               "best of the others", "ours / best", "description"]
    return f"Cases, {pes} PEs", columns, rows


def _family(case: str) -> str:
    front, dot, _ = case.partition(".")
    return f"{front}.*" if dot else case


def _case_row(table: Table, keys: list[Key]) -> list[str]:
    first, last = keys[0], keys[-1]
    return [f"`{first.case}`", size_of(first), *_cells(table, first), size_of(last) if last != first else "",
            *(_cells(table, last) if last != first else [""] * 4), kind_of(first.case).about]


def _cells(table: Table, key: Key) -> list[str]:
    peer, ours = best(table, key), table[OURS][key]
    theirs = f"{quantity(peer[1])} ({peer[0]}{' †' if spins(peer[0], key.pes) else ''})" if peer else "–"
    ratio = matching.ratio(ours, peer[1]) if peer else None
    return [duration(limits.of_row(table, key)), quantity(ours), theirs, ratio_text(ratio)]


def _family_row(table: Table, family: str, keys: list[Key]) -> list[str]:
    """The median of the ratios, and the worst ratio."""
    ratios = {key: ratio for key in keys if (peer := best(table, key))
              and (ratio := matching.ratio(table[OURS][key], peer[1]))}
    ours = [table[OURS][key] for key in keys]
    low, high = min(ours, key=lambda row: row.median), max(ours, key=lambda row: row.median)
    worst = max(ratios, key=lambda key: ratios[key], default=None)
    told = f"{len(ratios)} of {len(keys)}; worst {ratios[worst]:.2f}: `{worst.case}` {size_of(worst)}".strip(" –") \
        if worst else "–"
    middle = median(ratios.values()) if ratios else None
    return [f"`{family}`", f"{len(keys)} rows", "", f"{quantity(low)} … {quantity(high)}", told, ratio_text(middle),
            *[""] * 5,
            f"{kind_of(keys[0].case).about}; median of the ratios"]


def memory(table: Table, case: str) -> Grid:
    """Peak and proportional memory of each library at one stage."""
    rows = []
    for name in names_of(table):
        own = {key: row for key, row in table[name].items() if key.case in (f"memory.{case}.hwm",
                                                                            f"memory.{case}.pss")}
        by_metric = {key.case.rpartition(".")[2]: row for key, row in own.items()}
        if len(by_metric) == 2:
            rows.append([name, _mebibytes(by_metric["hwm"]), _mebibytes(by_metric["pss"]), str(next(iter(own)).pes)])
    return f"Memory: {case}", ["library", "VmHWM, worst PE", "PSS, mean", "PEs"], rows


def _mebibytes(row: Row) -> str:
    return f"{row.median / 1024:.2f} MiB"


def machines(runs: list[tuple[Run, Table]], goals: list[Goal]) -> list[Grid]:
    """The goals on every other machine with a record of the same profile. The first run is the page's own."""
    if len(runs) < 2:
        return []
    names = [[str(number), properties.name(run.machine), run.ours, "yes" if run.busy else "no", f"`{run.command}`"]
             for number, (run, _) in enumerate(runs, 1)]
    tables = [("Machines", ["", "machine", "our commit", "busy", "command"], names)]
    for number, (_, table) in enumerate(runs[1:], 2):
        title, columns, rows = table_of(goals, table)
        tables.append((f"{title} on machine {number}", columns, rows))
    return tables
