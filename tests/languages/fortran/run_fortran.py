#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles a Fortran program with oshfort and runs it.

  run_fortran.py --bin BIN --work DIR modules                     makes the modules, and finds them the second time
  run_fortran.py --bin BIN --work DIR program SOURCE [FLAG...]    with 1, 2 and 3 PEs; each run must succeed
  run_fortran.py --bin BIN --work DIR fails REGEX SOURCE          with 2 PEs; must fail with a line that matches
  run_fortran.py --bin BIN --work DIR links LIST                  a program that names every routine of the list must link
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from patience import patient

FLAGS = ["-Wall", "-Werror", "-Wno-unused-variable", "-g", "-fcheck=all"]


def run(*command: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def must(*command: str | Path) -> str:
    done = run(*command)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nstatus {done.returncode}\n{done.stdout}")
    return done.stdout


def modules(binaries: Path) -> None:
    shutil.rmtree(os.environ["OSHEN_FORTRAN_CACHE"], ignore_errors=True)
    for kinds in ([], ["-fdefault-integer-8"]):
        first = must(binaries / "oshfort", "--showme:compile", *kinds)
        second = must(binaries / "oshfort", "--showme:compile", *kinds)
        if first.count("compiling the modules") != 1 or second != first.splitlines(keepends=True)[-1]:
            sys.exit(f"the modules were not made once and found then:\n{first}{second}")


def compiled(binaries: Path, work: Path, source: Path, flags: list[str]) -> Path:
    libraries = [flag for flag in flags if flag.startswith("-l")]
    others = [flag for flag in flags if flag not in libraries]
    program = work / f"{source.stem}{''.join(others)}"
    must(binaries / "oshfort", *FLAGS, *others, source, "-o", program, "-J", work, *libraries)
    return program


def links(binaries: Path, work: Path, listed: Path) -> None:
    """Compiles and links a program that hands each routine on; it is not run, since most of them want arguments."""
    names = [line for line in listed.read_text().splitlines() if line and not line.startswith("#")]
    source = work / "every_routine.f90"
    source.write_text("program every_routine\n" + "".join(f"  external {name}\n" for name in names) +
                      "".join(f"  call touch({name})\n" for name in names) +
                      "end program\nsubroutine touch(routine)\n  external routine\nend subroutine\n")
    must(binaries / "oshfort", source, "-o", work / "every_routine")
    print(f"{len(names)} routines")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("what", choices=["modules", "program", "fails", "links"])
    options, rest = parser.parse_known_args()
    oshrun = patient([str(options.bin / "oshrun"), "--timeout", "60"])
    if options.what == "modules":
        modules(options.bin)
    elif options.what == "program":
        program = compiled(options.bin, options.work, Path(rest[0]), rest[1:])
        for n in (1, 2, 3):
            must(*oshrun, "-n", n, program)
    elif options.what == "links":
        links(options.bin, options.work, Path(rest[0]))
    else:
        done = run(*oshrun, "-n", "2", compiled(options.bin, options.work, Path(rest[1]), []))
        if done.returncode == 0 or not re.search(rest[0], done.stdout):
            sys.exit(f"status {done.returncode}, expected a failure that says /{rest[0]}/:\n{done.stdout}")


if __name__ == "__main__":
    main()
