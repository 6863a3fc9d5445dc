#!/usr/bin/env python3
"""The long sweep: every use of LAMMPS' FFT, on several numbers of ranks, each remap compared with LAMMPS' own.

Give it any number of LAMMPS programs. Ends non-zero if anything differed; prints one line for each run.
"""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import lammps_inputs
from lammps_runs import Lammps, checked

RANKS = (1, 2, 3, 4, 6)
# Two worlds, and a separate world for k-space: ranks and arguments of lmp.
SPLIT = lammps_inputs.salt(extra="run_style verlet/split")
WORLDS = {
    "two_worlds": (4, lammps_inputs.salt(), "2x2"),
    "unequal_worlds": (5, lammps_inputs.salt(), "3 2"),
    "split": (3, SPLIT, "2 1"),
    "split_more": (6, SPLIT, "4 2"),
}


def tries(lammps, options):
    """All combinations: name, ranks, input, mode, arguments of lmp."""
    for mode in options.modes:
        for name, text in lammps.inputs().items():
            for ranks in options.ranks:
                yield name, ranks, text, mode, []
        for name, (ranks, text, cut) in WORLDS.items():
            yield name, ranks, text, mode, ["-partition", *cut.split(), "-screen", "none"]


def sweep(lammps, options):
    """Returns the number of runs and the names of those that failed."""
    runs, failed = 0, []
    for name, ranks, text, mode, arguments in tries(lammps, options):
        runs += 1
        try:
            checked(lammps, ranks, text, mode, arguments=arguments)
            verdict = "passed"
        except (SystemExit, subprocess.TimeoutExpired) as problem:
            failed.append(f"{lammps.options.lmp}: {name}, {ranks} ranks, {mode}")
            verdict = f"FAILED: {problem}"
        print(f"{name}, {ranks} ranks, {mode}: {verdict}", flush=True)
    return runs, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path, nargs="+", help="LAMMPS programs")
    parser.add_argument("--oshen-lammps", type=Path, required=True)
    parser.add_argument("--bench", type=Path, required=True, help="folder with in.rhodo and data.rhodo")
    parser.add_argument("--work", type=Path, required=True, help="folder for the runs, emptied first")
    parser.add_argument("--modes", nargs="+", default=["check"], help="words for OSHEN_LAMMPS, check among them")
    parser.add_argument("--ranks", type=int, nargs="+", default=RANKS)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    os.chdir(options.work)
    total, wrong = 0, []
    for options.lmp in options.programs:
        print(f"==== {options.lmp}", flush=True)
        runs, failed = sweep(Lammps(options), options)
        total, wrong = total + runs, wrong + failed
    print(f"{total} runs, {len(wrong)} failed", *wrong, sep="\n")
    sys.exit(1 if wrong or total == 0 else 0)


if __name__ == "__main__":
    main()
