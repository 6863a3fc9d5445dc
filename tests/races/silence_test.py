#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs without races, built with `oshcc --races`: no report, and the same result as ever.

usage: silence_test.py --bin FOLDER [--pes N,N] [--part K/N] spec     the programs of tests/spec, as run_spec.py runs them
       silence_test.py --bin FOLDER [--pes N,N] [--part K/N] apps     the mini-apps, every synchronisation
       silence_test.py --bin FOLDER [--pes N,N] [--part K/N] fortran  the tests of the Fortran interface, examples of docs/

--pes: default one number at random. --part: every N-th program, from the K-th on (`random/N`: some K). Programs with wrong
calls (`bad_*`) are left out, because the detector meets some of the mistakes before the library.

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

import removals

sys.path.insert(0, str(removals.ROOT / "tests/spec"))
import run_spec  # noqa: E402

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


def app_failures(app: str, tools: Path, pes: list[int], folder: str) -> int:
    apps, program, failures = removals.ROOT / "apps", Path(folder) / app, 0
    removals.compile_app(app, apps, removals.sources_of_apps(), tools / "oshcc", program)
    for n in pes:
        job = subprocess.run([tools / "oshrun", "--timeout", "100", "-n", str(n), program, *removals.RUNS[app].split(),
                              "--sync", "all"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if job.returncode != 0 or "oshen: race" in job.stdout:
            print(f"{app} on {n} PEs: status {job.returncode}\n{job.stdout}")
            failures += 1
    return failures


def fortran_sources(folder: Path) -> list[Path]:
    """Tests that end by themselves, and the examples of the pages, which are written to `folder`."""
    tests = removals.ROOT / "tests/languages/fortran"
    names = ("allocate", "atomics", "collectives", "contexts", "extensions", "old_fixed", "old_free", "old_lock", "rma", "signals",
             "teams", "threads", "waits")
    sources = sorted(path for name in names for path in tests.glob(f"{name}.f*"))
    for page in sorted((removals.ROOT / "docs").glob("*/*.md")):
        for name, text in re.findall(r"^```fortran\n! (\w+\.f90)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            sources.append(folder / f"{page.stem}_{name}")
            sources[-1].write_text(text)
    return sources


def fortran_failures(source: Path, tools: Path, pes: list[int], folder: str) -> int:
    program, failures = Path(folder) / f"{source.name}.out", 0
    subprocess.run([tools / "oshfort", "--races", "-O1", source, "-o", program, "-J", folder], check=True)
    for n in pes:
        job = subprocess.run([tools / "oshrun", "--timeout", "100", "-n", str(n), program],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if job.returncode != 0 or "oshen: race" in job.stdout:
            print(f"{source.name} on {n} PEs: status {job.returncode}\n{job.stdout}")
            failures += 1
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("what", choices=("spec", "apps", "fortran"))
    parser.add_argument("--pes", type=lambda text: [int(n) for n in text.split(",")], default=[random.choice((2, 3, 4))])
    parser.add_argument("--part", type=removals.read_part, default=slice(None))
    options = parser.parse_args()
    print(f"on {options.pes} PEs, part {options.part}")
    spec = sorted(p for p in (removals.ROOT / "tests/spec").glob("*.c") if not p.name.startswith("bad_"))
    with tempfile.TemporaryDirectory() as folder:
        all_of, failures_of = {
            "spec": (spec, spec_failures), "apps": (list(removals.RUNS), app_failures),
            "fortran": (fortran_sources(Path(folder)), fortran_failures)}[options.what]
        failures = sum(failures_of(one, options.bin, options.pes, folder) for one in all_of[options.part])
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
