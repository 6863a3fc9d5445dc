#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oshprof against counts derived by hand: all calls of oshprof_counts.c and .f90 are known.

usage: oshprof_counts.py OSHPROF COMPILER SOURCE WORK -- LAUNCHER ...
"""
import collections
import json
import shutil
import subprocess
import sys
from pathlib import Path

N, ROUNDS, BYTES = 3, 10, 800  # processes, rounds, a message of 100 doubles
BOTH_WAYS = 2 * N * ROUNDS  # messages of all processes if each sends left and right
ONE_WAY = N * ROUNDS
# function -> messages sent, bytes, messages received, bytes: of all processes
C = {
    "isend_irecv": (BOTH_WAYS, BOTH_WAYS * BYTES, BOTH_WAYS, BOTH_WAYS * BYTES),
    "persistent": (ONE_WAY, ONE_WAY * BYTES, ONE_WAY, ONE_WAY * BYTES),
    "probed": (ONE_WAY, ONE_WAY * BYTES, ONE_WAY, ONE_WAY * BYTES),
    "any_source": (BOTH_WAYS, BOTH_WAYS * BYTES, BOTH_WAYS, BOTH_WAYS * BYTES),
    "row": ((N - 1) * ROUNDS, (N - 1) * ROUNDS * BYTES, (N - 1) * ROUNDS, (N - 1) * ROUNDS * BYTES),
    "neighbours": (0, ONE_WAY * BYTES * (2 + 3), 0, 0),
    "one_sided": (ONE_WAY, ONE_WAY * BYTES, ONE_WAY, ONE_WAY * BYTES * 2),
    "collectives": (0, ROUNDS * BYTES * (1 + N * N + N), 0, 0),
}
FORTRAN = {
    "isend_irecv": C["isend_irecv"],
    "persistent": C["persistent"],
    "collectives": (ONE_WAY, ROUNDS * BYTES * (1 + N) + ONE_WAY * BYTES, ONE_WAY, ONE_WAY * BYTES),
}
# Arrows of the timeline: messages, puts, gets. A message to MPI_PROC_NULL has none.
C_ARROWS = {"message": 2 * BOTH_WAYS + 2 * ONE_WAY + (N - 1) * ROUNDS, "put": ONE_WAY, "get": ONE_WAY}
FORTRAN_ARROWS = {"message": BOTH_WAYS + 2 * ONE_WAY}
# Bytes from each process to its right and left neighbour.
C_FLOW = {"right": ROUNDS * BYTES * 5, "left": ROUNDS * BYTES * 2, "got": 2 * ROUNDS * BYTES, "row": ROUNDS * BYTES}


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, expected {wanted}")


def check_functions(report, wanted, plain):
    counted = {plain(row["function"]): row for row in report["functions"]}
    for name, numbers in wanted.items():
        if name not in counted:
            sys.exit(f"{name} is missing: {sorted(counted)}")
        row = counted[name]
        expect(f"{name}: messages and bytes sent and got",
               tuple(row[k] for k in ("messages", "bytes", "got_messages", "got_bytes")), numbers)


def check_repeating(report, plain, wanted):
    rows = {plain(row["function"]): row for row in report["repeating"]}
    for name, rounds in wanted.items():
        expect(f"{name}: rounds", rows[name]["rounds"], rounds)
        expect(f"{name}: a candidate", rows[name]["candidate"], True)
    sums = {plain(row["function"]): row for row in report["reductions"]}
    expect("functions that reduce", sorted(sums), ["collectives"])
    expect("reductions", (sums["collectives"]["rounds"], sums["collectives"]["bytes"]), (ONE_WAY, ONE_WAY * BYTES))


def check_matrix(report):
    """isend_irecv and any_source send both ways; persistent, probed and put go right; the row ends; gets come from the
    left."""
    found = {(source, target): size for source, target, _, size in report["matrix"]}
    for me in range(N):
        right = C_FLOW["right"] + C_FLOW["got"] + (C_FLOW["row"] if me + 1 < N else 0)
        expect(f"bytes from {me} to its right", found[me, (me + 1) % N], right)
        expect(f"bytes from {me} to its left", found[me, (me - 1) % N], C_FLOW["left"])


def check_arrows(timeline, report, wanted):
    """Checks both ends of each arrow: the sender is earlier, and each end lies within a bar of its process. A message
    leaves when its call begins, since the receiver may have it before that call returns."""
    ends = collections.defaultdict(dict)
    bars, starts = collections.defaultdict(list), collections.defaultdict(set)
    for e in timeline["traceEvents"]:
        if e["ph"] in "sf":
            ends[e["id"]][e["ph"]] = e
        elif e["ph"] == "X":
            bars[e["pid"], e["tid"]].append((e["ts"] - 0.002, e["ts"] + e["dur"] + 0.002))
            starts[e["pid"], e["tid"]].add(e["ts"])
    expect("arrows", dict(collections.Counter(both["s"]["name"] for both in ends.values())), wanted)
    flow = collections.Counter()
    for both in ends.values():
        expect("ends of an arrow", set(both), {"s", "f"})
        if both["s"]["ts"] > both["f"]["ts"]:
            sys.exit(f"an arrow goes back in time: {both}")
        for e in both.values():
            expect("an end lies in a bar", any(a <= e["ts"] <= b for a, b in bars[e["pid"], e["tid"]]), True)
        if both["s"]["name"] == "message":
            sent = both["s"]
            expect("a message leaves when its call begins", sent["ts"] in starts[sent["pid"], sent["tid"]], True)
        flow[both["s"]["pid"], both["f"]["pid"]] += 1
    expect("arrows between processes", flow, {(a, b): messages for a, b, messages, _ in report["matrix"]})


def check_bars(timeline, report):
    calls = collections.Counter(e["name"].split(":")[0] for e in timeline["traceEvents"]
                                if e["ph"] == "X" and e["cat"] != "arrival")
    expect("calls of the timeline", calls, {row["call"]: row["calls"] for row in report["calls"]})
    senders = {e["args"]["function"].split("_MOD_")[-1] for e in timeline["traceEvents"]
               if e["ph"] == "X" and e["name"].startswith("MPI_Isend")}
    expect("who calls MPI_Isend is named", "isend_irecv" in senders, True)


def check_bounded(command, work):
    """With room for 10 calls per process, the rest is counted, and drawn calls are complete."""
    kept, file = work / "kept", work / "bounded.json"
    shutil.rmtree(kept, ignore_errors=True)
    run = subprocess.run([command[0], "--timeline", file, "--timeline-calls", "10", "--keep", kept, *command[1:]],
                         capture_output=True, text=True, timeout=100)
    expect("exit status", run.returncode, 0)
    timeline = json.loads(file.read_text())
    bars = collections.Counter(e["pid"] for e in timeline["traceEvents"] if e["ph"] == "X" and e["cat"] != "arrival")
    expect("calls that are kept", dict(bars), dict.fromkeys(range(N), 10))
    expect("missing calls are reported",
           f"oshprof: {timeline['otherData']['missing']} calls are not in {file}" in run.stderr, True)
    ends = collections.Counter(e["id"] for e in timeline["traceEvents"] if e["ph"] in "sf")
    expect("arrows with one end", [i for i, n in ends.items() if n != 2], [])


def check_off(command, work):
    """oshprof keeps no files unless requested."""
    kept = work / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    subprocess.run([command[0], "--keep", kept, *command[1:]], capture_output=True, check=True, timeout=100)
    expect("events", list(kept.glob("*.events")), [])
    late = subprocess.run([command[0], "--read", kept, "--timeline", work / "x.json"], capture_output=True, text=True,
                          timeout=100)
    expect("a timeline of them", (late.returncode, "run the program with --timeline" in late.stderr), (1, True))


def main():
    split = sys.argv.index("--")
    oshprof, compiler, source, work = sys.argv[1:split]
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    program, report = work / "counts", work / "report.json"
    modules = ["-J", work] if source.endswith(".f90") else []
    subprocess.run([compiler, "-g", "-O0", source, "-o", program, *modules], check=True)
    command, timeline = [oshprof, *sys.argv[split + 1:], program], work / "timeline.json"
    run = subprocess.run([oshprof, "-o", report, "--timeline", timeline, *command[1:]], capture_output=True, text=True,
                         timeout=100)
    print(run.stdout, run.stderr)
    expect("exit status", run.returncode, 0)
    told = json.loads(report.read_text())
    expect("processes", told["processes"], N)
    fortran = source.endswith(".f90")

    def plain(name):  # gfortran's name of a module's subroutine
        return name.split("_MOD_")[-1] if fortran else name
    check_functions(told, FORTRAN if fortran else C, plain)
    rounds = {"isend_irecv": ONE_WAY, "persistent": ONE_WAY}
    # between two waits; a probe and a flush are waits
    check_repeating(told, plain, rounds if fortran else {**rounds, "row": ONE_WAY, "probed": 2 * ONE_WAY,
                                                         "one_sided": 2 * ONE_WAY})
    story = json.loads(timeline.read_text())
    check_bars(story, told)
    check_arrows(story, told, FORTRAN_ARROWS if fortran else C_ARROWS)
    if not fortran:
        check_matrix(told)
        check_bounded(command, work)
        check_off(command, work)


main()
