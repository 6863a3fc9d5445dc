#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of `oshrun --explore` and `--replay` as a page: planted errors, litmus tests, removed synchronisations, programs
that are right, replays.

usage: write_numbers.py --bin FOLDER --work FOLDER [--record] [--part K/N] [--replays N]

Writes numbers.md and the table of all removals to the folder --work. --record: also writes the page of docs/design.
--part: only a part of the mini-apps, removals and programs of tests/spec; the page says so. Takes most of an hour.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import examples_test
import numbers_page
import planted_test
import races_test
import threads_test
from explored import ExploredProgram
from numbers_page import ROOT
from oshbench.correctness import litmus
from oshbench.machine.load import Watch

HERE = Path(__file__).parent
PAGE = ROOT / "docs/design/explore-numbers.md"
RECORDED = ("no_fence", "source_reuse", "ahead", "late_reset", "first_of_two", "get_and_put", "ticket", "philosophers", "two_orders",
            "beyond")


def run(script: str, options: argparse.Namespace, *words: str) -> tuple[str, int]:
    return numbers_page.run(HERE / script, options.bin, *words)


def run_unit(script: str, options: argparse.Namespace) -> tuple[str, int]:
    """The output of a test of unittest, and how many of its cases fail."""
    said, status = run(script, options)
    return said, max(len(re.findall(r"^(?:FAIL|ERROR): ", said, re.M)), status != 0)


class Programs(ExploredProgram):
    """The programs of the tests, outside of a test."""

    def searched(self, name: str, form: str, *more: object) -> subprocess.CompletedProcess:
        n_pes = planted_test.ERRORS[name][1]
        return self.oshrun("--explore", "-n", n_pes, "--timeout", 60, *more, self.built("planted"), name, form)


def planted(programs: Programs) -> tuple[list[str], int]:
    found = silent = 0
    slowest, at = 0.0, ""
    for name, (kind, _) in planted_test.ERRORS.items():
        began = time.monotonic()
        found += programs.searched(name, "wrong").stdout.startswith(f"explore: {kind}: ")
        if time.monotonic() - began > slowest:
            slowest, at = time.monotonic() - began, name
        silent += re.match(r"explore: all \d+ orders?", programs.searched(name, "right").stdout) is not None
    n = len(planted_test.ERRORS)
    return [f"| planted errors of protocols | {n} | {found} found, the slowest (`{at}`) in {slowest:.1f} s |",
            f"| their right forms | {n} | {silent} without a report in all orders |"], 2 * n - found - silent


def tested(options: argparse.Namespace) -> tuple[list[str], int]:
    tests = litmus.read_tests(ROOT / "bench")
    allowed = sum(test.verdict == "allowed" for test in tests)
    _, litmus_failures = run_unit("litmus_test.py", options)
    _, race_failures = run_unit("races_test.py", options)
    _, thread_failures = run_unit("threads_test.py", options)
    said, example_failures = run_unit("examples_test.py", options)
    removed = len(re.findall(r"\.c: shmem_.* explore: ", said))
    n_races = len(planted_test.ERRORS) + len(tests) + len(races_test.CLASSIC)
    return [f"| litmus tests, of which {allowed} outcomes are allowed | {len(tests)} | {litmus_failures} with another outcome than the "
            "table |",
            f"| planted errors of threads, and their right forms | {len(threads_test.ERRORS)} | {thread_failures} with another result than "
            "expected |",
            "| with `--races`: planted errors, litmus tests, programs of the race detector | "
            f"{n_races} | {race_failures} with another result than expected |",
            f"| synchronisations removed from the examples of the manual pages and the tutorial | {removed} | "
            f"{removed - len(examples_test.UNNEEDED)} are needed; {example_failures} with another result than expected |",
            ], litmus_failures + race_failures + thread_failures + example_failures


def searched(options: argparse.Namespace) -> tuple[list[str], int]:
    part = ["--part", options.part] if options.part else []
    rows = []
    said, _ = run("removals_test.py", options, *part, "--table", str(options.work / "removals.md"))
    n, needed, wrong = map(int, re.search(r"^(\d+) removals, (\d+) of them needed, (\d+) with", said, re.M).groups())
    rows.append(f"| synchronisations removed from the mini-apps | {n} | {needed} are needed; {wrong} with another result than expected |")
    said, status = run("removals_test.py", options, "--right", *part)
    wrong += status
    searches = len(re.findall(r"^\w+, \S+: ", said, re.M))
    rows.append(f"| mini-apps, each with each synchronisation | {searches} | {len(re.findall(r': all orders$', said, re.M))} in all orders, "
                f"the others within the bound; {re.search(r', ([0-9]+) failures', said)[1]} reports |")
    for pes in ("2", "3"):
        said, status = run("spec_test.py", options, *part, "--pes", pes)
        wrong += status
        every, some, nothing, failed = map(int, re.search(r"^every order: (\d+), some orders: (\d+), nothing proved: (\d+), failures: (\d+)$",
                                                          said, re.M).groups())
        rows.append(f"| programs of tests/spec, {pes} PEs | {every + some + nothing + failed} | {every} in all orders, {some} in some, "
                    f"{nothing} too large or not modelled; {failed} reports |")
    return rows, wrong


def replays(programs: Programs, options: argparse.Namespace) -> tuple[list[str], int]:
    """Replays, four for each CPU at a time, so that the machine is loaded."""
    at_once, different = 4 * multiprocessing.cpu_count(), 0
    for name in RECORDED:
        file = programs.folder / f"{name}.order"
        programs.searched(name, "wrong", "--record", file)
        words = ("--replay", file, programs.built("planted"), name, "wrong")
        with ThreadPoolExecutor(at_once) as pool:
            jobs = list(pool.map(lambda _, words=words: programs.oshrun(*words), range(options.replays)))
        different += sum((job.stdout, job.returncode) != (jobs[0].stdout, jobs[0].returncode) for job in jobs)
        print(f"{name}: {options.replays} replays, {different} different so far", flush=True)
    return [f"| recordings, each replayed {options.replays} times, {at_once} at a time | {len(RECORDED)} | "
            f"{different} replays with other bytes |"], different


def page(options: argparse.Namespace, programs: Programs) -> tuple[str, int]:
    watch = Watch()
    rows, failures = planted(programs)
    for part in (tested(options), searched(options)):
        rows += part[0]
        failures += part[1]
    where = numbers_page.circumstances(watch.disturbed(), options.part)
    repeated, different = replays(programs, options)
    lines = "\n".join(rows + repeated)
    return f"""# Numbers of every ordering

`ninja explore-record` writes this page ([explore.md](explore.md) explains the search). `ninja explore` writes the same numbers to
`build/release/explore/numbers.md`, beside a table of all removals.

{where}

| programs | number | result |
|---|---|---|
{lines}
""", failures + different


def main() -> int:
    parser = numbers_page.command_line(__doc__)
    parser.add_argument("--replays", type=int, default=1000)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    Programs.tools = options.bin.resolve()
    Programs.setUpClass()
    text, failures = page(options, Programs())
    Programs.doClassCleanups()
    numbers_page.write(text, options, PAGE)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
