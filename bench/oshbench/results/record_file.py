"""The record of a run: the compact file beside a page of docs/bench. It has the machine, the commit, the libraries, and for every row the
median of each launch with their 95 % interval. Batches stay in the raw run. A record is read as a run with one batch per launch."""

from __future__ import annotations

import json
import re

from .results import Key, Row, Table

SCHEMA = "oshbench-record/1"
THREADS = re.compile(r"\.(t\d+|single)$")  # the suffix of a case for its number of threads
DIGITS = 5
LIBRARY = ("name", "kind", "version", "variant_of", "design", "env", "unusable")
HEAD = ("profile", "command", "date", "ours", "busy", "rounds", "load", "hosts", "placement", "machine")


def dump(saved: dict, table: Table) -> str:
    """The text of the record: JSON with a line for each family of cases."""
    head = {"schema": SCHEMA} | {key: saved[key] for key in HEAD if key in saved}
    head |= {"seconds": round(sum(launch.get("seconds", 0) for launch in saved["launches"])), "failures": _failures(saved)}
    lines = [f" {json.dumps(key)}: {_text(value)}" for key, value in head.items()]
    libraries = ",\n".join(f"  {json.dumps(name)}: {_text(_public(note))}" for name, note in saved["libraries"].items())
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


def _failures(saved: dict) -> list[list]:
    """Failed launches: library, program, PEs, ending, complete, round."""
    return [[launch["library"], launch["program"], launch["pes"], launch["ending"], launch["complete"], launch["round"]]
            for launch in saved["launches"] if launch["ending"] != "ok" or not launch["complete"]]


def _families(table: Table) -> list[dict]:
    """Cases that differ only in their threads are one family."""
    found: dict[str, dict] = {}
    rows: dict[Key, dict[str, Row]] = {}
    for library, own in table.items():
        for key, row in own.items():
            rows.setdefault(key, {})[library] = row
    for key, by_library in sorted(rows.items(), key=lambda item: (item[0].pes, item[0].size)):
        ending = THREADS.search(key.case)
        first = next(iter(by_library.values()))
        family = found.setdefault(THREADS.sub("", key.case), {"case": THREADS.sub("", key.case), "unit": first.unit, "how": {}, "rows": []})
        for library, row in by_library.items():
            family["how"].setdefault(library, row.how)
        family["rows"].append([ending[1] if ending else "", key.pes, key.size,
                               {library: _cell(row) for library, row in by_library.items()}])
    order = {THREADS.sub("", key.case): number for number, key in reversed(list(enumerate(rows)))}
    return sorted(found.values(), key=lambda family: order[family["case"]])


def _cell(row: Row) -> dict:
    from . import intervals  # imported here, because reading a record does not need NumPy
    cell: dict = {"median": _short(row.median)}
    if len(row.values) > 1:
        cell |= {"interval": [_short(end) for end in intervals.bounds(row)], "launches": [_short(value) for value in row.values]}
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


def expand(record: dict) -> dict:
    """The run that a record stands for."""
    launches: dict[tuple[str, int], dict] = {}
    for family in record["rows"]:
        for threads, pes, size, cells in family["rows"]:
            case = f"{family['case']}.{threads}" if threads else family["case"]
            for library, cell in cells.items():
                values = cell.get("launches", [cell["median"]])
                for index, number in enumerate(cell.get("rounds", range(len(values)))):
                    launch = launches.setdefault((library, number), _launch(library, number))
                    launch["records"].append(_entry(case, size, pes, family, library, cell, values, index))
    every = list(launches.values())
    every += [_launch(library, number) | {"program": program, "pes": pes, "ending": ending, "complete": complete}
              for library, program, pes, ending, complete, number in record["failures"]]
    if every:
        every[0]["seconds"] = record["seconds"]
    kept = {key: value for key, value in record.items() if key not in ("schema", "rows", "failures", "seconds")}
    return kept | {"launches": every, "finished": True}


def _launch(library: str, number: int) -> dict:
    return {"step": f"{number}/{library}", "round": number, "library": library, "program": "cases", "pes": 0, "ending": "ok",
            "complete": True, "seconds": 0, "said": "", "records": []}


def _entry(case: str, size: int, pes: int, family: dict, library: str, cell: dict, values: list[float], index: int) -> dict:
    found = {"case": case, "size": size, "pes": pes, "how": family["how"].get(library, ""), "unit": family["unit"], "count": 1,
             "ok": index >= cell.get("wrong", 0), "values": [values[index]], "switches": [0]}
    if not cell.get("steady", True):
        found["disturbed"] = True
    elif index == 0 and "disturbed" in cell:
        found["lost"] = cell["disturbed"]
    if "limits" in cell:
        found |= {"reference": cell["limit"], "reference_ns": [cell["limits"][index]]}
    return found | ({"extra": cell["extra"]} if "extra" in cell else {})
