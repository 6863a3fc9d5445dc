# SPDX-License-Identifier: BSD-3-Clause
"""The final report of oshtune: the gains, and the fastest design by size."""

from __future__ import annotations

import statistics
from itertools import groupby

from oshen_tables import lines as table_lines
from oshen_tables import paragraph

from .decide import median_of
from .points import Point
from .tuning_file import size_text, time_text
from .verify import Gain

DESIGNS = ("one-sided", "two-sided", "single-copy")
FEWEST = 3  # rounds that a ratio needs


def best_of_design(point: Point) -> dict[str, tuple[float, str]]:
    """Design -> (median nanoseconds, algorithm) of its fastest algorithm."""
    best: dict[str, tuple[float, str]] = {}
    for name, samples in point.samples.items():
        if not any(s is not None for s in samples):
            continue
        mine = (median_of(point, name), name)
        design = point.designs[name]
        best[design] = min(best.get(design, mine), mine)
    return best


def rounds_of(points: list[Point]) -> int:
    return max((len(samples) for point in points for samples in point.samples.values()), default=0)


def gains_text(gains: list[Gain], n_points: int) -> str:
    kept = [gain for gain in gains if gain.kept]
    lines = [f"{n_points} points measured, {len(kept)} of them have another algorithm now"
             + (f", {len(gains) - len(kept)} taken back because they were not faster when measured again"
                if len(kept) < len(gains) else "")]
    rows = [["PEs", "collective", "size", "before", "after", "times as fast"]]
    for gain in kept:
        n_pes, collective = gain.point.key
        rows.append([str(n_pes), collective, size_text(gain.point.bytes), time_text(gain.before_ns),
                     time_text(gain.after_ns),
                     f"{1 / gain.ratio:.2f}"])
    if kept:
        lines += table_lines(rows, ["algorithms", *(f"{gain.before} -> {gain.after}" for gain in kept)], keys=3, left=2)
        mean = statistics.geometric_mean(1 / gain.ratio for gain in kept)
        lines.append(f"where something changed: {mean:.2f} times as fast (geometric mean, measured again)")
    return "\n".join(lines)


def crossover_text(points: list[Point]) -> str:
    """The fastest design at each size, and its advantage, for each team and collective."""
    compared = rounds_of(points) >= FEWEST
    lines = ["fastest design by size (in brackets: times slower the next best design is)" if compared else
             f"fastest design by size (too few rounds to say by how much: {FEWEST} or more)"]
    for (n_pes, collective), group in groupby(points, key=lambda p: p.key):
        cells = []
        for point in group:
            ranked = sorted((ns, design) for design, (ns, _) in best_of_design(point).items())
            if not ranked:
                continue
            lead = f" ({ranked[1][0] / ranked[0][0]:.1f})" if compared and len(ranked) > 1 else ""
            cells.append(f"{size_text(point.bytes)} {ranked[0][1]}{lead}")
        lines += paragraph(", ".join(cells), " " * 27, first=f"  {n_pes:4} PEs  {collective:14} ")
    return "\n".join(lines)
