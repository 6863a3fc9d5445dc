# SPDX-License-Identifier: BSD-3-Clause
"""The records of all processes, and their summary."""

import json
import os
from collections import defaultdict
from pathlib import Path

from .names import function_at
from .options import fail

REPEATS = 0.9  # share of the rounds: a function that repeats this many could set up its exchange once
COUNTED = ("calls", "messages", "bytes", "got_messages", "got_bytes", "seconds")


def read_one(path):
    try:
        process = json.loads(path.read_text())
        if {"interface", "processes", "process", "seconds", "calls", "exchanges", "reductions",
            "sent_to"} <= process.keys():
            return process
    except (ValueError, AttributeError):
        pass
    fail(f"{path}: not a record written by oshprof")


def read(folder):
    processes = sorted((read_one(path) for path in Path(folder).glob("*.json")), key=lambda one: one["process"])
    if not processes:
        fail("nothing to report: no process has initialised and finalised MPI or OpenSHMEM "
             "(is the program static, or linked to another MPI than --mpi says?)")
    return processes


def place(row):
    """The name of a function, or its address."""
    return row["function"] or (function_at(row["file"], row["offset"]) if row["file"] else "?")


def summarise(processes):
    """One report for all processes: seconds are means over processes, other values are sums."""
    n = len(processes)
    total = sum(p["seconds"] for p in processes) / n
    functions = defaultdict(lambda: {**dict.fromkeys(COUNTED, 0), "by": defaultdict(float)})
    slowest = defaultdict(float)
    for process in processes:
        here = defaultdict(float)
        for row in process["calls"]:
            one = functions[place(row), os.path.basename(row["file"])]
            for key in COUNTED:
                one[key] += row[key] / n if key == "seconds" else row[key]
            one["by"][row["call"]] += row["seconds"] / n
            here[place(row), os.path.basename(row["file"])] += row["seconds"]
        for key, seconds in here.items():
            slowest[key] = max(slowest[key], seconds)
    rows = [{"function": f, "file": file, **{k: one[k] for k in COUNTED}, "slowest": slowest[f, file],
             "share": one["seconds"] / total if total else 0.0,
             "by_call": dict(sorted(one["by"].items(), key=lambda item: -item[1]))}
            for (f, file), one in functions.items()]
    return {
        "interface": processes[0]["interface"],
        "processes": n,
        "expected": processes[0]["processes"],
        "seconds": total,
        "communication": sum(r["seconds"] for r in rows),
        "functions": sorted(rows, key=lambda r: -r["seconds"]),
        "calls": by_call(processes, n),
        "repeating": repeating(processes, rows, "exchanges"),
        "reductions": repeating(processes, rows, "reductions"),
        "matrix": matrix(processes),
    }


def by_call(processes, n):
    calls = defaultdict(lambda: dict.fromkeys(COUNTED, 0))
    for process in processes:
        for row in process["calls"]:
            for key in COUNTED:
                calls[row["call"]][key] += row[key] / n if key == "seconds" else row[key]
    return sorted(({"call": name, **one} for name, one in calls.items()), key=lambda r: -r["seconds"])


def matrix(processes):
    """Rows [from, to, messages, bytes] for each pair of processes. A get moves data to the process that calls it."""
    moved = defaultdict(lambda: [0, 0])
    for process in processes:
        me = process["process"]
        pairs = [((me, other), m, b) for other, m, b in process["sent_to"]]
        pairs += [((other, me), m, b) for other, m, b in process["got_from"]]
        for pair, messages, size in pairs:
            moved[pair][0] += messages
            moved[pair][1] += size
    return [[*pair, *counts] for pair, counts in sorted(moved.items())]


def repeating(processes, functions, table):
    """Functions whose rounds of communication have the same shape on every process."""
    seconds = {r["function"]: r["seconds"] for r in functions}
    found = defaultdict(lambda: {"rounds": 0, "shapes": 0, "messages": 0, "bytes": 0})
    for process in processes:
        for row in process[table]:
            one = found[place(row)]
            for key in one:
                one[key] += row[key]
    rows = []
    for name, one in found.items():
        if one["rounds"] == 0:
            continue
        again = 1 - one["shapes"] / one["rounds"]
        rows.append({"function": name, **one, "repeats": again, "candidate": again >= REPEATS,
                     "seconds": seconds.get(name, 0.0)})
    return sorted(rows, key=lambda r: (not r["candidate"], -r["seconds"]))
