# SPDX-License-Identifier: BSD-3-Clause
"""The points of a measurement: for each number of PEs, collective and size, the algorithms that can be used."""

from __future__ import annotations

from dataclasses import dataclass, field

# Bytes of one PE.
SIZES = [8, 32, 128, 512, 2048, 8192, 32768, 131072, 1 << 20]
BRIEF_SIZES = [8, 512, 16384, 1 << 19]
QUICK_SIZES = [8, 2048, 65536]
QUICK_COLLECTIVES = {"alltoall", "broadcast", "reduce"}  # these differ most between machines
USUAL_BYTES = 4096   # for collectives whose PEs may have different sizes: one algorithm is used for all sizes
OF_MANY_SIZES = {"alltoallv", "gatherv", "scatterv"}
MOST_BYTES = 1 << 28  # limit for all buffers of a job together
BRIEF_MOST_BYTES = 1 << 25


@dataclass
class Team:
    """One number of PEs, as oshinfo describes it."""
    n_pes: int
    cpu_for_each: bool
    info: dict
    nodes: int = 1

    @property
    def crowding(self) -> str:
        return "across" if self.nodes > 1 else "own" if self.cpu_for_each else "shared"

    def label(self) -> str:
        if self.nodes > 1:
            return f"{self.n_pes} PEs on {self.nodes} nodes"
        return f"{self.n_pes} PEs, " + ("a CPU each" if self.cpu_for_each else "shared CPUs")


@dataclass
class Point:
    """One collective at one size on one team: its algorithms, the present one, and the samples of each by round."""
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
    blocks_of_all = {"collect", "fcollect", "gather", "gatherv", "scatter", "scatterv", "reduce_scatter"}
    twice = {"alltoall", "alltoalls", "alltoallv"}
    blocks = 2 * n_pes if collective in twice else n_pes + 1 if collective in blocks_of_all else 2
    return blocks * size * n_pes


def sizes_of(collective: str, sizes: list[int]) -> list[int]:
    return [0] if collective == "sync" else [USUAL_BYTES] if collective in OF_MANY_SIZES else sizes


def points_of(team: Team, sizes: list[int], known: set[str], only: set[str],
              most_bytes: int = MOST_BYTES) -> list[Point]:
    """`known`: the collectives of the measuring program. `only`: those that the user selected; empty for all."""
    points = []
    for one in team.info["collectives"]:
        name = one["collective"]
        if name not in known or (only and name not in only):
            continue
        for size in sizes_of(name, sizes):
            able = {row["name"]: row["design"] for row in one["algorithms"] if covers(row["sizes"], size)}
            if buffer_bytes(name, size, team.n_pes) <= most_bytes and able:
                points.append(Point(team, name, one["setting"], size, chosen_at(one, size), able))
    return points
