#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cost of `oshcc --races`: mini-apps with and without it, interleaved; medians of the CPU time in user mode.

One PE does not wait, so that its CPU time says what the checks cost, on a loaded machine too. PEs that wait use CPU time.

usage: cost.py --bin FOLDER [--pes N] [--runs N]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path

import removals

SIZES = {"hpccg": "40 40 40 --steps 30 --scaling strong", "minimd": "10 --steps 40", "minife": "24",
         "prk_stencil": "500 --steps 40", "gups": "17", "isx": "300000 --steps 5", "bale_triangles": "200 8",
         "remap3d": "32 32 32 --steps 20"}


def seconds(command: list) -> float:
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--pes", default="1")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    sources, apps = removals.sources_of_apps(), removals.ROOT / "apps"
    print("| program | usual, s | with --races, s | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for app, size in SIZES.items():
            times: dict[bool, list[float]] = {False: [], True: []}
            programs = {races: Path(folder) / f"{app}_{races}" for races in times}
            for races, program in programs.items():
                removals.compile_app(app, apps, sources, options.bin / "oshcc", program, races)
            for _ in range(options.runs):
                for races, program in programs.items():
                    times[races].append(seconds([options.bin / "oshrun", "-n", options.pes, program, *size.split(),
                                                 "--sync", "signal"]))
            usual, slow = statistics.median(times[False]), statistics.median(times[True])
            print(f"| `{app} {size}` | {usual:.2f} | {slow:.2f} | {slow / usual:.1f} |", flush=True)


if __name__ == "__main__":
    main()
