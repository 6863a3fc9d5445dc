#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Removes one synchronisation of the mini-apps at a time, and looks whether `oshcc --races` names the race.

usage: removals.py --bin FOLDER [--part K/N] [--argued] [--page FILE] [TEXT]

--part: every N-th removal, from the K-th on (`random/N`: as many, by a seed, which OSHEN_SEED
repeats). --page: writes the results as a table. TEXT: only removals
whose name contains it. A removal that leaves the program right stands in mini_apps_argued.txt with the reason, one without
a race in NO_RACES. A removal is named if the detector names a race with its usual settings, or else with OSHEN_RACES_STRICT=1.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mini_apps import APPS, ARGUED, RUNS, Objects, Part, Removal, apps_with, find_removals, read_argued, read_part, sources_of_apps

MUST_NAME = 0.95
# Wrong, but no two accesses race.
NO_RACES = {"halo/shmem.c put_signal: shmem_quiet()": "A signal may overtake that of the turn before; `oshrun --explore` finds it."}


def run_app(app: str, program: Path, oshrun: Path, pes: int, strict: bool) -> str:
    job = subprocess.run([oshrun, "--timeout", "20", "-n", str(pes), program, *RUNS[app].split(), "--sync", "all"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                         env={**os.environ, "OSHEN_RACES_STRICT": "01"[strict]})
    line = next((line for line in job.stdout.splitlines() if line.startswith("oshen: race on ")), "")
    return line.replace("oshen:", "strict:" if strict else "", 1).strip()


def run_with(removal: Removal, objects: Objects, tools: Path, folder: Path) -> str:
    """The line that names the race, or ""."""
    wrong = objects.compile_without(removal)
    programs = apps_with(removal.file, objects.sources)
    for strict in (False, True):
        for app in programs:
            if not strict:
                objects.link(app, removal.file, wrong, folder / app)
            for pes in (3,) if strict else (3, 4):
                if line := run_app(app, folder / app, tools / "oshrun", pes, strict):
                    return line
    return ""


def write_page(page: Path, results: dict[Removal, str], argued: dict[str, str]) -> None:
    rows = [f"| `{r.name}` | {line or 'none: ' + argued.get(r.name, 'missed')} |" for r, line in results.items()]
    page.write_text("| removed | report |\n|---|---|\n" + "\n".join(rows) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--part", type=read_part, default=Part(), metavar="K/N")
    parser.add_argument("--page", type=Path, metavar="FILE")
    parser.add_argument("--argued", action="store_true", help="also remove what stands in mini_apps_argued.txt")
    parser.add_argument("text", nargs="?", default="")
    options = parser.parse_args()
    argued = {**read_argued(), **NO_RACES}
    everything = find_removals(APPS)
    unknown = [name for name in argued if name not in {r.name for r in everything}]
    print(f"part {options.part}")
    for name in unknown:
        print(f"{ARGUED.name}: there is no such call any more: {name}")
    chosen = [r for r in everything if options.text in r.name and (options.argued or r.name not in argued)]
    results: dict[Removal, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        objects = Objects(sources_of_apps(), options.bin / "oshcc", Path(folder))
        for removal in options.part.of(chosen):
            line = results[removal] = run_with(removal, objects, options.bin, Path(folder))
            verdict = "named" if line else "argued" if removal.name in argued else "MISSED"
            print(f"{verdict:7} {removal.name}\n        {line or argued.get(removal.name, '')}", flush=True)
    if options.page:
        write_page(options.page, results, argued)
    needed = [r for r in results if r.name not in argued]
    named = sum(bool(results[r]) for r in needed)
    print(f"{len(results)} removals, {len(results) - len(needed)} argued, {named} of the other {len(needed)} named")
    return 1 if unknown or named < MUST_NAME * len(needed) else 0


if __name__ == "__main__":
    sys.exit(main())
