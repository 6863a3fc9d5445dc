#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oshprof against counts made by hand: oshprof_counts.c and .f90, whose every call is known.

usage: oshprof_counts.py OSHPROF COMPILER SOURCE WORK -- LAUNCHER ...
"""
import json
import subprocess
import sys
from pathlib import Path

N, ROUNDS, BYTES = 3, 10, 800  # processes, rounds, a message of 100 doubles
BOTH_WAYS = 2 * N * ROUNDS     # messages of all processes where each sends left and right
ONE_WAY = N * ROUNDS
# function -> messages sent, bytes, messages received, bytes: of all processes
C = {
    "isend_irecv": (BOTH_WAYS, BOTH_WAYS * BYTES, BOTH_WAYS, BOTH_WAYS * BYTES),
    "persistent": (ONE_WAY, ONE_WAY * BYTES, ONE_WAY, ONE_WAY * BYTES),
    "probed": (ONE_WAY, ONE_WAY * BYTES, ONE_WAY, ONE_WAY * BYTES),
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
# Bytes from each process to its right and left neighbour.
C_FLOW = {"right": ROUNDS * BYTES * 4, "left": ROUNDS * BYTES, "got": 2 * ROUNDS * BYTES, "row": ROUNDS * BYTES}


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
    """isend_irecv sends both ways; persistent, probed and put go right; the row ends; gets come from the left."""
    found = {(source, target): size for source, target, _, size in report["matrix"]}
    for me in range(N):
        right = C_FLOW["right"] + C_FLOW["got"] + (C_FLOW["row"] if me + 1 < N else 0)
        expect(f"bytes from {me} to its right", found[me, (me + 1) % N], right)
        expect(f"bytes from {me} to its left", found[me, (me - 1) % N], C_FLOW["left"])


def main():
    split = sys.argv.index("--")
    oshprof, compiler, source, work = sys.argv[1:split]
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    program, report = work / "counts", work / "report.json"
    subprocess.run([compiler, "-g", "-O0", source, "-o", program, "-J", work] if source.endswith(".f90") else [compiler, "-g", "-O0", source, "-o", program], check=True)
    run = subprocess.run([oshprof, "-o", report, *sys.argv[split + 1:], program], capture_output=True, text=True, timeout=100)
    print(run.stdout, run.stderr)
    expect("exit status", run.returncode, 0)
    told = json.loads(report.read_text())
    expect("processes", told["processes"], N)
    fortran = source.endswith(".f90")

    def plain(name):  # gfortran's name of a module's subroutine
        return name.split("_MOD_")[-1] if fortran else name
    check_functions(told, FORTRAN if fortran else C, plain)
    rounds = {"isend_irecv": ONE_WAY, "persistent": ONE_WAY}
    # Between two waits: a probe and a flush are such.
    check_repeating(told, plain, rounds if fortran else {**rounds, "row": ONE_WAY, "probed": 2 * ONE_WAY, "one_sided": 2 * ONE_WAY})
    if not fortran:
        check_matrix(told)


main()
