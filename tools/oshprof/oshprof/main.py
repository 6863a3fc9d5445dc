#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds the exchanges of a program that are worth porting to one-sided communication. oshprof_options.py has the command line."""
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "@FROM_BIN@" / "@SHARE_DIRECTORY@"))
sys.dont_write_bytecode = True

from oshen_preload import preloadable  # noqa: E402
from oshprof_names import function_at  # noqa: E402
from oshprof_options import fail, parse  # noqa: E402
from oshprof_timeline import NothingToDraw, Timeline  # noqa: E402

PLUGINS = (Path(__file__).resolve().parent / "@FROM_BIN@" / "@PLUGIN_DIRECTORY@").resolve()
REPEATS = 0.9  # share of the rounds: a function that repeats this many could set up its exchange once
COUNTED = ("calls", "messages", "bytes", "got_messages", "got_bytes", "seconds")


def load_needed(options):
    """Loads what draws the pictures before the command runs, which may take minutes."""
    for file in options.timelines:
        if file.suffix != ".json":
            load_pictures(f"--timeline {file}")
    if options.matrix:
        load_pictures(f"--matrix {options.matrix}")


def load_pictures(option):
    try:
        import oshprof_pictures
    except ImportError:
        fail(f"{option}: needs matplotlib: pip install matplotlib")
    return oshprof_pictures


# ---- running --------------------------------------------------------------------------------------------------------


def mpi_of(words):
    """The MPI of the launcher on the command line, or of the program if there is no launcher."""
    for word in words:
        path = shutil.which(word)
        if path is None or not os.path.basename(path).startswith(("mpi", "orte", "prte", "hydra")):
            continue
        told = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        if "Open MPI" in told or "OpenRTE" in told or "PRRTE" in told or "prte" in told:
            return "openmpi"
        if "HYDRA" in told or "MPICH" in told or "Intel" in told:
            return "mpich"
    path = shutil.which(words[0])
    linked = subprocess.run(["ldd", path], capture_output=True, text=True).stdout if path else ""
    if "libmpi.so.12" in linked or "libmpich" in linked:
        return "mpich"
    return "openmpi" if "libmpi.so" in linked else "none"


def preload(mpi):
    name = "liboshprof.so" if mpi == "none" else f"liboshprof-{mpi}.so"
    library = PLUGINS / name
    if not library.exists():
        fail(f"{library} does not exist: Oshen was built without this MPI")
    return library


