# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tuning file (docs/user/tuning.md)."""

from __future__ import annotations

import math
import os
from itertools import groupby
from pathlib import Path

from .decide import median_of
from .points import Point

Winners = dict[tuple[int, str, int], str]


def pes_ranges(measured: list[int]) -> dict[int, str]:
    """The range of each measured number of PEs: it ends at the geometric mean with its neighbour, or at a factor of two
    if it has none."""
    ordered = sorted(measured)
    ranges, first = {}, max(2, ordered[0] // 2 + 1) if ordered[0] > 1 else 1
    for here, following in zip(ordered, ordered[1:] + [None]):
        last = 2 * here if following is None else max(here, math.isqrt(here * following))
        if here <= 2:
            last = here if following is None else last
        ranges[here] = str(first) if first == last else f"{first}-{last}"
        first = last + 1
    return ranges


def size_text(size: int) -> str:
    for unit, letter in ((1 << 20, "m"), (1 << 10, "k")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)


def between(small: int, large: int) -> int:
    """The power of two nearest to the geometric mean, because limits of size classes are powers of two."""
    return 1 << round((math.log2(small) + math.log2(large)) / 2 - 0.01)


def time_text(ns: float) -> str:
    return f"{ns / 1000:.3g} us"


def use_lines(points: list[Point], winners: Winners, pes: str, to_the_end: bool = True) -> list[str]:
    """The lines of one team and collective: one for each range of sizes with the same winner. The last line holds for
    all larger sizes if `to_the_end`, else up to twice the largest size measured."""
    runs = [list(run) for _, run in groupby(points, key=lambda p: winners[p.team.n_pes, p.collective, p.bytes])]
    lines = []
    for run, following in zip(runs, runs[1:] + [None]):
        end = "all" if to_the_end or run[-1].bytes == 0 else size_text(2 * run[-1].bytes)
        limit = end if following is None else size_text(between(run[-1].bytes, following[0].bytes))
        name = winners[run[0].team.n_pes, run[0].collective, run[0].bytes]
        times = " ".join(f"{size_text(p.bytes)}: {time_text(median_of(p, name))}" for p in run)
        lines.append(f"use {run[0].collective:14} {pes:7} {run[0].team.crowding:7} {limit:6} {name:26} # {times}")
    return lines


def text_of(points: list[Point], winners: Winners, costs: dict[str, float], heading: list[str],
            to_the_end: bool = True) -> str:
    lines = ["oshen-tuning 1"] + [f"# {line}" for line in heading] + [""]
    lines += [f"cost {name} {value:.4g}" for name, value in costs.items()]
    by_crowding: dict[str, list[int]] = {}
    for point in points:
        by_crowding.setdefault(point.team.crowding, []).append(point.team.n_pes)
    for (n_pes, collective), group in groupby(points, key=lambda p: p.key):
        members = list(group)
        if members[0] is points[0] or collective == points[0].collective:
            lines += ["", f"# {members[0].team.label()}"]
        pes = pes_ranges(sorted(set(by_crowding[members[0].team.crowding])))[n_pes]
        lines += use_lines(members, winners, pes, to_the_end)
    return "\n".join(lines) + "\n"


def write(path: Path, text: str) -> None:
    """Replaces the file atomically: a job that starts meanwhile reads the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text)
    os.replace(fresh, path)
