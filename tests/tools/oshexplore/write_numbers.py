#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of `oshrun --explore` and `--replay` as a page: planted errors, litmus tests, removed synchronisations, programs
that are right, replays.

usage: write_numbers.py --bin FOLDER --work FOLDER [--record] [--part K/N] [--replays N] [--build FOLDER]

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
from dataclasses import dataclass
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
MOST_SECONDS = 60  # for a planted error
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


@dataclass
class Row:
    """One result of a proof."""
    proof: str  # its letter
    what: str
    number: int
    result: str
    wrong: int  # results that were not expected

    def __str__(self) -> str:
        return f"| {self.proof} | {self.what} | {self.number} | {self.result} | {'no' if self.wrong else 'yes'} |"


def planted(programs: Programs) -> list[Row]:
    found = silent = 0
    slowest, at = 0.0, ""
    for name, (kind, _) in planted_test.ERRORS.items():
        began = time.monotonic()
        found += programs.searched(name, "wrong").stdout.startswith(f"explore: {kind}: ")
        if time.monotonic() - began > slowest:
            slowest, at = time.monotonic() - began, name
        silent += re.match(r"explore: all \d+ orders?", programs.searched(name, "right").stdout) is not None
    n = len(planted_test.ERRORS)
    return [Row("c", "planted errors of protocols", n, f"{found} found, the slowest (`{at}`) in {slowest:.1f} s",
                n - found + (slowest > MOST_SECONDS)),
            Row("e", "their right forms", n, f"{silent} without a report in all orders", n - silent)]


def tested(options: argparse.Namespace) -> list[Row]:
    tests = litmus.read_tests(ROOT / "bench")
    allowed = sum(test.verdict == "allowed" for test in tests)
    _, litmus_failures = run_unit("litmus_test.py", options)
    _, race_failures = run_unit("races_test.py", options)
    _, thread_failures = run_unit("threads_test.py", options)
    said, example_failures = run_unit("examples_test.py", options)
    removed = len(re.findall(r"\.c: shmem_.* explore: ", said))
    n_races = len(planted_test.ERRORS) + len(tests) + len(races_test.CLASSIC)
    return [Row("a", f"litmus tests, of which {allowed} outcomes are allowed", len(tests),
                f"{litmus_failures} with another outcome than the table", litmus_failures),
            Row("b", "synchronisations removed from the examples of the manual pages and the tutorial", removed,
                f"{removed - len(examples_test.UNNEEDED)} are needed; {example_failures} with another result than expected",
                example_failures),
            Row("c", "planted errors of threads, and their right forms", len(threads_test.ERRORS),
                f"{thread_failures} with another result than expected", thread_failures),
            Row("c", "with `--races`: planted errors, litmus tests, programs of the race detector", n_races,
                f"{race_failures} with another result than expected", race_failures)]


def searched(options: argparse.Namespace) -> list[Row]:
    part = ["--part", options.part] if options.part else []
    said, _ = run("removals_test.py", options, *part, "--table", str(options.work / "removals.md"))
    n, needed, wrong = map(int, re.search(r"^(\d+) removals, (\d+) of them needed, (\d+) with", said, re.M).groups())
    rows = [Row("b", "synchronisations removed from the mini-apps", n,
                f"{needed} are needed; {wrong} with another result than expected", wrong)]
    said, _ = run("removals_test.py", options, "--right", *part)
    searches, reports = len(re.findall(r"^\w+, \S+: ", said, re.M)), int(re.search(r", ([0-9]+) failures", said)[1])
    rows.append(Row("e", "mini-apps, each with each synchronisation", searches,
                    f"{len(re.findall(r': all orders$', said, re.M))} in all orders, the others within the bound; {reports} reports",
                    reports))
    for pes in ("2", "3"):
        said, status = run("spec_test.py", options, *part, "--pes", pes)
        every, some, nothing, failed = map(int, re.search(r"^every order: (\d+), some orders: (\d+), nothing proved: (\d+), failures: (\d+)$",
                                                          said, re.M).groups())
        rows.append(Row("e", f"programs of tests/spec, {pes} PEs", every + some + nothing + failed,
                        f"{every} in all orders, {some} in some, {nothing} too large or not modelled; {failed} reports", status))
    return rows


def replays(programs: Programs, options: argparse.Namespace) -> Row:
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
    return Row("d", f"recordings, each replayed {options.replays} times, {at_once} at a time", len(RECORDED),
               f"{different} replays with other bytes", different)


def unchanged(programs: Programs, options: argparse.Namespace) -> list[Row]:
    """The cost of programs that are not built with --explore."""
    budgets = sum(not line.startswith(("#", "built-with")) for line in (ROOT / "tests/gates/perf/budgets.txt").read_text().splitlines()
                  if line)
    command = ["ctest", "--test-dir", str(options.build or options.bin.resolve().parent), "-R", r"^perf\.instructions$", "--output-on-failure"]
    print("+", *command, flush=True)
    counted = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(counted.stdout, end="", flush=True)
    is_counted = counted.returncode == 0 and "100% tests passed" in counted.stdout and "skipped" not in counted.stdout.lower()
    plain = programs.folder / "plain"
    subprocess.run([programs.tools / "oshcc", "-O1", HERE / "message.c", "-o", plain], check=True)
    needs = subprocess.run(["nm", "-D", "--undefined-only", plain], capture_output=True, text=True, check=True).stdout
    libraries = subprocess.run(["ldd", plain], capture_output=True, text=True, check=True).stdout
    other = len(re.findall(r"__tsan_|__wrap_", needs)) + libraries.count("liboshen-explore")
    return [Row("f", "instructions of calls in liboshen, against their budgets", budgets,
                "none is above" if is_counted else "not counted, or above", not is_counted),
            Row("f", "a program built without `--explore`: symbols and libraries of the search", other, "none" if other == 0 else "some",
                other)]


PROOFS = """\
| | proof |
|---|---|
| a | the outcomes of each litmus test are those that [the table](../user/litmus.md) allows, and no other ones |
| b | without a fence, quiet, wait, barrier or lock a failing order is found, or the list says why there is none |
| c | planted errors are found, each in less than 60 s |
| d | replays repeat an order: the same bytes, on a loaded machine |
| e | right programs are not reported |
| f | a program that is built without the option has not one instruction more |
"""


def page(options: argparse.Namespace, programs: Programs) -> tuple[str, int]:
    watch = Watch()
    rows = [*planted(programs), *tested(options), *searched(options)]
    where = numbers_page.circumstances(watch.disturbed(), options.part)
    rows += [replays(programs, options), *unchanged(programs, options)]
    lines = "\n".join(str(row) for row in sorted(rows, key=lambda row: row.proof))
    return f"""# Numbers of every ordering

`ninja explore-record` writes this page ([explore.md](explore.md) explains the search). `ninja explore` writes the same numbers to
`build/release/explore/numbers.md`, beside a table of all removals.

{where}

{PROOFS}
| | what | number | result | holds |
|---|---|---|---|---|
{lines}
""", sum(row.wrong for row in rows)


def main() -> int:
    parser = numbers_page.command_line(__doc__)
    parser.add_argument("--replays", type=int, default=1000)
    parser.add_argument("--build", type=Path, help="default: the folder that contains --bin")
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
