#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs of tests/spec on virtual nodes, by the lines @run in their comments.

  run_nodes.py --oshrun FILE --programs DIR [--node-pes 1,2,3] [--pes 2,3,5] [--transport NAME] [--chaos]
               [--part K/N] [--only NAME ...] [--but NAME ...] SOURCES

--part: the first run of each program, and of the others every N-th, from the K-th on.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import run_spec


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def part_of(runs: list, part: str) -> list:
    first, step = map(int, part.split("/"))
    return runs[:1] + runs[1:][first::step]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oshrun", required=True)
    parser.add_argument("--programs", required=True, type=Path)
    parser.add_argument("--node-pes", type=numbers, default=[1, 2, 3])
    parser.add_argument("--pes", type=numbers, default=[2, 3, 5])
    parser.add_argument("--limit", type=float, default=120, help="seconds for each run")
    parser.add_argument("--transport", default="loop")
    parser.add_argument("--chaos", action="store_true")
    parser.add_argument("--part", default="0/1", metavar="K/N")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--but", nargs="*", default=[], help="all but these")
    parser.add_argument("sources", nargs="+", type=Path)
    options = parser.parse_args()
    failed = ran = 0
    for source in sorted(options.sources):
        if options.only and source.stem not in options.only or source.stem in options.but:
            continue
        described = run_spec.read_program(source)
        if described.single_node:
            continue
        described.runs = part_of(described.runs, options.part)
        for node_pes in options.node_pes:
            launcher = (f"{options.oshrun} -n {{n}} --timeout {options.limit:.0f} -x OSHEN_NODE_PES={node_pes} "
                        f"-x OSHEN_TRANSPORT={options.transport}"
                        + (" --chaos" if options.chaos else ""))
            began = time.monotonic()
            wrong = run_spec.run_program(str(options.programs / source.stem), described, launcher, options.limit,
                                         options.pes)
            ran += 1
            failed += wrong != 0
            print(f"{source.stem}, {node_pes} PEs a node: {'failed' if wrong else 'passed'} "
                  f"({time.monotonic() - began:.1f} s)", flush=True)
    if options.only and ran < len(options.only) * len(options.node_pes):
        print("some of --only were not found")
        return 1
    print(f"{ran} programs, {failed} failed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
