#!/usr/bin/env python3
"""Runs a program for FFTW-MPI with the real library and with Oshen's, and compares all numbers.

  fftw_mpi_test.py REAL REPLACED CASE FOLDER [--preload LIBRARY] [--real-launcher WORD ...] -- LAUNCHER [ARGUMENT ...]

REAL: the program with the real library. REPLACED: the same program, linked to Oshen's library or run with --preload.
CASE: all, batch, part-first, or no-fftw, which is batch where the real library is missing.
"""

import argparse
import array
import os
import subprocess
import sys
from pathlib import Path

RANKS = 3
PLANS = 37
TOLERANCE = {"": 1e-11, ".single": 2e-5}
BATCH = 2 * 2 * 4 * 6 * 5  # numbers that the case `batch` writes in addition, on all ranks

# Case: plans of Oshen, and words of the line about the others.
EXPECTED = {
    "all": (PLANS, ""),
    "batch": (PLANS, "howmany = 2: expected 1, or an array of two dimensions: this plan is left to FFTW-MPI"),
    "no-fftw": (PLANS, "howmany = 2: expected 1, or an array of two dimensions: the plan is NULL, because the program has no libfftw3_mpi"),
    "part-first": (2, "comm is not the processes of one OpenSHMEM job"),
}


def run(launcher: list[str], program: str, prefix: Path, case: str, preload: str | None) -> tuple[str, str]:
    words = [*launcher, "-n", str(RANKS)]
    if preload:  # only into the ranks: the launcher itself may be a program of another kind
        words += ["env", f"LD_PRELOAD={preload}"]
    words += [program, str(prefix)] + ([{"no-fftw": "batch"}.get(case, case)] if case != "all" else [])
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"fftw_mpi_test: status {done.returncode} of {' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def numbers(prefix: Path, kind: str) -> list[array.array]:
    return [array.array("d", Path(f"{prefix}{kind}.{rank}").read_bytes()) for rank in range(RANKS)]


def compare(right: Path, mine: Path, missing: int) -> list[str]:
    """`missing` numbers at the end of the files may be absent in all."""
    wrong = []
    for kind, tolerance in TOLERANCE.items():
        lost = 0
        for rank, (a, b) in enumerate(zip(numbers(right, kind), numbers(mine, kind))):
            lost += len(a) - len(b)
            worst = max((abs(x - y) for x, y in zip(a, b)), default=0)
            if not worst <= tolerance or len(b) > len(a):
                wrong.append(f"rank {rank}{kind}: {len(b)} numbers of {len(a)}, the largest difference is {worst}")
        if lost != (missing if kind == "" else 0):
            wrong.append(f"{lost} numbers{kind} are missing")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("real")
    parser.add_argument("replaced")
    parser.add_argument("case", choices=EXPECTED)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--preload")
    parser.add_argument("--real-launcher", action="append")
    between = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:between])
    launcher = sys.argv[between + 1:]
    os.makedirs(options.folder, exist_ok=True)
    right, mine = options.folder / "real", options.folder / "oshen"
    run(options.real_launcher or launcher, options.real, right, options.case, None)
    said, complained = run(launcher, options.replaced, mine, options.case, options.preload)
    plans, words = EXPECTED[options.case]
    wrong = compare(right, mine, BATCH if options.case == "no-fftw" else 0)
    total = PLANS + (options.case == "part-first")
    if f"{plans} of {total} plans are not those of FFTW" not in said:
        wrong.append(f"expected {plans} of {total} plans of Oshen: {said}")
    if words not in complained or ("oshen-fftw-mpi" in complained) != bool(words):
        wrong.append(f"expected the words {words!r}: {complained}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
