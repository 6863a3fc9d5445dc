# SPDX-License-Identifier: BSD-3-Clause
"""Measures in rounds. Each round visits every algorithm once, in another order, so that a temporary disturbance affects
all algorithms alike. Comparisons are made within a round."""

from __future__ import annotations

import random
import statistics
from collections import defaultdict

from .points import Point
from .progress import Progress
from .tools import Tools

HOPELESS = 2.0       # an algorithm this many times slower than the best in every round is dropped
ROUND_SECONDS = 600  # limit of a round, after which it counts as hanging


def still_in_the_race(point: Point, name: str) -> bool:
    """One sample drops no algorithm. The best algorithm of each design stays to the end, because the map shows it."""
    known = {other: [s for s in samples if s is not None] for other, samples in point.samples.items()}
    if name == point.incumbent or len(known.get(name, [])) < 2:
        return True
    medians = {other: statistics.median(samples) for other, samples in known.items()}
    rivals = [median for other, median in medians.items() if point.designs[other] == point.designs[name]]
    return min(known[name]) <= HOPELESS * min(medians.values()) or medians[name] <= min(rivals)


def job_lines(points: list[Point]) -> tuple[list[str], dict[tuple[str, int], tuple[Point, str]]]:
    """One job for each algorithm of each collective, with all sizes at which it is measured."""
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


def measure_round(tools: Tools, points: list[Point], number: int, progress: Progress) -> None:
    """Takes one more sample of every algorithm at these points, which are of one team."""
    lines, owners = job_lines(points)
    random.Random(number).shuffle(lines)
    team = points[0].team
    progress.start(team.n_pes, len(owners), f"round {number + 1}, {team.label()}")
    found = tools.jobs(team.n_pes, lines, ROUND_SECONDS, progress.step)
    for point in points:
        for name in point.designs:
            point.samples.setdefault(name, [None] * number).append(None)
    for place, (point, name) in owners.items():
        point.samples[name][number] = found[place]
    progress.finish()


def sweep(tools: Tools, points: list[Point], rounds: int, progress: Progress) -> None:
    teams = {n_pes: [p for p in points if p.team.n_pes == n_pes]
             for n_pes in dict.fromkeys(p.team.n_pes for p in points)}
    progress.plan(rounds, {n_pes: len(job_lines(mine)[1]) for n_pes, mine in teams.items()},
                  {n_pes for n_pes, mine in teams.items() if mine[0].team.crowding == "shared"},
                  ", then what has changed is measured again")
    for number in range(rounds):
        for mine in teams.values():
            measure_round(tools, mine, number, progress)
