"""The file of a run, `oshbench/1`: everything that was measured, launch by launch, and what is needed to trust it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from .catalogue import bandwidth, higher_is_better, kind_of
from .samples import summarise

SCHEMA = "oshbench/1"


class Unreadable(RuntimeError):
    """A file that is none of ours."""


@dataclass(frozen=True, order=True)
class Key:
    case: str
    size: int
    pes: int


@dataclass
class Row:
    """What one library did in one case: the value of each launch, and of every batch."""

    key: Key
    unit: str
    how: str
    values: list[float]  # one for each launch: the median of its batches
    rounds: list[int]  # in which round each was made
    batches: list[list[float]]
    failed: int = 0
    to_reference: float | None = None
    reference: str | None = None
    reference_ns: float | None = None
    disturbed: int = 0
    extra: dict = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return self.failed == 0 and bool(self.values)

    @property
    def median(self) -> float:
        ordered = sorted(self.values)
        middle = len(ordered) // 2
        return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2

    @property
    def higher_is_better(self) -> bool:
        return higher_is_better(self.unit)

    @property
    def axis(self) -> str:
        return kind_of(self.key.case).axis

    @property
    def bandwidth(self) -> float | None:
        return bandwidth(self.key.case, self.key.size, self.key.pes, self.median) if self.unit == "ns" else None


Table = dict[str, dict[Key, Row]]  # library, then case


def compact(records: list[dict]) -> list[dict]:
    """One entry for each case and size of a launch, with all its batches."""
    found: dict[tuple, dict] = {}
    for record in records:
        key = record["case"], record["size"], record["pes"]
        entry = found.setdefault(key, {"case": key[0], "size": key[1], "pes": key[2], "how": record["how"],
                                       "unit": record.get("unit", "ns"), "count": record.get("count", 1), "ok": True,
                                       "values": [], "switches": []})
        entry["values"].append(record["ns"])
        entry["switches"].append(record.get("switches", 0))
        entry["ok"] = entry["ok"] and record["ok"]
        entry["count"] = record.get("count", 1)
        if "reference_ns" in record:
            entry.setdefault("reference", record["reference"])
            entry.setdefault("reference_ns", []).append(record["reference_ns"])
        if "extra" in record:
            entry["extra"] = record["extra"]
    return list(found.values())


def table(saved: dict) -> Table:
    """Rows from the launches; those of one library and case together."""
    launches: dict[tuple[str, Key], list[tuple[int, dict]]] = {}
    for launch in saved["launches"]:
        for entry in launch["records"]:
            key = Key(entry["case"], entry["size"], entry["pes"])
            launches.setdefault((launch["library"], key), []).append((launch["round"], entry))
    found: Table = {name: {} for name in saved["libraries"]}
    for (library, key), entries in launches.items():
        found.setdefault(library, {})[key] = _row(key, entries)
    return found


def _row(key: Key, entries: list[tuple[int, dict]]) -> Row:
    summary = summarise([_batches(entry) for _, entry in entries])
    first = entries[0][1]
    return Row(
        key, first["unit"], first["how"], summary.launches, [number for number, _ in entries],
        [entry["values"] for _, entry in entries],
        sum(not entry["ok"] for _, entry in entries),
        summary.to_reference, summary.reference, summary.reference_ns, summary.disturbed, first.get("extra", {}),
    )


def _batches(entry: dict) -> list[dict]:
    references = entry.get("reference_ns", [])
    return [
        {"ns": value, "how": entry["how"], "switches": entry["switches"][i], "ok": entry["ok"]}
        | ({"reference": entry["reference"], "reference_ns": references[i]} if i < len(references) else {})
        for i, value in enumerate(entry["values"])
    ]


def save(saved: dict, path: Path) -> None:
    """Whole or not at all: a run that is ended while it writes leaves the file of before."""
    part = path.with_name(path.name + ".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(json.dumps(saved) + "\n")
    os.replace(part, path)


def load(path: Path) -> dict:
    try:
        saved = json.loads(path.read_text())
    except FileNotFoundError:
        raise Unreadable(f"{path}: no such file") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise Unreadable(f"{path}: no file of oshbench run or import (it is not JSON)") from None
    if not isinstance(saved, dict) or saved.get("schema") != SCHEMA:
        raise Unreadable(f"{path}: no file of oshbench run or import (schema {SCHEMA} is expected)")
    return saved


def wrong(saved: dict) -> list[str]:
    """Cases whose check failed, as library: case."""
    return sorted({f"{launch['library']}: {entry['case']}" for launch in saved["launches"] for entry in launch["records"]
                   if not entry["ok"]})


def _how_much(launch: dict) -> str:
    if " in " in launch["ending"]:
        return "; the other cases are complete" if launch["complete"] else ", incomplete"
    return " at the end, results complete" if launch["complete"] else ", incomplete"


def left_out(saved: dict) -> list[str]:
    """Cases that are between two processes and were asked of one, each once."""
    return list(dict.fromkeys(case for launch in saved["launches"] for case in launch.get("left_out", [])))


def troubles(saved: dict) -> list[tuple[str, str, int]]:
    """Launches that did not end well: library, how, how many."""
    found: dict[tuple[str, str], int] = {}
    for launch in saved["launches"]:
        if launch["ending"] != "ok" or not launch["complete"]:
            how = f"{launch['program']}, {launch['pes']} PEs: {launch['ending']}" + (
                _how_much(launch))
            found[launch["library"], how] = found.get((launch["library"], how), 0) + 1
    return [(library, how, count) for (library, how), count in sorted(found.items())]
