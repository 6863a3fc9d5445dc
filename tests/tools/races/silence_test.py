#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs without races, built with `oshcc --races`: no report, and the same result as ever.

usage: silence_test.py --bin FOLDER [--pes N,N] [--part K/N] KIND...

    spec     the programs of tests/spec, as run_spec.py runs them. Those with wrong calls (`bad_*`, `check_*_calls`) are left
             out, because the detector meets some of the mistakes before the library, and OSHEN_CHECK compares its calls too
    others   apps, fortran, litmus, bench, c, python: see silent_programs.py

--pes: default one number at random. --part: every N-th program, from the K-th on (`random/N`: as many, by a
seed, which OSHEN_SEED repeats).

A program of tests/spec that races on purpose says `@races REASON` in the comment at its top; it must be reported.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import mini_apps
import silent_programs

import run_spec

FLAGS = ["--races", "-std=gnu11", "-O2"]


def spec_failures(source: Path, tools: Path, pes: list[int], folder: str) -> int:
    program = f"{folder}/{source.stem}"
    subprocess.run([tools / "oshcc", *FLAGS, source, "-o", program, "-lm", "-pthread"], check=True)
    described = run_spec.read_program(source)
    launcher = f"{tools / 'oshrun'} -n {{n}} --timeout 100"
    if not re.search(r"^// @races ", source.read_text(), re.MULTILINE):
        return run_spec.run_program(program, described, launcher, 100, pes)
    job = subprocess.run([tools / "oshrun", "-n", "3", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "oshen: race on " in job.stdout:
        return 0
    print(f"{source.name}: no report, but it says @races\n{job.stdout}")
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("what", nargs="+", choices=("spec", *silent_programs.KINDS), metavar="KIND")
    parser.add_argument("--pes", type=lambda text: [int(n) for n in text.split(",")], default=[random.choice((2, 3, 4))])
    parser.add_argument("--part", type=mini_apps.read_part, default=mini_apps.Part())
    options = parser.parse_args()
    print(f"on {options.pes} PEs, part {options.part}", flush=True)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.what:
            programs, failed = run_kind(kind, options, Path(folder))
            print(f"{kind}: {programs} programs, {failed} failures", flush=True)
            failures += failed
    return 1 if failures else 0


def run_kind(kind: str, options: argparse.Namespace, folder: Path) -> tuple[int, int]:
    """The number of programs, and of failures."""
    if kind == "spec":
        every = (mini_apps.ROOT / "tests/spec").glob("*.c")
        spec = options.part.of(sorted(p for p in every if not re.match(r"bad_|check_\w+_calls", p.stem)))
        return len(spec), sum(spec_failures(source, options.bin, options.pes, str(folder)) for source in spec)
    built: set[str] = set()
    programs = options.part.of(silent_programs.KINDS[kind](options.bin, folder))
    return len(programs), sum(silent_programs.failures_of(one, options.bin, options.pes, folder, built) for one in programs)


if __name__ == "__main__":
    sys.exit(main())
