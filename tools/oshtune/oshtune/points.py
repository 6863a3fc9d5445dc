# SPDX-License-Identifier: BSD-3-Clause
"""What is measured: for each number of PEs, each collective and each size, the algorithms that can do it."""

from __future__ import annotations

from dataclasses import dataclass, field

# Bytes of one PE.
SIZES = [8, 32, 128, 512, 2048, 8192, 32768, 131072, 1 << 20]
QUICK_SIZES = [8, 512, 16384, 1 << 19]
MOST_BYTES = 1 << 28  # of all buffers of a job together
QUICK_MOST_BYTES = 1 << 25


@dataclass
class Team:
    """One number of PEs, as oshinfo describes it."""
    n_pes: int
    cpu_for_each: bool
    info: dict

    @property
    def crowding(self) -> str:
        return "own" if self.cpu_for_each else "shared"

    def label(self) -> str:
        return f"{self.n_pes} PEs, " + ("a CPU each" if self.cpu_for_each else "shared CPUs")


@dataclass
class Point:
    """One collective at one size on one team: who can do it, who does it now, and the samples of each, by round."""
    team: Team
    collective: str
    setting: str
    bytes: int
    incumbent: str
    designs: dict[str, str]  # algorithm -> design
    samples: dict[str, list[float | None]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[int, str]:
        return self.team.n_pes, self.collective


def covers(sizes: dict | None, size: int) -> bool:
    return sizes is not None and sizes["from"] <= size and (sizes["to"] is None or size <= sizes["to"])


def chosen_at(collective: dict, size: int) -> str:
    return next(choice["name"] for choice in collective["chosen"] if covers(choice, size))


def buffer_bytes(collective: str, size: int, n_pes: int) -> int:
    blocks = {"collect": n_pes + 1, "fcollect": n_pes + 1, "alltoall": 2 * n_pes, "alltoalls": 2 * n_pes}
    return blocks.get(collective, 2) * size * n_pes


def points_of(team: Team, sizes: list[int], known: set[str], only: set[str],
              most_bytes: int = MOST_BYTES) -> list[Point]:
    """`known`: collectives that the measuring program has; `only`: those that the user wants, all if empty."""
    points = []
    for one in team.info["collectives"]:
        name = one["collective"]
        if name not in known or (only and name not in only):
            continue
        for size in [0] if name == "sync" else sizes:
            able = {row["name"]: row["design"] for row in one["algorithms"] if covers(row["sizes"], size)}
            if buffer_bytes(name, size, team.n_pes) <= most_bytes and able:
                points.append(Point(team, name, one["setting"], size, chosen_at(one, size), able))
    return points
