#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oshprof counts a program whose calls are known (oshprof_ring.c), under OpenSHMEM and each MPI.

usage: oshprof_test.py OSHPROF COMPILER INTERFACE WORK -- LAUNCHER ...
"""
import json
import shutil
import subprocess
import sys
from pathlib import Path

PES, ROUNDS, LENGTH, UNEVEN_ROUNDS, SUMS = 3, 50, 1000, 10, 7
HERE = Path(__file__).resolve().parent


def build(compiler, interface, work):
    program = work / "ring"
    defines = ["-DRING_SHMEM"] if interface == "shmem" else []
    subprocess.run([compiler, "-g", "-O1", "-rdynamic", *defines, str(HERE / "oshprof_ring.c"), "-o", str(program)],
                   check=True)
    return program


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, expected {wanted}")


def calls_of(report, name):
    return next(row for row in report["calls"] if row["call"] == name)


def repeating(report, function):
    return next(row for row in report["repeating"] if row["function"] == function)


def check(report, interface):
    expect("processes", report["processes"], PES)
    move, total = ("shmem_double_put", "shmem_double_sum_reduce") if interface == "shmem" \
        else ("MPI_Send", "MPI_Allreduce")
    for name, calls, messages, size in ((move, 2 * ROUNDS * PES, 2 * ROUNDS * PES, 8 * LENGTH),
                                        (total, SUMS * PES, 0, 24)):
        row = calls_of(report, name)
        expect(f"{name} calls", row["calls"], calls)
        expect(f"{name} messages", row["messages"], messages)
        expect(f"{name} bytes", row["bytes"], calls * size)
    for name in ("exchange", "exchange_unevenly", "add_up"):
        expect(f"{name} is found", name in {row["function"] for row in report["functions"]}, True)
    expect("exchange is a candidate", repeating(report, "exchange")["candidate"], True)
    for function, rounds, shapes in (("exchange", ROUNDS, 1), ("exchange_unevenly", UNEVEN_ROUNDS, 2)):
        found = repeating(report, function)
        expect(f"{function}: rounds", found["rounds"], rounds * PES)
        expect(f"{function}: shapes", found["shapes"], shapes * PES)
    if not 0 < report["communication"] <= report["seconds"]:
        sys.exit(f"{report['communication']} s of {report['seconds']} s in communication")


def run(*command, status):
    """stdout of a command that must end with this status; stderr if that is not 0."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100)
    print(done.stdout, done.stderr)
    expect("exit status", done.returncode, status)
    return done.stderr if status else done.stdout


def check_kept(oshprof, kept, report, work):
    """--read makes the report again from the files of --keep: all of them, or those that exist."""
    files = sorted(kept.glob("*.json"))
    expect("files kept", len(files), PES)
    again = work / "again.json"
    run(oshprof, "-o", again, "--read", kept, status=0)
    expect("the report from the kept records", json.loads(again.read_text()), report)
    said = run(oshprof, "--keep", kept, "true", status=1)
    expect("a second run into it is refused", "contains the records of an earlier run" in said, True)
    files[0].unlink()
    said = run(oshprof, "--read", kept, status=0)
    expect("missing processes are reported", f"only {PES - 1} of {PES} processes" in said, True)
    files[0].write_text("[1]")
    said = run(oshprof, "--read", kept, status=1)
    expect("an invalid file prints one line", (said.count("\n"), files[0].name in said), (1, True))
    run(oshprof, "--read", work / "nowhere", status=1)
    said = run(oshprof, "--bogus", "true", status=1)
    expect("an unknown option prints one line", (said.count("\n"), "--bogus: unknown option" in said), (1, True))


