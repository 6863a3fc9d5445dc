# SPDX-License-Identifier: BSD-3-Clause
"""The command line of oshprof."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

DESCRIPTION = """Finds the exchanges of a program that are worth porting to one-sided
communication: runs a command and reports its MPI and OpenSHMEM calls, or
reports the records that an earlier run kept (--read)."""
USAGE = """oshprof [options] [--] command ...
       oshprof [options] --read FOLDER"""
EXAMPLES = """The command is the usual one, with its launcher; the program is unchanged:
  oshprof mpiexec -n 4 lmp -in in.rhodo
  oshprof oshrun -n 4 ./my_program"""
MPIS = ("openmpi", "mpich", "abi", "none")
TIMELINES = (".json", ".svg", ".png", ".pdf")


def fail(message: str) -> NoReturn:
    sys.exit(f"oshprof: {message}")


class Parser(argparse.ArgumentParser):
    """Prints one line for a mistake, because the output of the command surrounds it."""

    def error(self, message: str) -> NoReturn:
        fail(re.sub(r"^argument (\S+): ", r"\1: ", message) + " (see --help)")


def count(unit: str) -> Callable[[str], int]:
    """The type of a number of these units."""
    def read(text: str) -> int:
        if not text.isdigit() or int(text) < 1:
            raise argparse.ArgumentTypeError(f"{text}: expected a number of {unit}, 1 or more")
        return int(text)
    return read


def timeline(text: str) -> Path:
    if Path(text).suffix not in TIMELINES:
        raise argparse.ArgumentTypeError(f"{text}: expected a file name that ends in .json, .svg, .png or .pdf")
    return Path(text)


def parser(version: str = "") -> argparse.ArgumentParser:
    made = Parser(prog="oshprof", usage=USAGE, description=DESCRIPTION, epilog=EXAMPLES, allow_abbrev=False,
                  formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("-o", dest="output", type=Path, metavar="FILE", help="also write the report as JSON")
    made.add_argument("--keep", metavar="FOLDER", help="keep the records of all processes in FOLDER")
    made.add_argument("--read", metavar="FOLDER", help="report the records in FOLDER; no command runs")
    made.add_argument("--mpi", choices=MPIS, help="the MPI of the program; default: detected")
    made.add_argument("--top", type=count("rows"), default=12, metavar="N", help="rows of each table; default: 12")
    made.add_argument("--matrix", type=Path, metavar="FILE",
                      help="draw the bytes between each pair of processes, as .svg or .png; needs matplotlib")
    made.add_argument("--timeline", dest="timelines", action="append", type=timeline, default=[], metavar="FILE",
                      help="write every call of all processes, with arrows for messages: .json for ui.perfetto.dev or "
                           "chrome://tracing, .svg or .png for a picture, which needs matplotlib; may be given twice")
    made.add_argument("--timeline-calls", dest="most", type=count("calls"), default=100000, metavar="N",
                      help="calls kept of each process; default: 100000")
    made.add_argument("--version", action="version", version=f"oshprof {version}", help="print the version")
    made.add_argument("command", nargs=argparse.REMAINDER,
                      help="the command that starts the program, with its launcher")
    return made


def parse(arguments: list[str], version: str) -> argparse.Namespace:
    """The options; `command` is empty with --read."""
    given, unknown = parser(version).parse_known_args(arguments)
    if unknown:
        fail(f"{unknown[0]}: unknown option; oshprof --help lists the options, and -- ends them")
    if given.command[:1] == ["--"]:
        del given.command[0]
    if not given.command and given.read is None:
        fail("no command given (see --help)")
    return given
