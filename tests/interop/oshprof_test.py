#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oshprof counts a program whose calls are known (oshprof_ring.c), under OpenSHMEM and each MPI.

usage: oshprof_test.py OSHPROF COMPILER INTERFACE WORK -- LAUNCHER ...
"""
import json
import subprocess
import sys
from pathlib import Path

PES, ROUNDS, LENGTH, SUMS = 3, 50, 1000, 7
HERE = Path(__file__).resolve().parent


def build(compiler, interface, work):
    program = work / "ring"
    defines = ["-DRING_SHMEM"] if interface == "shmem" else []
    subprocess.run([compiler, "-g", "-O1", *defines, str(HERE / "oshprof_ring.c"), "-o", str(program)], check=True)
    return program


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, expected {wanted}")


def calls_of(report, name):
    return next(row for row in report["calls"] if row["call"] == name)


def check(report, interface):
    expect("processes", report["processes"], PES)
    move, total = ("shmem_double_put", "shmem_double_sum_reduce") if interface == "shmem" else ("MPI_Send", "MPI_Allreduce")
    for name, calls, size in ((move, 2 * ROUNDS * PES, 8 * LENGTH), (total, SUMS * PES, 24)):
        row = calls_of(report, name)
        expect(f"{name} calls", row["calls"], calls)
        expect(f"{name} messages", row["messages"], calls)
        expect(f"{name} bytes", row["bytes"], calls * size)
    found = next(row for row in report["repeating"] if row["function"] == "exchange")
    expect("exchange is a candidate", found["candidate"], True)
    expect("rounds", found["rounds"], ROUNDS * PES)
    expect("shapes", found["shapes"], PES)
    if not 0 < report["communication"] <= report["seconds"]:
        sys.exit(f"{report['communication']} s of {report['seconds']} s in communication")


def main():
    split = sys.argv.index("--")
    oshprof, compiler, interface, work = sys.argv[1:split]
    launcher = sys.argv[split + 1:]
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    program = build(compiler, interface, work)
    output = work / "report.json"
    output.unlink(missing_ok=True)
    done = subprocess.run([oshprof, "-o", str(output), *launcher, str(program)], capture_output=True, text=True, timeout=100)
    print(done.stdout, done.stderr)
    expect("exit status", done.returncode, 0)
    check(json.loads(output.read_text()), interface)
    bad = subprocess.run([oshprof, "--top", "none", "true"], capture_output=True, text=True, timeout=20)
    expect("status after a bad option", bad.returncode, 1)
    idle = subprocess.run([oshprof, "true"], capture_output=True, text=True, timeout=20)
    if "nothing to report" not in idle.stderr:
        sys.exit(f"a program without communication: {idle.stderr!r}")


main()