def check_debug_file(oshprof, program, launcher, work):
    """A stripped program has names from its debug file, and without libdw addresses in its file."""
    stripped, debug = work / "stripped", work / "stripped.debug"
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program, stripped], check=True)
    output, kept = work / "stripped.json", work / "kept stripped"
    shutil.rmtree(kept, ignore_errors=True)
    run(oshprof, "-o", output, "--keep", kept, *launcher, stripped, status=0)
    names = {row["function"] for row in json.loads(output.read_text())["functions"]}
    expect("names from the debug file", {"exchange", "exchange_unevenly", "add_up"} - names, set())
    sys.path.insert(0, str(Path(oshprof).resolve().parent.parent / "share/oshen"))
    from oshprof.names import demangled, function_at
    symbol = next(line.split() for line in subprocess.check_output(["nm", debug], text=True).splitlines()
                  if line.endswith(" add_up"))
    offset = int(symbol[0], 16) + 5
    expect("the name at an offset", function_at(str(stripped), offset), "add_up")
    expect("without libdw", function_at(str(stripped), offset, "libnone.so"), f"stripped+{offset:#x}")
    expect("in a file that is not ELF", function_at(__file__, 16), "oshprof_test.py+0x10")
    expect("a name of C++", demangled(b"_ZN3fft5solveEi"), "fft::solve(int)")


def check_bare(oshprof, program, launcher, work):
    """Without symbols, code appears under the exported function that contains it, else as an address."""
    bare, output, kept = work / "bare", work / "bare.json", work / "kept bare"
    subprocess.run(["strip", "-o", bare, program], check=True)
    shutil.rmtree(kept, ignore_errors=True)
    run(oshprof, "-o", output, "--keep", kept, *launcher, bare, status=0)
    names = {row["function"] for row in json.loads(output.read_text())["functions"]}
    expect("exported functions", {"exchange", "exchange_unevenly"} - names, set())
    expect("add_up is an address, not the function before it",
           len([name for name in names if name.startswith("bare+0x")]) > 0, True)


def check_timeline(file):
    """Every put of the ring has an arrow to the arrivals of its target."""
    events = json.loads(file.read_text())["traceEvents"]
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    arrows = [(starts[e["id"]]["pid"], e["pid"], e["tid"]) for e in events if e["ph"] == "f" and e["name"] == "put"]
    right = [pair for pair in arrows if (pair[0] + 1) % PES == pair[1]]
    expect("arrows of puts", len(arrows), PES * (2 * ROUNDS + UNEVEN_ROUNDS))
    expect("to the right", len(right), PES * (ROUNDS + UNEVEN_ROUNDS))
    expect("tracks where they end", {track for _, _, track in arrows}, {0})


def main():
    split = sys.argv.index("--")
    oshprof, compiler, interface, work = sys.argv[1:split]
    launcher = sys.argv[split + 1:]
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    program = build(compiler, interface, work)
    output, kept = work / "report.json", work / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    timeline = work / "timeline.json"
    run(oshprof, "-o", output, "--keep", kept, "--timeline", timeline, *launcher, program, status=0)
    if interface == "shmem":
        check_timeline(timeline)
        check_debug_file(oshprof, program, launcher, work)
        check_bare(oshprof, program, launcher, work)
    report = json.loads(output.read_text())
    check(report, interface)
    check_kept(oshprof, kept, report, work)
    bad = subprocess.run([oshprof, "--top", "none", "true"], capture_output=True, text=True, timeout=20)
    expect("status after a bad option", bad.returncode, 1)
    for words, says in ((("--mpi", "lam", "true"), "--mpi: invalid choice: 'lam'"),
                        (("-o",), "-o: expected one argument"), ((), "no command given"),
                        (("--top", "3", "--", "sh", "-c", "exit 7"), "the command exited with status 7")):
        expect(f"{says} is told", says in run(oshprof, *words, status=1), True)
    bad = run(oshprof, "--timeline", "x.txt", "true", status=1)
    expect("a timeline of an unknown kind", "ends in .json, .svg" in bad, True)
    idle = subprocess.run([oshprof, "true"], capture_output=True, text=True, timeout=20)
    if "nothing to report" not in idle.stderr:
        sys.exit(f"a program without communication: {idle.stderr!r}")


main()
