#!/usr/bin/env python3
"""Every mini-app on 1, 2, 3, 4 and 8 PEs with 1 and 2 threads, with and without delays, with every synchronisation.

  coverage.py BIN [--mpi FOLDER "LAUNCHER ..."] ...

BIN has oshrun and the programs, FOLDER the programs of one MPI. Within one transport the checksum of an app of fixed
size may depend on nothing but, where sums are rounded, the number of PEs.
"""
import argparse
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path

# The program, or a way to use it under a name of its own. Its arguments, whether it computes with threads, whether the
# checksum is the same for all numbers of PEs.
APPS = {
    "heat_image": ("64 64 20", True, True),
    "daxpy": ("10007 --scaling strong --steps 10", True, True),
    "hpccg": ("16 16 16 --scaling strong --steps 34", True, False),
    "minife": ("8", True, False),
    "minimd": ("8 --steps 40", True, False),
    "minimd.eam": ("6 --potential eam --steps 22", True, False),
    "remap3d": ("20 16 24 --steps 2", True, True),
    "prk_stencil": ("101 --steps 10", True, True),
    "prk_p2p": ("30 8 --steps 1", False, True),
    "prk_transpose": ("65 --steps 10", True, True),
    "bale_histogram": ("1000 10000", False, False),
    "bale_gather": ("1000 10000", False, False),
    "bale_permute": ("2000 5", False, True),
    "bale_transpose": ("2000 5", False, True),
    "bale_toposort": ("300 3", False, True),
    "bale_triangles": ("30 5", False, True),
    "gups": ("14", False, True),
    "isx": ("65536 --steps 3", False, False),
}
SECONDS = 600


def run(launcher: list[str], program: Path, pes: int, arguments: str) -> str:
    """The checksum, or raises with all that the program said."""
    command = [*launcher, "-n", str(pes), str(program), *arguments.split()]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment)
    if done.returncode != 0 or not re.search(r"^result   right$", done.stdout, re.M):
        raise RuntimeError(f"status {done.returncode} of {' '.join(command)}\n{done.stdout}{done.stderr}")
    return re.search(r"^checksum (\w+)$", done.stdout, re.M).group(1)


def sweep(launcher: list[str], folder: Path) -> list[str]:
    failures = []
    for app, (size, threaded, one_checksum) in APPS.items():
        checksums = {}
        for pes, threads, delay in itertools.product((1, 2, 3, 4, 8), (1, 2), ("", "--delay 3")):
            syncs = "all" if threaded or threads == 1 else "counter"
            print(f"{folder.name} {app}: {pes} PEs, {threads} threads {delay}", flush=True)
            try:
                got = run(launcher, folder / app.partition(".")[0], pes, f"{size} --sync {syncs} --threads {threads} {delay}")
                checksums.setdefault(0 if one_checksum else pes, set()).add(got)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failures.append(str(error))
        failures += [f"{folder.name} {app}: checksums {found}" for found in checksums.values() if len(found) > 1]
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("--mpi", nargs=2, action="append", default=[], metavar=("FOLDER", "LAUNCHER"))
    options = parser.parse_args()
    failures = sweep([str(options.bin / "oshrun"), "--timeout", str(SECONDS)], options.bin)
    for folder, launcher in options.mpi:
        failures += sweep(launcher.split(), Path(folder))
    print("\n".join(failures) or "apps: all right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
