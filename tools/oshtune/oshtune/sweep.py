# SPDX-License-Identifier: BSD-3-Clause
"""Measures in rounds. Each round visits every algorithm once, in another order, so that whatever disturbs the machine
for a while meets all alike; comparisons are made within a round."""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from typing import Callable

from .points import Point
from .tools import Tools

HOPELESS = 2.0       # times slower than the best in every round so far: not measured any more
ROUND_SECONDS = 600  # a round that takes longer hangs


def still_in_the_race(point: Point, name: str) -> bool:
    """Nobody is judged by one sample. The best of each design stays to the end: the map shows them all."""
    known = {other: [s for s in samples if s is not None] for other, samples in point.samples.items()}
    if name == point.incumbent or len(known.get(name, [])) < 2:
        return True
    medians = {other: statistics.median(samples) for other, samples in known.items()}
    rivals = [median for other, median in medians.items() if point.designs[other] == point.designs[name]]
    return min(known[name]) <= HOPELESS * min(medians.values()) or medians[name] <= min(rivals)


def job_lines(points: list[Point]) -> tuple[list[str], dict[tuple[str, int], tuple[Point, str]]]:
    """One job for each algorithm of each collective, with all sizes that it is to be measured at."""
    sizes: dict[tuple[str, str, str], list[Point]] = defaultdict(list)
    for point in points:
        for name in point.designs:
            if still_in_the_race(point, name):
                sizes[point.collective, point.setting, name].append(point)
    lines, owners = [], {}
    for number, ((collective, setting, name), members) in enumerate(sizes.items()):
        job = f"j{number}"
        lines.append(f"{job} {collective} {setting}={name} " + ",".join(str(p.bytes) for p in members))
        owners.update({(job, p.bytes): (p, name) for p in members})
    return lines, owners


def measure_round(tools: Tools, points: list[Point], number: int) -> None:
    """One more sample for every algorithm of these points of one team."""
    lines, owners = job_lines(points)
    random.Random(number).shuffle(lines)
    found = tools.jobs(points[0].team.n_pes, lines, ROUND_SECONDS)
    for point in points:
        for name in point.designs:
            point.samples.setdefault(name, [None] * number).append(None)
    for place, (point, name) in owners.items():
        point.samples[name][number] = found[place]


def sweep(tools: Tools, points: list[Point], rounds: int, tell: Callable[[str], None]) -> None:
    teams = list(dict.fromkeys(point.team.n_pes for point in points))
    for number in range(rounds):
        for n_pes in teams:
            mine = [point for point in points if point.team.n_pes == n_pes]
            measure_round(tools, mine, number)
            tell(f"round {number + 1} of {rounds}, {mine[0].team.label()}: {len(job_lines(mine)[0])} algorithms")
