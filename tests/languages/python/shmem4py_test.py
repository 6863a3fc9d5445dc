#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds shmem4py from PyPI, an independent client, with our oshcc, and runs its own test suite.

  shmem4py_test.py build --work DIR --oshcc PATH
  shmem4py_test.py run   --work DIR --oshrun PATH -n PES

`build` does nothing if the headers, the compiler and the version are those of the last build.
Status 77 means that PyPI could not be reached and nothing was tested.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from patience import patient

VERSION = "1.0.0"
# Packages for its build, which an isolated build would fetch each time. Its code does not work with NumPy 2 (copy=False,
# -1 as uint8).
TOOLS = ["numpy<2", "cffi", "setuptools>=70.1", "wheel"]
FEWEST_TESTS = 110  # of the suite of 1.0.0; with fewer, some tests were not found
SKIPPED = 77


class Failed(Exception):
    """An error: one line for the user, and the exit status."""

    def __init__(self, line: str, status: int = 1):
        super().__init__(line)
        self.status = status


def call(*command, **how) -> None:
    """Runs a command of the build; shows its output if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **how)
    if done.returncode == 0:
        return
    if re.search("Failed to establish a new connection|Name or service not known|Temporary failure", done.stdout):
        raise Failed("PyPI cannot be reached: shmem4py is not tested", SKIPPED)
    raise Failed(f"{done.stdout}\nshmem4py: {' '.join(map(str, command[:4]))} ...: status {done.returncode}")


def wanted(oshcc: Path) -> str:
    """A hash that changes whenever the extension must be built again. The library is not part of it, because it is loaded
    at run time."""
    hashed = hashlib.sha256(f"{VERSION} {TOOLS} {sys.version} {oshcc.resolve()}".encode())
    include = subprocess.run([oshcc, "--showme:compile"], check=True, capture_output=True, text=True).stdout
    for word in include.split():
        for header in sorted(Path(word.removeprefix("-I")).rglob("*.h")):
            hashed.update(header.read_bytes())
    return hashed.hexdigest()


def make_environment(work: Path) -> None:
    """Makes a venv with the packages for shmem4py, and unpacks its source; neither depends on our library."""
    ready = work / "environment.stamp"
    contents = f"{VERSION} {sys.version} {TOOLS}"
    if ready.exists() and ready.read_text() == contents:
        return
    pip = [work / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "-q"]
    call(sys.executable, "-m", "venv", "--clear", work / "venv")
    call(*pip, "install", *TOOLS)
    call(*pip, "download", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", "-d", work, f"shmem4py=={VERSION}")
    shutil.unpack_archive(archive(work), work)
    ready.write_text(contents)


def archive(work: Path) -> Path:
    return work / f"shmem4py-{VERSION}.tar.gz"


def build(work: Path, oshcc: Path) -> None:
    work.mkdir(parents=True, exist_ok=True)
    stamp = work / "built.stamp"
    if stamp.exists() and stamp.read_text() == wanted(oshcc):
        return
    stamp.unlink(missing_ok=True)
    make_environment(work)
    # -O0, because compiling the wrappers of 1507 functions takes long, and their speed does not matter.
    call(work / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-deps",
         "--no-cache-dir", "--no-build-isolation", "--force-reinstall", archive(work),
         env={**os.environ, "OSHCC": str(oshcc), "CFLAGS": "-O0"})
    stamp.write_text(wanted(oshcc))


def run(work: Path, oshrun: Path, n_pes: int) -> None:
    """Every PE runs the whole suite and must pass; oshrun ends the job at the first PE that fails."""
    if not (work / "built.stamp").exists():
        raise Failed("shmem4py has not been built (see `build`): it is not tested", SKIPPED)
    suite = work / f"shmem4py-{VERSION}/test"
    command = [oshrun, "-n", n_pes, "-l", "--timeout", 150, work / "venv/bin/python", "-m", "unittest", "discover", "-s", suite]
    done = subprocess.run(patient(list(map(str, command))), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ran = [int(n) for n in re.findall(r"^\[\d+\] Ran (\d+) tests", done.stdout, re.MULTILINE)]
    passed = len(re.findall(r"^\[\d+\] OK", done.stdout, re.MULTILINE))
    if done.returncode != 0 or passed != n_pes or len(ran) != n_pes or min(ran) < FEWEST_TESTS:
        raise Failed(f"{done.stdout}\nshmem4py: oshrun ended with status {done.returncode}; "
                     f"{passed} of {n_pes} PEs passed; tests run by each: {ran}")
    print(f"shmem4py {VERSION}: {min(ran)} tests passed on each of {n_pes} PEs")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    building, running = commands.add_parser("build"), commands.add_parser("run")
    for one in (building, running):
        one.add_argument("--work", type=Path, required=True, metavar="DIR")
    building.add_argument("--oshcc", type=Path, required=True)
    running.add_argument("--oshrun", type=Path, required=True)
    running.add_argument("-n", type=int, required=True, metavar="PES")
    asked = parser.parse_args()
    try:
        if asked.command == "build":
            build(asked.work.absolute(), asked.oshcc.absolute())
        else:
            run(asked.work.absolute(), asked.oshrun.absolute(), asked.n)
    except Failed as why:
        print(why, file=sys.stderr)
        return why.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
