"""Reduces a run to its record: the machine, the commit, the libraries, and for every row the median of each launch with
their 95 % interval. Batches stay in the raw run. oshbench.results.record_file reads a record."""

from __future__ import annotations

import json
import re

from oshbench.results.record_file import SCHEMA
from oshbench.results.rows import Key, Row, Table
from oshbench.results.run import Run
from oshbench.statistics import intervals

THREADS = re.compile(r"\.(t\d+|single)$")  # the suffix of a case for its number of threads
DIGITS = 5
LIBRARY = ("name", "kind", "version", "variant_of", "design", "env", "unusable")
HEAD = ("profile", "command", "date", "ours", "busy", "rounds", "load", "hosts", "placement", "machine")


def reduce(run: Run, table: Table) -> str:
    """The text of the record: JSON with a line for each family of cases."""
    entry = run.to_dict()
    head = {"schema": SCHEMA} | {key: entry[key] for key in HEAD if key in entry}
    head |= {"seconds": round(sum(launch.seconds for launch in run.launches)), "failures": _failures(run)}
    lines = [f" {json.dumps(key)}: {_text(value)}" for key, value in head.items()]
    libraries = ",\n".join(f"  {json.dumps(name)}: {_text(_public(note))}" for name, note in run.libraries.items())
    rows = ",\n".join(f"  {_text(family)}" for family in _families(table))
    return "{\n" + ",\n".join([*lines, f' "libraries": {{\n{libraries}\n }}', f' "rows": [\n{rows}\n ]']) + "\n}\n"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _public(note: dict) -> dict:
    """The note without folders of this machine."""
    kept = {field: note[field] for field in LIBRARY if note.get(field)}
    if "env" in kept:
        kept["env"] = {name: value.rpartition("/")[2] for name, value in kept["env"].items()}
    return kept


def _failures(run: Run) -> list[list]:
    """Failed launches: library, program, PEs, ending, complete, round."""
    return [[launch.library, launch.program, launch.pes, launch.ending, launch.complete, launch.round]
            for launch in run.launches if launch.failed]


def _families(table: Table) -> list[dict]:
    """Cases that differ only in their threads are one family."""
    families: dict[str, dict] = {}
    rows: dict[Key, dict[str, Row]] = {}
    for library, own in table.items():
        for key, row in own.items():
            rows.setdefault(key, {})[library] = row
    for key, by_library in sorted(rows.items(), key=lambda item: (item[0].pes, item[0].size)):
        ending = THREADS.search(key.case)
        first = next(iter(by_library.values()))
        family = families.setdefault(THREADS.sub("", key.case), {"case": THREADS.sub("", key.case), "unit": first.unit,
                                                                 "how": {}, "rows": []})
        for library, row in by_library.items():
            family["how"].setdefault(library, row.how)
        family["rows"].append([ending[1] if ending else "", key.pes, key.size,
                               {library: _cell(row) for library, row in by_library.items()}])
    order = {THREADS.sub("", key.case): number for number, key in reversed(list(enumerate(rows)))}
    return sorted(families.values(), key=lambda family: order[family["case"]])


def _cell(row: Row) -> dict:
    cell: dict = {"median": _short(row.median)}
    if len(row.values) > 1:
        cell |= {"interval": [_short(end) for end in intervals.bounds(row)],
                 "launches": [_short(value) for value in row.values]}
    if row.rounds != list(range(len(row.values))):
        cell["rounds"] = row.rounds
    if row.references:
        cell |= {"limit": row.reference, "limits": [_short(value) for value in row.references]}
    cell |= {name: count for name, count in (("wrong", row.failed), ("disturbed", row.disturbed)) if count}
    if not row.steady:
        cell["steady"] = False
    return cell | ({"extra": row.extra} if row.extra else {})


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
