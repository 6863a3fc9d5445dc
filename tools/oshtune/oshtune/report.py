# SPDX-License-Identifier: BSD-3-Clause
"""The final report of oshtune: the gains, and the fastest design by size."""

from __future__ import annotations

import statistics
from itertools import groupby

from .decide import median_of
from .points import Point
from .tuning_file import size_text, time_text
from .verify import Gain

DESIGNS = ("one-sided", "two-sided", "single-copy")


def best_of_design(point: Point) -> dict[str, tuple[float, str]]:
    """Design -> (median nanoseconds, algorithm) of its fastest algorithm."""
    found: dict[str, tuple[float, str]] = {}
    for name, samples in point.samples.items():
        if not any(s is not None for s in samples):
            continue
        mine = (median_of(point, name), name)
        design = point.designs[name]
        found[design] = min(found.get(design, mine), mine)
    return found


def gains_text(gains: list[Gain], n_points: int) -> str:
    kept = [gain for gain in gains if gain.kept]
    lines = [f"{n_points} points measured, {len(kept)} of them have another algorithm now"
             + (f", {len(gains) - len(kept)} taken back because they were not faster when measured again"
                if len(kept) < len(gains) else "")]
    for (n_pes, collective), group in groupby(kept, key=lambda g: g.point.key):
        for gain in group:
            lines.append(f"  {n_pes:4} PEs  {collective:14} {size_text(gain.point.bytes):>5}  {gain.before:24} "
                         f"{time_text(gain.before_ns):>9}  ->  {gain.after:24} {time_text(gain.after_ns):>9}  "
                         f"{1 / gain.ratio:5.2f} times as fast")
    if kept:
        mean = statistics.geometric_mean(1 / gain.ratio for gain in kept)
        lines.append(f"where something changed: {mean:.2f} times as fast (geometric mean, measured again)")
    return "\n".join(lines)


def crossover_text(points: list[Point]) -> str:
    """The fastest design at each size, and its advantage, for each team and collective."""
    lines = ["fastest design by size (in brackets: times slower the best of another design is)"]
    for (n_pes, collective), group in groupby(points, key=lambda p: p.key):
        cells = []
        for point in group:
            ranked = sorted((ns, design) for design, (ns, _) in best_of_design(point).items())
            if not ranked:
                continue
            lead = f" ({ranked[1][0] / ranked[0][0]:.1f})" if len(ranked) > 1 else ""
            cells.append(f"{size_text(point.bytes)} {ranked[0][1]}{lead}")
        lines.append(f"  {n_pes:4} PEs  {collective:14} " + ", ".join(cells))
    return "\n".join(lines)
