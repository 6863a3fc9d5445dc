#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The numbers of `oshcc --races` as a page: twins, silence on right programs, removals that are named, cost.

usage: write_numbers.py --bin FOLDER --work FOLDER [--record] [--pes N,N] [--part K/N] [--runs N]

Writes numbers.md and the table of all removals to the folder --work. --record: also writes the page of docs/design.
--pes, --part: other numbers of PEs for all programs, and only a part of programs and removals; the page says so. Takes an hour.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import numbers_page
from oshbench.machine.load import Watch

HERE = Path(__file__).parent
PAGE = numbers_page.ROOT / "docs/design/races-numbers.md"
KINDS = {  # the programs, and the numbers of PEs
    "spec": ("tests/spec: a program for each clause of the standard", "1,2,3,5,8"),
    "apps": ("mini-apps, every synchronisation", "1,2,3,8"),
    "fortran": ("tests of the Fortran interface, Fortran examples of the pages", "1,2,3,5"),
    "litmus": ("litmus tests; those that race are reported", "4"),
    "bench": ("source files with the cases of oshbench", "2,3"),
    "c": ("C examples of the pages, test programs in C", "2,3,5"),
    "python": ("tests and example of the Python interface (calls only)", "1,2,3"),
}
OWN_PES = ("litmus", "bench")  # their numbers of PEs are fixed


def run(script: str, options: argparse.Namespace, *words: str) -> str:
    """The output, which is printed as well."""
    part = ["--part", options.part] if options.part and script != "cost.py" else []
    return numbers_page.run(HERE / script, options.bin, *part, *words)[0]


TWINS = {"C": "twins.c", "C++": "twins.cpp", "Fortran": "twins.f90"}


def twins(options: argparse.Namespace) -> tuple[str, int]:
    rows, failures = ["| language | runs | failures |", "|---|---|---|"], 0
    for language, source in TWINS.items():
        said = run("twins_test.py", options, str(HERE / "twins" / source))
        number, failed = map(int, re.search(r"^(\d+) runs, (\d+) failures$", said, re.M).groups())
        rows.append(f"| {language} | {number} | {failed} |")
        failures += failed
    return "\n".join(rows), failures


def silence(options: argparse.Namespace) -> tuple[str, int]:
    rows, failures = ["| programs | number | PEs | failures |", "|---|---|---|---|"], 0
    for kind, (about, usual) in KINDS.items():
        pes = usual if kind in OWN_PES else options.pes or usual
        said = run("silence_test.py", options, "--pes", pes, kind)
        number, failed = map(int, re.search(r"^\w+: (\d+) programs, (\d+) failures$", said, re.M).groups())
        rows.append(f"| {about} | {number} | {pes.replace(',', ', ')} | {failed} |")
        failures += failed
    return "\n".join(rows), failures


def removed(options: argparse.Namespace) -> tuple[str, int]:
    said = run("removals.py", options, "--argued", "--page", str(options.work / "removals.md"))
    total, argued, named, needed = map(int, re.search(r"^(\d+) removals, (\d+) argued, (\d+) of the other (\d+) named$", said,
                                                      re.M).groups())
    strict = len(re.findall(r"^named .*\n +strict:", said, re.M))
    share = f"{100 * named / needed:.0f} %" if needed else "-"
    rows = [("synchronisations removed, one at a time", total), ("of these the program is right without or has no race", argued),
            ("needed", needed), ("named", f"{named}, {share}"), ("of these only with `OSHEN_RACES_STRICT=1`", strict)]
    return "\n".join(["| removals from the mini-apps | |", "|---|---|", *(f"| {about} | {n} |" for about, n in rows)]), needed - named


def cost(options: argparse.Namespace) -> str:
    said = run("cost.py", options, "--runs", str(options.runs))
    return "\n".join(line for line in said.splitlines() if line.startswith("|"))


def page(options: argparse.Namespace, watch: Watch) -> tuple[str, int]:
    pairs, wrong_twins = twins(options)
    silent, failures = silence(options)
    table, missed = removed(options)
    costs = cost(options)
    where = numbers_page.circumstances(watch.disturbed(), options.part)
    return f"""# Numbers of the race detector

`ninja races-record` writes this page ([races.md](races.md) explains the detector). `ninja races` writes the same numbers to
`build/release/races/numbers.md`, beside a table of all removals.

{where}

## Twins

A racy program and its right twin for each class of races, on one node and on two, with one thread and on one CPU where it has threads.
A failure is a race that is not named with object, both lines and what is missing, or a report about the right twin.

{pairs}

## Silence

A failure is a report in a program that has no race, a race that was planted on purpose and not reported, or a wrong result.

{silent}

## Removals

{table}

## Cost

CPU time in user mode of one PE, medians of {options.runs} interleaved runs.

{costs}
""", wrong_twins + failures + missed


def main() -> int:
    parser = numbers_page.command_line(__doc__)
    parser.add_argument("--pes")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    text, failures = page(options, Watch())
    numbers_page.write(text, options, PAGE)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
