#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cost of `oshcc --races`: mini-apps with and without it, interleaved; medians of the CPU time in user mode.

One PE does not wait, so that its CPU time says what the checks cost, on a loaded machine too. PEs that wait use CPU time.
--library: also with another liboshen-races, say that of an earlier commit, in the same rounds.
--memory: instead, the shared memory of one PE that stores to all of its symmetric memory, and what the shadow adds.

usage: cost.py --bin FOLDER [--pes N] [--runs N] [--library FOLDER] | --memory
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path

import mini_apps

SIZES = {"hpccg": "40 40 40 --steps 30 --scaling strong", "minimd": "10 --steps 40", "minife": "24",
         "prk_stencil": "500 --steps 40", "gups": "17", "isx": "300000 --steps 5", "bale_triangles": "200 8",
         "remap3d": "32 32 32 --steps 20"}
UNCHECKED = 5


MEMORY = r"""
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  shmem_init();
  const size_t words = strtoul(argv[argc - 1], NULL, 10) << 17;
  long *block = shmem_malloc(words * sizeof *block);
  for (size_t i = 0; i < words; i++) block[i] = 1;
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  long shared;
  while (fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "RssShmem: %ld", &shared) == 1) printf("%ld\n", shared);
  shmem_finalize();
}
"""


def seconds(command: list, library: Path | None) -> float:
    environment = {**os.environ, **({"LD_LIBRARY_PATH": str(library)} if library else {})}
    began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, env=environment)
    if done.returncode != UNCHECKED:  # of a solver that stops early
        done.check_returncode()
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--pes", default="1")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args()
    if options.memory:
        return print_memory(options.bin)
    sources, apps = mini_apps.sources_of_apps(), mini_apps.ROOT / "apps"
    ways = {"usual": None, "--races": None} | ({"other --races": options.library} if options.library else {})
    print("| program |" + "".join(f" {way}, s |" for way in ways) + " ratio |" * (len(ways) - 1))
    print("|---" * 2 * len(ways) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for app, size in SIZES.items():
            times: dict[str, list[float]] = {way: [] for way in ways}
            programs = {way: Path(folder) / f"{app}_{'races' * (way != 'usual')}" for way in ways}
            for program in set(programs.values()):
                mini_apps.compile_app(app, apps, sources, options.bin / "oshcc", program, "--races" if program.name.endswith("races") else "")
            for _ in range(options.runs):
                for way, program in programs.items():
                    times[way].append(seconds([options.bin / "oshrun", "-n", options.pes, program, *size.split(),
                                               "--sync", "signal"], ways[way]))
            medians = [statistics.median(of) for of in times.values()]
            print(f"| `{app} {size}` |" + "".join(f" {m:.3f} |" for m in medians) +
                  "".join(f" {m / medians[0]:.1f} |" for m in medians[1:]), flush=True)


def print_memory(tools: Path) -> None:
    print("| symmetric memory, MiB | with --races, MiB | the shadow adds, times |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "memory.c"
        source.write_text(MEMORY)
        for mebibytes in (1, 16, 128):
            used = []
            for flags in ([], ["--races"]):
                program = Path(folder) / "memory"
                subprocess.run([tools / "oshcc", *flags, "-O1", source, "-o", program], check=True)
                job = subprocess.run([tools / "oshrun", "-n", "1", program, str(mebibytes)], check=True, text=True,
                                     stdout=subprocess.PIPE)
                used.append(int(job.stdout) / 1024)
            print(f"| {used[0]:.1f} | {used[1]:.1f} | {(used[1] - used[0]) / used[0]:.2f} |")


if __name__ == "__main__":
    main()
