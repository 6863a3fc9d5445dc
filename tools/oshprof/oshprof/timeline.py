# SPDX-License-Identifier: BSD-3-Clause
"""The recorded calls of all processes as one timeline, for ui.perfetto.dev and chrome://tracing, or for a picture."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

# The kinds that a picture distinguishes, and the kinds of calls (timeline.cpp) in each.
KINDS = {"send": ("send",), "receive": ("recv",), "wait": ("wait",), "collective": ("coll", "reduce"),
         "one-sided": ("rma",), "synchronise": ("sync",)}
COLUMNS = 1200  # of a picture: shorter calls share a column


class NothingToDraw(Exception):
    """The reason why there is no timeline."""


def events_of(folder: Path, process: dict):
    """Yields the events of a process, of which there may be many."""
    path = folder / f"{process['interface']}-{process['process']}.events"
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line.rstrip().rstrip(","))


def check(processes: list[dict]) -> None:
    if not all(process.get("timeline") for process in processes):
        raise NothingToDraw("these processes recorded no calls: run the program with --timeline")


def shifts(processes: list[dict]) -> list[float]:
    """Microseconds to add to the times of each process. Processes of one host share a clock; hosts are aligned by time
    of day."""
    clock: dict[str, int] = {}
    for process in processes:
        clock.setdefault(process["timeline"]["host"], process["timeline"]["clock"])
    first = clock[processes[0]["timeline"]["host"]]
    return [(clock[process["timeline"]["host"]] - first) / 1000 for process in processes]


class Timeline:
    """All processes; times in microseconds from the first call."""

    def __init__(self, folder: str, processes: list[dict]) -> None:
        check(processes)
        self.folder, self.processes, self.shift = Path(folder), processes, shifts(processes)
        self.zero, self.end = float("inf"), 0.0
        self.ends: Counter = Counter()
        for event in self.events():
            if event["ph"] == "X":
                self.zero, self.end = min(self.zero, event["ts"]), max(self.end, event["ts"] + event["dur"])
            elif event["ph"] in "sf":
                self.ends[event["id"]] += 1
        if not self.ends and self.zero == float("inf"):
            raise NothingToDraw("no process has made a call")

    @property
    def missing(self) -> int:
        """The number of calls that exceeded the limit."""
        return sum(process["timeline"]["missing"] for process in self.processes)

    def events(self):
        for process, shift in zip(self.processes, self.shift):
            for event in events_of(self.folder, process):
                if "ts" in event:
                    event["ts"] += shift
                yield event

    def write(self, file: str) -> None:
        """Writes JSON for the viewers. Arrows with a missing end are left out, such as messages that were never
        received."""
        numbers: dict[int, int] = {}
        with open(file, "w", encoding="utf-8") as out:
            about = {"processes": len(self.processes), "missing": self.missing}
            out.write(f'{{"displayTimeUnit": "ns", "otherData": {json.dumps(about)}, "traceEvents": [')
            separator = "\n"
            for event in self.events():
                if event["ph"] in "sf":
                    if self.ends[event["id"]] != 2:
                        continue
                    event["id"] = numbers.setdefault(event["id"], len(numbers) + 1)
                if "ts" in event:
                    event["ts"] = round(event["ts"] - self.zero, 3)
                out.write(separator + json.dumps(event))
                separator = ",\n"
            out.write("\n]}\n")

    @property
    def n_arrows(self) -> int:
        return sum(count == 2 for count in self.ends.values())

    def arrows(self) -> list[tuple[tuple[float, int], tuple[float, int]]]:
        """Start and end, each as time and row of a picture, of the messages and one-sided operations that have both."""
        rows = {process["process"]: row for row, process in enumerate(self.processes)}
        ends: dict[int, dict[str, tuple[float, int]]] = {}
        for event in self.events():
            if event["ph"] in "sf" and self.ends[event["id"]] == 2:
                ends.setdefault(event["id"], {})[event["ph"]] = (event["ts"] - self.zero, rows[event["pid"]])
        return [(both["s"], both["f"]) for both in ends.values()]

    def shares(self) -> dict[str, list[list[float]]]:
        """By kind, process and column of a picture: the share of time spent in such calls."""
        wide = (self.end - self.zero) / COLUMNS or 1.0
        rows = {process["process"]: row for row, process in enumerate(self.processes)}
        word_of = {kind: word for word, kinds in KINDS.items() for kind in kinds}
        found = {word: [[0.0] * COLUMNS for _ in rows] for word in KINDS}
        for event in self.events():
            word = word_of.get(event.get("cat")) if event["ph"] == "X" else None
            if word:
                row = found[word][rows[event["pid"]]]
                began = (event["ts"] - self.zero) / wide
                add(row, began, began + event["dur"] / wide)
        return found


def add(row: list[float], began: float, ended: float) -> None:
    """Adds a call that begins and ends at these columns."""
    first, last = int(began), min(int(ended), COLUMNS - 1)
    if first >= last:
        row[min(first, COLUMNS - 1)] += ended - began
        return
    row[first] += first + 1 - began
    for column in range(first + 1, last):
        row[column] += 1
    row[last] += ended - last
