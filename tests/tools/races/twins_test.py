#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs each case of a source file of twins: in the form `wrong` the race is named with its object, both of its lines and what is
missing, and in the form `right` nothing is reported. Each case runs on one node and on two virtual nodes.

usage: twins_test.py --bin FOLDER [--part K/N] [--only TEXT] SOURCE

--part: every N-th run, from the K-th on (`random/N`: as many, by a seed, which
OSHEN_SEED repeats). A case that needs a set-up of its own says so in its first line:
`threads`: it also runs with OMP_NUM_THREADS=1, and on one CPU.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import raced_program
import mini_apps

COMPILERS = {".c": ["oshcc", "-std=gnu11"], ".cpp": ["oshc++", "-std=c++20"], ".f90": ["oshfort"]}
CASE = re.compile(r"^\s*(?://|!) case (\w+)( threads)?: ([^:]+(?:::[^:]+)*): (.*)$")
MARK = re.compile(r"(?://|!) races$")
END_OF_FUNCTION = re.compile(r"\}|\S.*\}(  // races)?$|  end subroutine")
END = re.compile(r" \((?:static|\d+ B).*")
ONE_CPU = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]


@dataclass
class Case:
    name: str
    threads: bool
    thing: str
    missing: list[str]  # one of these texts
    lines: list[int]


@dataclass(frozen=True)
class Setting:
    name: str
    options: tuple[str, ...] = ()
    omp_threads: int = 2
    one_cpu: bool = False


SETTINGS = (Setting("one node"), Setting("two nodes", ("--nodes", "2")))
THREADED = (Setting("one thread", omp_threads=1), Setting("one CPU", one_cpu=True))


def read_cases(source: Path) -> list[Case]:
    """The marked lines of a case are those of its function, and those of functions that several cases use."""
    found: list[Case] = []
    shared: list[int] = []
    inside = False
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if match := CASE.match(line):
            found.append(Case(match[1], match[2] is not None, match[3], match[4].split("|"), []))
            inside = True
        elif MARK.search(line):
            (found[-1].lines if inside else shared).append(number)
        inside = inside and END_OF_FUNCTION.match(line) is None
    for case in found:
        case.lines += shared
    return found


def compile_twins(tools: Path, source: Path, folder: Path) -> Path:
    program = folder / "twins"
    compiler, *flags = COMPILERS[source.suffix]
    modules = ["-J", folder] if source.suffix == ".f90" else []
    subprocess.run([tools / compiler, "--races", *flags, "-O1", "-fopenmp", "-pthread", source, "-o", program, *modules], check=True)
    return program


def run(tools: Path, program: Path, case: Case, form: str, setting: Setting) -> tuple[int, str]:
    command = [*(ONE_CPU if setting.one_cpu else []), tools / "oshrun", "--timeout", "100", "-n", "3", *setting.options, program,
               case.name, form]
    job = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         env={**os.environ, "OMP_NUM_THREADS": str(setting.omp_threads)})
    return job.returncode, job.stdout


def is_named(case: Case, source: Path, output: str) -> bool:
    """Whether a report names the object, two lines that are marked, and what is missing."""
    place = re.compile(rf" at {re.escape(source.name)}:(\d+)")
    for line in output.splitlines():
        if (match := re.match(r"oshen: race on (.*?): (PE .*)$", line)) is None:
            continue
        thing = END.sub("", match[1]).rpartition("::")[2]
        lines = [int(number) for number in place.findall(match[2])][:2]
        pattern = case.thing.replace("[", "[[]")
        if fnmatch.fnmatchcase(thing, pattern) and len(lines) == 2 and set(lines) <= set(case.lines) and any(text in match[2] for text in case.missing):
            return True
    return False


def complaint(case: Case, source: Path, form: str, status: int, output: str) -> str:
    if form == "right":
        return "" if (status, output) == (0, "done\n") else f"expected silence, but status {status}"
    if status != raced_program.RACES_FOUND:
        return f"status {status}, expected {raced_program.RACES_FOUND}"
    return "" if is_named(case, source, output) else f"no report on {case.thing} at two of the lines {case.lines}: {' or '.join(case.missing)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--part", type=mini_apps.read_part, default=mini_apps.Part())
    parser.add_argument("--only", default="")
    parser.add_argument("source", type=Path)
    options = parser.parse_args()
    runs = [(case, form, setting) for case in read_cases(options.source) if options.only in case.name
            for setting in (*SETTINGS, *(THREADED if case.threads else ())) for form in ("wrong", "right")]
    impatient = "OSHEN_TEST_IMPATIENT" in os.environ  # of mutants: all runs, up to the first failure
    runs = runs if impatient else options.part.of(runs)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        program = compile_twins(options.bin, options.source, Path(folder))
        for case, form, setting in runs:
            status, output = run(options.bin, program, case, form, setting)
            if wrong := complaint(case, options.source, form, status, output):
                failures += 1
                print(f"{case.name} {form}, {setting.name}: {wrong}\n{output}", flush=True)
                if impatient:
                    break
    print(f"{len(runs)} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