def run(words, folder, mpi, calls):
    environment = dict(os.environ, OSHPROF_DIR=str(folder), OSHPROF_TIMELINE=calls)
    loaded = os.environ.get("LD_PRELOAD")
    try:
        with preloadable(preload(mpi)) as library:
            environment["LD_PRELOAD"] = str(library) + (f":{loaded}" if loaded else "")
            return subprocess.run(words, env=environment).returncode
    except OSError as error:
        print(f"oshprof: {words[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


# ---- reporting ------------------------------------------------------------------------------------------------------


def read_one(path):
    try:
        process = json.loads(path.read_text())
        if {"interface", "processes", "process", "seconds", "calls", "exchanges", "reductions", "sent_to"} <= process.keys():
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
    return {"interface": processes[0]["interface"], "processes": n, "expected": processes[0]["processes"],
            "seconds": total, "communication": sum(r["seconds"] for r in rows),
            "functions": sorted(rows, key=lambda r: -r["seconds"]), "calls": by_call(processes, n),
            "repeating": repeating(processes, rows, "exchanges"), "reductions": repeating(processes, rows, "reductions"),
            "matrix": matrix(processes)}


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


def size(bytes):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if bytes < 1024 or unit == "GiB":
            return f"{bytes:.0f} {unit}" if unit == "B" else f"{bytes:.1f} {unit}"
        bytes /= 1024


def show(report, top):
    n, share = report["processes"], report["communication"] / report["seconds"] if report["seconds"] else 0
    print(f"\noshprof: {n} process{'es' if n != 1 else ''}, {report['seconds']:.3f} s, "
          f"{share:.1%} of it in communication calls")
    if n < report["expected"]:
        print(f"  only {n} of {report['expected']} processes finalised; the others are missing from this report")
    print("\n  share   mean s    max s      calls       sent       bytes        got       bytes  function: its calls")
    for row in report["functions"][:top]:
        calls = ", ".join(f"{name} {s / row['seconds']:.0%}" for name, s in list(row["by_call"].items())[:3]
                          if row["seconds"] > 0)
        print(f"  {row['share']:5.1%} {row['seconds']:8.3f} {row['slowest']:8.3f} {row['calls']:10d} "
              f"{moved(row)}  {row['function']}: {calls}")
    print("\n  share   mean s      calls       sent       bytes        got       bytes  call")
    for row in report["calls"][:top]:
        print(f"  {row['seconds'] / report['seconds'] if report['seconds'] else 0:5.1%} {row['seconds']:8.3f} "
              f"{row['calls']:10d} {moved(row)}  {row['call']}")
    show_repeating(report, top)
    show_reductions(report, top)


def moved(row):
    return f"{row['messages']:10d} {size(row['bytes']):>11} {row['got_messages']:10d} {size(row['got_bytes']):>11}"


def show_repeating(report, top):
    candidates = [r for r in report["repeating"] if r["candidate"]][:top]
    if not candidates:
        print("\nNo function repeats the same exchange.")
        return
    print("\nExchanges that repeat: offsets can be exchanged once, and each round needs only puts and signals\n"
          "(docs/porting-from-mpi.md, oshen/exchange.h).\n"
          "  share   rounds   shapes  messages/round  bytes/round  function")
    for row in candidates:
        share = row["seconds"] / report["seconds"] if report["seconds"] else 0
        print(f"  {share:5.1%} {row['rounds']:8d} {row['shapes']:8d} {row['messages'] / row['rounds']:15.1f} "
              f"{size(row['bytes'] / row['rounds']):>12}  {row['function']}")


def show_reductions(report, top):
    rows = report["reductions"][:top]
    if rows:
        print("\nReductions, which exchange plans do not replace:\n      calls   shapes   bytes/call  function")
    for row in rows:
        print(f"  {row['rounds']:9d} {row['shapes']:8d} {size(row['bytes'] / row['rounds']):>12}  {row['function']}")


def write_file(option, file, write):
    """Calls write(file); an error prints one line."""
    try:
        write(file)
    except (OSError, ValueError, NothingToDraw) as problem:
        fail(f"{option} {file}: {problem.strerror if isinstance(problem, OSError) else problem}")


def draw_timelines(files, folder, processes):
    try:
        story = Timeline(folder, processes)
    except (OSError, ValueError, NothingToDraw) as problem:
        fail(f"--timeline {files[0]}: {problem}")
    for file in files:
        if file.suffix == ".json":
            write_file("--timeline", file, story.write)
        else:
            write_file("--timeline", file, functools.partial(load_pictures(file).timeline, story))
    if story.missing:
        print(f"oshprof: {story.missing} calls are not in {' and '.join(map(str, files))}: a process made more than --timeline-calls",
              file=sys.stderr)


def main():
    options = parse(sys.argv[1:], "@PROJECT_VERSION@")
    load_needed(options)
    status = 0
    with tempfile.TemporaryDirectory(prefix="oshprof-") as temporary:
        folder = options.read or options.keep or temporary
        if options.read is None:
            os.makedirs(folder, exist_ok=True)
            if any(Path(folder).glob("*.json")):
                fail(f"--keep {folder}: contains the records of an earlier run: expected a new or empty folder")
            calls = str(options.most if options.timelines else 0)
            status = run(options.command, os.path.abspath(folder), options.mpi or mpi_of(options.command), calls)
            if status != 0:
                print(f"oshprof: the command exited with status {status}", file=sys.stderr)
        elif not os.path.isdir(folder):
            fail(f"--read {folder}: no such folder")
        processes = read(folder)
        report = summarise(processes)
        show(report, options.top)
        if options.timelines:
            draw_timelines(options.timelines, folder, processes)
    if options.output:
        options.output.write_text(json.dumps(report, indent=1) + "\n")
    if options.matrix:
        write_file("--matrix", options.matrix, functools.partial(load_pictures("").matrix, report))
    return status if 0 <= status < 256 else 1


if __name__ == "__main__":
    sys.exit(main())
