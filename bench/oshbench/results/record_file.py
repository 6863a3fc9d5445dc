"""The record of a run: the compact file beside a page of docs/bench. It has the machine, the commit, the libraries, and
for every row the median of each launch with their 95 % interval. Batches stay in the raw run. A record is read as a run
with one batch
per launch."""

from __future__ import annotations

SCHEMA = "oshbench-record/1"


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
    return {"step": f"{number}/{library}", "round": number, "library": library, "program": "cases", "pes": 0,
            "ending": "ok", "complete": True, "seconds": 0, "said": "", "records": []}


def _entry(case: str, size: int, pes: int, family: dict, library: str, cell: dict, values: list[float],
           index: int) -> dict:
    entry = {"case": case, "size": size, "pes": pes, "how": family["how"].get(library, ""), "unit": family["unit"],
             "count": 1, "ok": index >= cell.get("wrong", 0), "values": [values[index]], "switches": [0]}
    if not cell.get("steady", True):
        entry["disturbed"] = True
    elif index == 0 and "disturbed" in cell:
        entry["lost"] = cell["disturbed"]
    if "limits" in cell:
        entry |= {"reference": cell["limit"], "reference_ns": [cell["limits"][index]]}
    return entry | ({"extra": cell["extra"]} if "extra" in cell else {})
