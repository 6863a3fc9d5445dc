# SPDX-License-Identifier: BSD-3-Clause
"""Measures every change of the tuning file again with fresh samples, before and after, and takes back those without
gain."""

from __future__ import annotations

import shutil
import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from .decide import MARGIN
from .points import Point
from .progress import Progress
from .sweep import ROUND_SECONDS
from .tools import Tools
from .tuning_file import Winners


@dataclass
class Gain:
    point: Point
    before: str
    after: str
    before_ns: float
    after_ns: float
    ratio: float  # median over the rounds of after / before
    kept: bool = True


def changed(points: list[Point], winners: Winners) -> list[Point]:
    return [p for p in points if winners[p.team.n_pes, p.collective, p.bytes] != p.incumbent]


def lines_for(points: list[Point], files: dict[str, str]) -> tuple[list[str], dict[tuple[str, int], tuple[str, Point]]]:
    sizes: dict[str, list[Point]] = defaultdict(list)
    for point in points:
        sizes[point.collective].append(point)
    lines, owners = [], {}
    for which, file in files.items():
        for collective, members in sizes.items():
            job = f"{which}-{collective}"
            lines.append(f"{job} {collective} OSHEN_COLL_TUNING={file} " + ",".join(str(p.bytes) for p in members))
            owners.update({(job, p.bytes): (which, p) for p in members})
    return lines, owners


def compare(tools: Tools, points: list[Point], winners: Winners, old: Path | None, new: Path, rounds: int,
            progress: Progress) -> list[Gain]:
    files = {"before": "none", "after": str(tools.work / "after.txt")}
    shutil.copy(new, files["after"])
    if old is not None:
        files["before"] = str(tools.work / "before.txt")
        shutil.copy(old, files["before"])
    todo = changed(points, winners)
    teams = {n_pes: [p for p in todo if p.team.n_pes == n_pes] for n_pes in dict.fromkeys(p.team.n_pes for p in todo)}
    if todo:
        progress.plan(rounds, {n_pes: 2 * len(mine) for n_pes, mine in teams.items()}, progress.crowded)
    samples: dict[tuple[str, int], list[float]] = defaultdict(list)
    for number in range(rounds):
        for n_pes, mine in teams.items():
            lines, owners = lines_for(mine, files)
            progress.start(n_pes, len(owners), f"again, round {number + 1}, {mine[0].team.label()}")
            found = tools.jobs(n_pes, lines if number % 2 == 0 else lines[::-1], ROUND_SECONDS, progress.step)
            for place, (which, point) in owners.items():
                samples[which, id(point)].append(found[place])
            progress.finish()
    gains = []
    for p in todo:
        before, after = samples["before", id(p)], samples["after", id(p)]
        gains.append(Gain(p, p.incumbent, winners[p.team.n_pes, p.collective, p.bytes], statistics.median(before),
                          statistics.median(after), statistics.median(a / b for a, b in zip(after, before))))
    return gains


def take_back(gains: list[Gain], winners: Winners) -> None:
    """Restores the incumbent where the second measurement does not confirm the gain."""
    for gain in gains:
        if gain.ratio > 1 - MARGIN / 2:
            gain.kept = False
            p = gain.point
            winners[p.team.n_pes, p.collective, p.bytes] = p.incumbent
