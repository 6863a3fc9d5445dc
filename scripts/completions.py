#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes shell completions of the tools that use argparse, by shtab, from the parsers of the tools.

  completions.py FOLDER TOOL ...    writes FOLDER/bash/TOOL and FOLDER/zsh/_TOOL for each TOOL

The build runs it if a Python with shtab is found (cmake/manual.cmake). Without shtab these tools are completed like the
others: tools/completions/oshen.bash reads the output of --help. """

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import shtab

SOURCE = Path(__file__).resolve().parent.parent
MODULES = {"oshbench": ("bench", "oshbench.cli"), "oshprof": ("tools/oshprof", "oshprof.options"),
           # each has a function parser()
           "oshtune": ("tools/oshtune", "oshtune.main"), "oshen-lammps-study": ("lammps", "oshen_lammps_study.cli")}
FOLDERS = ("work", "ours", "bench")
FILES = ("file", "lmp")
COMMAND = {"bash": "_oshen_commands", "zsh": "_files",
           "preamble": {"bash": '_oshen_commands() { compgen -c -f -- "$1"; }'}}


def actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All options and arguments, also those of subcommands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from actions(command)


def parser_of(tool: str) -> argparse.ArgumentParser:
    """The parser of a tool, with what a shell offers for each value."""
    os.environ["XDG_CACHE_HOME"] = "~/.cache"  # for the default in a help text
    folder, module = MODULES[tool]
    sys.path[:0] = [str(SOURCE / folder), str(SOURCE / "tools/shared")]
    parser = importlib.import_module(module).parser()
    for action in actions(parser):
        if action.dest in FOLDERS or action.metavar == "FOLDER":
            action.complete = shtab.DIRECTORY
        elif action.nargs == argparse.REMAINDER:
            action.complete = COMMAND
        elif action.type is Path or action.dest in FILES or action.metavar == "FILE":
            action.complete = shtab.FILE
        elif tool == "oshbench" and action.dest == "what":
            profiles = importlib.import_module("oshbench.measure.profiles")
            action.choices = [*profiles.PROFILES, *profiles.GROUPS]
    return parser


def main() -> int:
    if len(sys.argv) < 3 or not set(sys.argv[2:]) <= MODULES.keys():
        print(__doc__, file=sys.stderr)
        return 2
    for tool in sys.argv[2:]:
        for shell, name in (("bash", tool), ("zsh", f"_{tool}")):
            target = Path(sys.argv[1], shell, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(shtab.complete(parser_of(tool), shell))
    return 0


if __name__ == "__main__":
    sys.exit(main())
