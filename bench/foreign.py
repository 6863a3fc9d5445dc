#!/usr/bin/env python3
"""What a job loses beside programs of others: two PEs, pinned by oshrun and not, while four processes a CPU compute for
ever. Steps of so much work and two barriers; a pinned job may take half as long again as one that is not. Exit status 1
if it takes more, or a run goes wrong."""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from oshbench import render
from oshbench.launch import end_with_us, run_bounded

ROOT = Path(__file__).resolve().parent.parent
WORK_US = (0, 100, 1000)
WAYS = {"pinned": ["--bind", "core"], "not pinned": ["--bind", "none"]}
AT_MOST = 1.5


def main() -> int:
    args = parse_arguments()
    found: dict[tuple[int, str], list[float]] = {(work, way): [] for work in WORK_US for way in WAYS}
    with foreign_load(args.load * len(os.sched_getaffinity(0))):
        for number in range(args.rounds):
            ways = list(WAYS) if number % 2 == 0 else list(reversed(WAYS))
            for work in WORK_US:
                for way in ways:
                    found[work, way].append(step(args, work, way))
    rows, reached = [], True
    for work in WORK_US:
        pinned, free = (median(found[work, way]) for way in WAYS)
        reached = reached and pinned / free <= AT_MOST
        rows.append([render.duration(work * 1e3) if work else "none", *(spread(found[work, way]) for way in WAYS),
                     render.ratio(pinned / free), "reached" if pinned / free <= AT_MOST else "missed"])
    title = f"Two PEs beside {args.load} busy processes a CPU, median and extremes of {args.rounds} runs"
    columns = ["work in a step", *WAYS, "ratio", f"at most {AT_MOST}"]
    render.print_tables([(title, columns, rows)])
    return 0 if reached else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ours", type=Path, default=ROOT / "build/release/bin", help="folder of oshrun and bench-foreign-load")
    parser.add_argument("--load", type=int, default=4, help="busy processes for each CPU (default 4)")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each kind (default 7)")
    parser.add_argument("--seconds", type=float, default=2, help="of one run (default 2)")
    return parser.parse_args()


@contextlib.contextmanager
def foreign_load(processes: int):
    """So many processes that compute until the block is left, or this process is gone."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=end_with_us) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def step(args: argparse.Namespace, work: int, way: str) -> float:
    """Nanoseconds for a step."""
    command = [str(args.ours / "oshrun"), "-n", "2", *WAYS[way], str(args.ours / "bench-foreign-load"), str(work), str(args.seconds)]
    ending, said = run_bounded(command, {}, timeout=60 + 20 * args.seconds)
    if ending != "ok":
        sys.exit(f"foreign: {' '.join(command)}: {ending}\n{said}")
    return float(said) * 1e3


def spread(values: list[float]) -> str:
    return f"{render.duration(median(values))} ({render.duration(min(values))} … {render.duration(max(values))})"


if __name__ == "__main__":
    sys.exit(main())
