"""Rows: the results of each library in each case, launch by launch."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from statistics import median

from ..cases.catalogue import bandwidth, higher_is_better, kind_of
from .batches import launch_value
from .run import Run

OURS = "oshen"
LIMITS = "limits"  # the machine without a library
FABRIC, SOCKET = "libfabric", "socket"  # a network without a library above it
FEWEST = 5  # launches of a case that a sentence speaks of, and of a record


@dataclass(frozen=True, order=True)
class Key:
    case: str
    size: int
    pes: int


@dataclass
class Row:
    """The results of one library in one case: the value of each launch and of every batch."""

    key: Key
    unit: str
    how: str
    values: list[float]  # one for each launch: the median of its batches
    rounds: list[int]  # the round of each launch
    batches: list[list[float]]
    failed: int = 0  # launches whose results were wrong
    reference: str | None = None  # the name of the reference that ran in between
    references: list[float] = field(default_factory=list)  # of each launch, where it has one
    disturbed: int = 0  # disturbed batches and launches; left out if there are others
    extra: dict = field(default_factory=dict)
    steady: bool = True  # false if all launches were disturbed

    @property
    def ok(self) -> bool:
        return self.failed == 0 and bool(self.values)

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def reference_ns(self) -> float | None:
        return median(self.references) if self.references else None

    @property
    def to_reference(self) -> float | None:
        """Median of the ratios of the launches."""
        pairs = [(value, bare) for value, bare in zip(self.values, self.references) if bare]
        return median(value / bare for value, bare in pairs) if pairs else None

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
    """One entry per case and size of a launch, with all its batches."""
    by_key: dict[tuple, dict] = {}
    for record in records:
        key = record["case"], record["size"], record["pes"], record.get("library")
        entry = by_key.setdefault(key, {"case": key[0], "size": key[1], "pes": key[2], "how": record["how"],
                                        "unit": record.get("unit", "ns"), "count": record.get("count", 1), "ok": True,
                                        "values": [], "switches": []} | ({"library": key[3]} if key[3] else {}))
        entry["values"].append(record["ns"])
        entry["switches"].append(record.get("switches", 0))
        entry["ok"] = entry["ok"] and record["ok"]
        entry["count"] = record.get("count", 1)
        if "reference_ns" in record:
            entry.setdefault("reference", record["reference"])
            entry.setdefault("reference_ns", []).append(record["reference_ns"])
        entry |= {field: record[field] for field in ("extra", "state") if field in record}
    return list(by_key.values())


def table_of_run(run: Run) -> Table:
    """The rows of a run. An entry may belong to another library than its launch, if a program measures several.
    Disturbed launches count only if there are no others."""
    launches: dict[tuple[str, Key], list[tuple[int, dict]]] = {}
    for launch in run.launches:
        for entry in launch.records:
            key = Key(entry["case"], entry["size"], entry["pes"])
            launches.setdefault((entry.get("library", launch.library), key), []).append((launch.round, entry))
    table: Table = {name: {} for name in run.libraries}
    for (library, key), entries in launches.items():
        quiet = [(number, entry) for number, entry in entries if not entry.get("disturbed")]
        row = table.setdefault(library, {})[key] = _row(key, quiet or entries)
        row.disturbed += len(entries) - len(quiet)
        row.steady = bool(quiet)
    return table


def _row(key: Key, entries: list[tuple[int, dict]]) -> Row:
    values = [launch_value(entry) for _, entry in entries]
    first = entries[0][1]
    references = [one.reference for one in values if one.reference is not None]
    complete = len(references) == len(values)
    return Row(
        key, first["unit"], first["how"], [one.value for one in values], [number for number, _ in entries],
        [entry["values"] for _, entry in entries], sum(not entry["ok"] for _, entry in entries),
        first["reference"] if complete else None, references if complete else [], sum(one.disturbed for one in values),
        _extra(entries),
    )


def _extra(entries: list[tuple[int, dict]]) -> dict:
    """The most frequent extra values of the launches."""
    told = Counter(json.dumps(entry["extra"]) for _, entry in entries if "extra" in entry)
    return json.loads(told.most_common(1)[0][0]) if told else {}


def measured(table: Table) -> Table:
    """The table without the limits, and without libraries that have no results."""
    return {name: rows for name, rows in table.items() if rows and name != LIMITS}


def is_peer(name: str) -> bool:
    """Whether a library is neither ours, at any settings, nor a limit."""
    return not name.startswith((OURS, FABRIC)) and name not in (SOCKET, LIMITS)


def best(table: Table, key: Key) -> tuple[str, Row] | None:
    """The best of the other libraries in a case."""
    peers = [(name, rows[key]) for name, rows in table.items() if is_peer(name) and key in rows and rows[key].ok]
    sign = -1 if peers and peers[0][1].higher_is_better else 1
    return min(peers, key=lambda item: sign * item[1].median, default=None)


def names_of(table: Table) -> list[str]:
    """The libraries of a table, ours first."""
    return sorted(measured(table), key=lambda name: (name != OURS, name))
