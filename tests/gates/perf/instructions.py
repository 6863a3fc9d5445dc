#!/usr/bin/env python3
"""Counts the instructions that the library executes for an operation, those with a bus lock too, and compares the counts
with budgets.txt.

  instructions.py --oshrun OSHRUN --program PROGRAM --built-with "GNU 12 x86_64 RelWithDebInfo" [--write] [--check]

PE 0 of two runs under callgrind, so that other load of the machine does not matter. Only instructions of the library itself
count, because libc's choice of memcpy, and the loader's work at a first call, depend on the machine.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

LIBRARY = re.compile(r"/liboshen\.so")
# The settings that decide the path through the library. A waiter sleeps soon, as on a busy machine.
SETTINGS = {"OSHEN_SPIN": "0", "OSHEN_COLL_TUNING": "none", "OSHEN_COLL_SYNC": "dissemination"}
SLEEPS = re.compile(r"os::(futex_wait|await_readable)|oshen2os(10futex_wait|14await_readable)")
OTHER_BUILD = 1.5  # allowed factor for another compiler
# With OSHEN_CHECK these wait for the other PE's description of its call, so that counts differ from run to run.
COMPARED = {"sum_2", "fcollect_2"}


class Executed(NamedTuple):
    """Instructions of the library by function: all of them, and those that lock the bus (atomic operations)."""
    all: Counter
    locked: Counter


class Budget(NamedTuple):
    instructions: int
    locked: int


def run_under_callgrind(oshrun: str, program: str, report: Path, settings: dict[str, str], nodes: int,
                        caller_only: bool) -> None:
    callgrind = ["valgrind", "--quiet", "--tool=callgrind", "--combine-dumps=yes", "--instr-atstart=no", "--collect-bus=yes",
                 f"--callgrind-out-file={report}", *(["--separate-threads=yes"] if caller_only else []), program]
    choose = f'if [ "$OSHEN_PE" = 0 ]; then exec {shlex.join(callgrind)}; else exec {shlex.quote(program)}; fi'
    spread = ["--nodes", str(nodes)] if nodes > 1 else []
    job = subprocess.run([oshrun, "-n", "2", *spread, "--timeout", "200", "sh", "-c", choose], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         env={**os.environ, **settings})
    if caller_only and (own := report.with_name(f"{report.name}-01")).exists():
        own.rename(report)
    if job.returncode or not report.exists():
        sys.exit(f"perf: {program} under valgrind: exit status {job.returncode}; its output:\n{job.stdout}")


def library_costs(part: str) -> Executed:
    """The instructions of the library in one part of callgrind's report.

    Lines `ob=` and `fn=` name the object and function of the cost lines that follow. A name is given once: `fn=(8) name`,
    then `fn=(8)`. A cost line has a position, the instructions, and the locked ones, unless they are 0. The line after
    `calls=` has the cost of the callee, which also has its own lines.
    """
    costs, inside, function, callee = Executed(Counter(), Counter()), False, "", False
    for line in part.splitlines():
        key, _, value = line.partition("=")
        if key == "ob":
            inside = bool(LIBRARY.search(value))
        elif key == "fn":
            function = value
        elif key == "calls":
            callee = True
        elif line[:1] in "0123456789+-*" and line:
            if inside and not callee:
                for counter, cost in zip(costs, line.split()[1:]):
                    counter[function] += int(cost)
            callee = False
    return costs


def expand_names(report: str) -> str:
    """The report with every `(number)` replaced by the name that it stands for."""
    names: dict[tuple[str, str], str] = {}

    def expand(match: re.Match) -> str:
        kind, number, name = match.groups()
        key = ("ob" if kind.endswith("ob") else "fn" if kind.endswith("fn") else "file", number)
        if name:
            names[key] = name
        return f"{kind}={names[key]}"

    return re.sub(r"^(ob|cob|fn|cfn|fl|fi|fe|cfi|cfl)=\((\d+)\) ?(.*)$", expand, report, flags=re.MULTILINE)


def read_report(report: str) -> dict[str, Executed]:
    """The median execution of each operation, function by function."""
    executions: dict[str, list[Executed]] = {}
    for part in re.split(r"^part: \d+$", expand_names(report), flags=re.MULTILINE)[1:]:
        trigger = re.search(r"^desc: Trigger: Client Request: (\w+)$", part, re.MULTILINE)
        if not trigger:
            continue
        executions.setdefault(trigger.group(1), []).append(library_costs(part))
    return {name: sorted(all_of_it, key=lambda costs: costs.all.total())[(len(all_of_it) - 1) // 2]
            for name, all_of_it in executions.items()}


def without_sleepers(typical: dict[str, Executed]) -> dict[str, Executed]:
    """Without the functions in which the other thread of the PE sleeps, and which it leaves at any time."""
    return {name: Executed(*(Counter({function: cost for function, cost in counter.items() if not SLEEPS.search(function)})
                             for counter in costs)) for name, costs in typical.items()}


def read_table(table: Path) -> tuple[str, dict[str, Budget]]:
    rows = [line.split() for line in table.read_text().splitlines() if line and not line.startswith("#")]
    built_with = " ".join(next(row[1:] for row in rows if row[0] == "built-with:"))
    return built_with, {row[0]: Budget(int(row[1]), int(row[2])) for row in rows if row[0] != "built-with:"}


def write_table(table: Path, built_with: str, counted: dict[str, Budget]) -> None:
    comment = [line for line in table.read_text().splitlines() if line.startswith("#")]
    rows = [f"{name:<16}{count.instructions:>6}{count.locked:>4}" for name, count in counted.items()]
    table.write_text("\n".join([*comment, f"built-with: {built_with}", *rows]) + "\n")


def complaints(counted: dict[str, Budget], budgets: dict[str, Budget], exact: bool, table: str) -> list[str]:
    lines = [f"{name} is not in {table}" for name in counted.keys() - budgets.keys()]
    for name, (budget, locked) in budgets.items():
        if name not in counted:
            lines.append(f"{name} was not counted")
            continue
        found = counted[name]
        if found.instructions == 0:
            lines.append(f"{name}: no instruction of the library was seen")
        elif exact and found.instructions != budget:
            lines.append(f"{name}: {found.instructions} instructions, {table} says {budget} ({found.instructions - budget:+d})")
        elif found.instructions > budget * OTHER_BUILD:
            lines.append(f"{name}: {found.instructions} instructions, over {OTHER_BUILD} times the {budget} of {table}")
        if found.locked > locked or (exact and found.locked != locked):
            lines.append(f"{name}: {found.locked} locked instructions, {table} says {locked} ({found.locked - locked:+d})")
    return sorted(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oshrun", help="the launcher")
    parser.add_argument("--program", help="operations.c, compiled")
    parser.add_argument("--built-with", required=True, help="compiler, its version, machine, build type")
    parser.add_argument("--write", action="store_true", help="write what is counted to the table")
    parser.add_argument("--check", action="store_true", help="with OSHEN_CHECK=1, which has a table of its own")
    parser.add_argument("--nodes", type=int, default=1, help="of the two PEs")
    parser.add_argument("--transport", default="loop", help="between two nodes")
    parser.add_argument("--table", type=Path, default=Path(__file__).with_name("budgets.txt"), help="instead of budgets.txt")
    parser.add_argument("--without-sleepers", action="store_true", help="do not count the sleep of the PE's other thread")
    parser.add_argument("--caller-only", action="store_true", help="do not count the network's own thread")
    parser.add_argument("--report", type=Path, help="take this report of callgrind instead of running")
    options = parser.parse_args()
    if options.report:
        report = options.report.read_text()
    else:
        if not shutil.which("valgrind"):
            print("skipped: no valgrind (scripts/setup.sh test)")
            return 0
        with tempfile.TemporaryDirectory() as folder:
            settings = SETTINGS | ({"OSHEN_CHECK": "1"} if options.check else {})
            settings |= {"OSHEN_TRANSPORT": options.transport} if options.nodes > 1 else {}
            run_under_callgrind(options.oshrun, options.program, Path(folder, "report"), settings, options.nodes,
                                options.caller_only)
            report = Path(folder, "report").read_text()
    typical = without_sleepers(read_report(report)) if options.without_sleepers else read_report(report)
    counted = {name: Budget(costs.all.total(), costs.locked.total()) for name, costs in typical.items()
               if not (options.check and name in COMPARED)}
    if options.write:
        write_table(options.table, options.built_with, counted)
        return 0
    built_with, budgets = read_table(options.table)
    wrong = complaints(counted, budgets, options.built_with == built_with, options.table.name)
    for line in wrong:
        print(f"perf: {line}")
        name, _, problem = line.partition(":")
        costs = typical.get(name, Executed(Counter(), Counter()))
        for function, cost in (costs.locked if "locked" in problem else costs.all).most_common():
            print(f"        {cost:6} {function}")
    if wrong:
        print("perf: if this is meant: see tests/gates/perf/README.md")
    else:
        print("perf:", ", ".join(f"{name} {count.instructions} ({count.locked} locked)" for name, count in counted.items()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
