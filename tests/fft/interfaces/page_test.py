#!/usr/bin/env python3
"""Compiles and runs the Poisson solver of docs/user/fft.md: with FFTW-MPI, or changed to Oshen as the page shows.

  page_test.py fftw|oshen PAGE FOLDER COMPILER [FLAG ...] -- LAUNCHER [ARGUMENT ...]
"""

import re
import subprocess
import sys
from pathlib import Path

RANKS = 3


def block(page: str, language: str, beginning: str) -> str:
    """The block that begins with these words."""
    for body in re.findall(rf"^```{language}\n(.*?)^```$", page, re.M | re.S):
        if body.startswith(beginning):
            return body
    sys.exit(f"fft_page_test: the page has no block of {language} that begins with {beginning!r}")


def changed(program: str, diff: str) -> str:
    """The program after the change. The text of each hunk must occur once."""
    for hunk in re.split(r"^@@.*\n", diff, flags=re.M)[1:]:
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] != "+")
        new = "".join(line[1:] for line in lines if line[0] != "-")
        if program.count(old) != 1:
            sys.exit(f"fft_page_test: the program does not have exactly once:\n{old}")
        program = program.replace(old, new)
    return program


def main() -> int:
    which, page, folder = sys.argv[1:4]
    between = sys.argv.index("--")
    compiler, launcher = sys.argv[4:between], sys.argv[between + 1:]
    text = Path(page).read_text()
    program = block(text, "c", "/* poisson.c")
    if which == "oshen":
        program = changed(program, block(text, "diff", "@@"))
    here = Path(folder)
    here.mkdir(parents=True, exist_ok=True)
    (here / "poisson.c").write_text(program)
    command = [compiler[0], "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", str(here / "poisson.c"), "-o", str(here / "poisson"),
               *compiler[1:]]
    subprocess.run(command, check=True)
    said = subprocess.run([*launcher, "-n", str(RANKS), str(here / "poisson")], check=True, stdout=subprocess.PIPE, text=True).stdout
    expected = f"{RANKS} ranks: the solution is right\n"
    if said != expected:
        print(f"fft_page_test: the program prints {said!r}: expected {expected!r}")
    return 0 if said == expected else 1


if __name__ == "__main__":
    sys.exit(main())
