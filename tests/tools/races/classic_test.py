#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles classic.c with `oshcc --races` and runs every race and its right twin.

usage: classic_test.py --bin FOLDER classic.c
"""

import argparse
import re
import shutil
import sys
import tempfile
from pathlib import Path

from raced_program import RACES_FOUND, compile_with, run

# For each race: the function in whose lines both places lie, the object, and what the report asks for.
RACES = {
    "nofence": (r"data\[63\]", "nofence", "PE 0 needs a fence before the shmem_long_atomic_set"),
    "reuse": (r"source\[\d\]", "reuse", "PE 0 needs a quiet between them"),
    "localquiet": (r"data\[63\]", "localquiet", "PE 0 needs a fence before the shmem_long_atomic_set"),
    "sync": (r"data\[0\]", "sync_only", "PE 0 needs a quiet before the shmem_team_sync"),
    "getnbi": (r"data\[0\]", "getnbi", "PE 0 needs a quiet between them"),
    "destinuse": (r"blocks\[\d+\]", "destinuse", "nothing orders them"),
    "collectuse": (r"blocks\[\d+\]", "collectuse", "nothing orders them"),
    "nbsource": (r"source\[1\]", "nbsource", r"PE \d needs to complete the collective between them"),
    "nbdest": (r"blocks\[1\]", "nbdest", r"PE \d needs to complete the collective between them"),
    "third": (r"data\[0\]", "third", "PE 0 needs a quiet before the shmem_long_atomic_set"),
    "twowriters": (r"data\[0\]", "twowriters", "nothing orders them"),
    "loadstore": (r"data\[0\]", "loadstore", "nothing orders them"),
    "nonatomic": ("counter", "nonatomic", "nothing orders them"),
    "bcastbarrier": ("flag", "bcastbarrier", "nothing orders them"),
    "unlocked": ("counter", "unlocked", "nothing orders them"),
    "context": (r"data\[63\]", "context", "PE 0 needs a fence or quiet of its context before the shmem_long_atomic_set"),
    "contextget": (r"data\[0\]", "contextget", "PE 0 needs a quiet of its context between them"),
    "ahead": (r"data\[0\]", "ahead", "nothing orders them"),
}
RIGHT = ["signals", "broadcast", "stored", "extensions"]


def complaints(name: str, status: int, output: str) -> list[str]:
    """What is wrong with the output of a race."""
    thing, function, missing = RACES[name]
    place = rf"classic\.c:\d+ \({function}\)"
    report = rf"oshen: race on {thing} \(static\) of PE \d: PE \d [^\n]* at {place}, and PE \d [^\n]* at {place}: {missing}"
    wrong = [] if status == RACES_FOUND else [f"exit status {status}, expected {RACES_FOUND}"]
    return wrong + ([] if re.search(report, output) else [f"no line like /{report}/"])


def check(arguments: argparse.Namespace, program: Path, pes: int) -> int:
    failures = 0
    for name in [*RACES, *RIGHT]:
        for form in ("right", "wrong") if name in RACES else ("right",):
            status, output = run(arguments.bin / "oshrun", program, pes, name, form)
            wrong = complaints(name, status, output) if form == "wrong" else \
                [f"{form}, but status {status}"] * (status != 0 or "race" in output)
            for text in wrong:
                print(f"{name} {form} on {pes} PEs: {text}\n{output}")
            failures += bool(wrong)
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("source", type=Path)
    arguments = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for compiler in filter(shutil.which, ("gcc", "clang")):
            program = Path(folder) / compiler
            compile_with(arguments.bin / "oshcc", compiler, arguments.source, program)
            failures += sum(check(arguments, program, pes) for pes in (3, 4))
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
