#!/usr/bin/env python3
"""Runs a command and checks its exit status and its output; ctest's PASS_REGULAR_EXPRESSION ignores the exit status.

  expect.py [--status N|fails] [--says REGEX ...] [--never REGEX ...] [--or-says REGEX] -- COMMAND [ARGUMENT ...]

--status: the exit status, by default 0; 128 + N for the end by signal N. `fails` means 1 to 123: the program itself reported
an error, so that a time-out (124) or a crash does not count. --or-says: alternatively, status 0 with this output is
accepted. A regular expression may span lines.
"""

import argparse
import os
import re
import subprocess
import sys


def run(command: list[str]) -> tuple[int, str]:
    """The exit status as a shell reports it, and the output, which is also printed as it arrives."""
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = b""
    while piece := os.read(job.stdout.fileno(), 65536):  # to the end: a process with the pipe open belongs to the job
        sys.stdout.buffer.write(piece)
        sys.stdout.flush()
        output += piece
    status = job.wait()
    return status if status >= 0 else 128 - status, output.decode(errors="replace")


def complaints(options: argparse.Namespace, status: int, output: str) -> list[str]:
    if options.or_says and status == 0 and re.search(options.or_says, output, re.DOTALL):
        return []
    wrong = []
    if options.status == "fails":
        if not 1 <= status <= 123:
            wrong.append(f"exit status {status}, expected a failure (1 .. 123)")
    elif status != int(options.status):
        wrong.append(f"exit status {status}, expected {options.status}")
    wrong += [f"its output has nothing like /{text}/" for text in options.says if not re.search(text, output, re.DOTALL)]
    wrong += [f"its output has /{text}/" for text in options.never if re.search(text, output, re.DOTALL)]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--status", default="0", help="exit status, or `fails`")
    parser.add_argument("--says", action="append", default=[], help="the output has this")
    parser.add_argument("--never", action="append", default=[], help="the output does not have this")
    parser.add_argument("--or-says", help="status 0 and this are as good")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    wrong = complaints(options, *run(options.command))
    for line in wrong:
        print(f"expect: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
