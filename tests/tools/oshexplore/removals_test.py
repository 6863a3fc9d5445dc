#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Removes one synchronisation of the mini-apps at a time, and looks whether `oshrun --explore` finds an order that fails.

usage: removals_test.py --bin FOLDER [--right] [--part K/N] [--table FILE] [TEXT]

--right: removes nothing, and no order may fail or race. --part: every N-th removal (or mini-app), from the K-th on (`random/N`:
as many, by a seed, which OSHEN_SEED repeats). --table: writes the results as a table. TEXT: only removals whose name
contains it. After the removals of mini_apps_argued.txt and of UNNEEDED the mini-apps are still right, so no order may fail.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from mini_apps import APPS, Objects, Part, Removal, apps_with, find_removals, read_argued, read_part, sources_of_apps

SECONDS = 4  # for each synchronisation of an app, and half of it for random orders
ARGUED_APPS = 2  # in which a removal that leaves them right is tried
# What the race detector asks for, although no order fails.
UNNEEDED = {
    "bale_toposort.c level_plain: words_settle(s->left)": "Each PE contributes to the sum before it after its look at the rows."}

# The smallest inputs with which PEs communicate, and the number of PEs.
RUNS = {
    "prk_transpose": ("6 --steps 3", 2), "heat_image": ("5 3 3", 3), "prk_stencil": ("5 --steps 3", 2), "prk_p2p": ("4 3 --steps 2", 2),
    "daxpy": ("6 --steps 3 --scaling strong", 3), "isx": ("5 --steps 2", 2), "minife": ("3", 2), "hpccg": ("2 2 2 --steps 34", 2),
    "minimd": ("4 --steps 1", 2), "remap3d": ("3 3 3 --steps 2", 2), "gups": ("2", 2), "bale_histogram": ("3 4", 2),
    "bale_gather": ("3 4", 2), "bale_permute": ("4 1", 2), "bale_transpose": ("4 1", 2), "bale_toposort": ("4 1", 2),
    "bale_triangles": ("4 1", 2)}
NEIGHBOURS = ("barrier", "quiet+sync", "fence+flag", "signal", "pscw", "counter", "get-pull", "coll")
WORDS = (*NEIGHBOURS, "plain")
# The synchronisations that a function of halo/shmem.c belongs to. Others belong to all.
SYNCS_OF = {
    "barrier": ("barrier",), "quiet_sync": ("quiet+sync",), "put_fence_flag": ("fence+flag",), "put_signal": ("signal",),
    "wait_signals": ("signal",), "put_when_granted": ("pscw",), "put_piece": ("counter",), "wait_count": ("counter",),
    "offer": ("get-pull",), "pull": ("get-pull",), "wait_all": ("fence+flag", "pscw")}


def syncs_of(app: str, removal: Removal) -> tuple[str, ...]:
    words = app == "gups" or app.startswith("bale")
    if "_plain" in removal.function or removal.function == "words_settle":
        return ("plain",)
    return SYNCS_OF.get(removal.function, WORDS if words else NEIGHBOURS)


def explore(program: Path, app: str, sync: str, oshrun: Path, *more: str) -> tuple[str, bool]:
    """The line of the failure or "", and whether all orders were run."""
    words, pes = RUNS[app]
    complete = False
    for bound in (["--timeout", SECONDS], ["--timeout", SECONDS / 2, "--random", 1]):
        command = [oshrun, "--explore", *more, "--any-output", "-n", pes, *bound, program, *words.split(), "--sync", sync]
        job = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        complete = complete or re.search(r"^explore: all \d+ order", job.stdout, re.M) is not None
        if job.returncode not in (0, 2):
            return job.stdout.splitlines()[0].removeprefix("explore: "), complete
        if complete:
            break
    return "", complete


def run_without(removal: Removal, objects: Objects, tools: Path, folder: Path, most_apps: int | None) -> tuple[str, int, int]:
    """The app, its synchronisation and how it fails, or ""; how many searches ended, and how many of them ran all orders."""
    wrong = objects.compile_without(removal)
    searches = complete = 0
    for app in sorted(apps_with(removal.file, objects.sources), key=list(RUNS).index)[:most_apps]:
        objects.link(app, removal.file, wrong, folder / app)
        for sync in syncs_of(app, removal):
            line, all_orders = explore(folder / app, app, sync, tools / "oshrun")
            if line:
                return f"{app}, {sync}: {line}", searches, complete
            searches, complete = searches + 1, complete + all_orders
    return "", searches, complete


def run_right(objects: Objects, apps: list[str], tools: Path, folder: Path) -> int:
    """How many searches of the unchanged mini-apps report something."""
    failures = 0
    for app in apps:
        objects.link(app, "", Path(), folder / app)
        for sync in WORDS if app == "gups" or app.startswith("bale") else NEIGHBOURS:
            line, all_orders = explore(folder / app, app, sync, tools / "oshrun", "--races")
            print(f"{app}, {sync}: {line or ('all orders' if all_orders else 'no failure within the bound')}", flush=True)
            failures += bool(line)
    print(f"{len(apps)} mini-apps, {failures} failures")
    return failures


def run_removals(options: argparse.Namespace, objects: Objects, folder: Path) -> int:
    argued = {**read_argued(), **UNNEEDED}
    everything = find_removals(APPS)
    unknown = [name for name in argued if name not in {r.name for r in everything}]
    for name in unknown:
        print(f"argued, but there is no such call any more: {name}")
    chosen = [r for r in everything if r.file != "hello.c" and options.text in r.name]
    rows, needed, wrong = ["| removed | a failing order |", "|---|---|"], 0, 0
    for removal in options.part.of(chosen):
        reason = argued.get(removal.name)
        line, searches, complete = run_without(removal, objects, options.bin, folder, ARGUED_APPS if reason else None)
        said = line or f"none in {searches} searches, {complete} of them complete"
        said += f": {reason}" if reason else "" if line else ": MISSED"
        print(f"{removal.name}\n        {said}", flush=True)
        rows.append(f"| `{removal.name}` | {said} |")
        needed += reason is None
        wrong += bool(line) == bool(reason)
    if options.table:
        options.table.write_text("\n".join(rows) + "\n")
    print(f"{len(rows) - 2} removals, {needed} of them needed, {wrong} with another result than expected")
    return len(unknown) + wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--right", action="store_true", help="the unchanged mini-apps")
    parser.add_argument("--part", type=read_part, default=Part(), metavar="K/N")
    parser.add_argument("--table", type=Path, metavar="FILE")
    parser.add_argument("text", nargs="?", default="")
    options = parser.parse_args()
    print(f"part {options.part}")
    with tempfile.TemporaryDirectory(prefix="oshen-explore-") as name:
        folder = Path(name)
        objects = Objects(sources_of_apps(), options.bin / "oshcc", folder, "--explore")
        if options.right:
            return 1 if run_right(objects, options.part.of(list(RUNS)), options.bin, folder) else 0
        return 1 if run_removals(options, objects, folder) else 0


if __name__ == "__main__":
    sys.exit(main())
