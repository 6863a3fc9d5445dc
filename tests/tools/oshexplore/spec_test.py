#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The programs of tests/spec are right, so `oshrun --explore` reports none of them within a bound.

usage: spec_test.py --bin FOLDER [--pes N] [--part K/N] [--seconds N]

A race is a failure too, unless the program says at its top that it races on purpose: `@races REASON`.

Left out: programs with wrong calls (`bad_*`, `check_*_calls`), with calls of shmemx.h (`ext_*`), and LEFT_OUT. A program that
has no complete order within the bound, or that needs what is not modelled, is counted, but it proves nothing.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from mini_apps import ROOT, Part, read_part

import run_spec

# These start the library without oshrun or again, or need what the model has not: a limit, fairness, memory of other PEs, words of
# locks, messages of liboshen.
LEFT_OUT = {"check_mode", "exit_status", "heap_core_dump", "init_attr", "init_many", "init_thread_levels", "lock_fifo",
            "ptr_static_and_heap", "team_all_slots", "wait_any_rotates"}


def may_run(run: run_spec.Run, pes: int) -> bool:
    return not run.environment and not run.arguments and run.result == "ok" and pes in (run.pes or [pes])


def explore(source: Path, options: argparse.Namespace, folder: Path) -> str:
    """The last line about the search, or the report of a failure."""
    program = folder / source.stem
    subprocess.run([options.bin / "oshcc", "--explore", "-w", "-std=gnu11", "-O1", source, "-o", program, "-lm", "-pthread"], check=True)
    races = [] if re.search(r"^// @races ", source.read_text(), re.M) else ["--races"]
    command = [options.bin / "oshrun", "--explore", *races, "--any-output", "-n", options.pes, "--timeout", options.seconds, program]
    job = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if job.returncode not in (0, 2):
        return f"FAILED {job.stdout}"
    return next((line.removeprefix("explore: ") for line in job.stdout.splitlines() if line.startswith("explore: ")), job.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--pes", type=int, default=2)
    parser.add_argument("--part", type=read_part, default=Part(), metavar="K/N")
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    print(f"part {options.part}")
    sources = [path for path in sorted((ROOT / "tests/spec").glob("*.c"))
               if not re.match(r"bad_|check_\w+_calls|ext_", path.stem) and path.stem not in LEFT_OUT
               and any(may_run(run, options.pes) for run in run_spec.read_program(path).runs)]
    count = {"every order": 0, "some orders": 0, "nothing proved": 0, "failures": 0}
    with tempfile.TemporaryDirectory(prefix="oshen-explore-") as folder:
        for source in options.part.of(sources):
            said = explore(source, options, Path(folder))
            print(f"{source.stem}: {said}", flush=True)
            kind = ("failures" if said.startswith("FAILED") else "every order" if re.match(r"all \d+ order", said)
                    else "some orders" if " tried order" in said else "nothing proved")
            count[kind] += 1
    print(", ".join(f"{kind}: {n}" for kind, n in count.items()))
    return 1 if count["failures"] or not count["every order"] else 0


if __name__ == "__main__":
    sys.exit(main())
