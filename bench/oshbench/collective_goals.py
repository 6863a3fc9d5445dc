"""What the collectives are to reach, and why a row that does not reach it cannot or does not yet."""

from __future__ import annotations

from dataclasses import dataclass

from .reach import LIMITS, OURS, Results
from .samples import Summary

KIB, MIB = 1 << 10, 1 << 20
SIZES = [8, KIB, 64 * KIB, MIB]
OPERATIONS = ["broadcast", "sum", "collect", "fcollect", "alltoall", "alltoalls", "inscan", "exscan"]
CASES = ",".join(["barrier_all", *(f"{name}*" for name in OPERATIONS)])
METRICS = {"": "back to back", "_local": "mean over PEs", "_span": "span"}


@dataclass(frozen=True)
class Goal:
    """A time that was set before anything was built, half of the best measured anywhere, or as good; or, where the
    machine's memory decides, so many copies of as much by both PEs at once, measured in the same run."""

    label: str
    case: str
    size: int
    pes: int
    at_most: float
    in_copies: bool = False

    def key(self) -> tuple[str, int, int]:
        return self.case, self.size, self.pes

    def text(self) -> str:
        return f"≤ {self.at_most:g} " + ("copies" if self.in_copies else "µs")

    def times(self, ours: Summary) -> float | None:
        """What was measured over what is wanted."""
        if not self.in_copies:
            return ours.ns / (1000 * self.at_most)
        if ours.reference != "copy_both" or ours.to_reference is None:
            return None
        return ours.to_reference / self.at_most


GOALS = [
    Goal("barrier", "barrier_all", 0, 2, 0.17),
    Goal("sum 8 B", "sum", 8, 2, 0.21),
    Goal("sum 64 KiB", "sum", 64 * KIB, 2, 7),
    Goal("sum 1 MiB", "sum", MIB, 2, 1.6, in_copies=True),
    Goal("broadcast 64 KiB", "broadcast", 64 * KIB, 2, 2.0),
    Goal("broadcast 1 MiB", "broadcast", MIB, 2, 1.1, in_copies=True),
    Goal("broadcast 1 MiB, root keeps its dest", "broadcast_aset", MIB, 2, 0.6, in_copies=True),
    Goal("fcollect 64 KiB", "fcollect", 64 * KIB, 2, 5),
    Goal("fcollect 1 MiB", "fcollect", MIB, 2, 2.1, in_copies=True),
    Goal("alltoall 64 KiB", "alltoall", 64 * KIB, 2, 4),
    Goal("alltoall 1 MiB", "alltoall", MIB, 2, 2.2, in_copies=True),
    Goal("barrier", "barrier_all", 0, 8, 10),
    Goal("sum 8 B", "sum", 8, 8, 10),
    Goal("sum 1 MiB", "sum", MIB, 8, 507),
    Goal("fcollect 1 MiB", "fcollect", MIB, 8, 2200),
    Goal("alltoall 1 MiB", "alltoall", MIB, 8, 1150),
]

# What bounds an operation of b bytes on two PEs with a core each, in copies of b bytes that both make at once
# (the reference copy_both): how many of them one PE makes at least, and what they are.
COPIES = {
    "broadcast": (1.0, "each PE writes half of both dests"),
    "broadcast_aset": (0.5, "each PE writes half of the one dest"),
    "sum": (1.0, "each PE reads half of both sources and writes half of both dests"),
    "collect": (1.5, "each PE writes its block, of which half are half as long, to both dests"),
    "fcollect": (2.0, "each PE writes its block to both dests"),
    "alltoall": (2.0, "each PE writes both its blocks"),
    "alltoalls": (2.0, "each PE writes every other element of both its blocks"),
    "inscan": (1.0, "each PE reads half of both sources and writes half of both dests"),
    "exscan": (1.0, "each PE reads half of both sources and writes half of both dests"),
}


def limit_ns(case: str, size: int, results: Results) -> float | None:
    """The same run's references: copies for what is large, an exchange of cache lines for what is small."""
    name = case.removesuffix("_local").removesuffix("_span")
    ours = results.get(OURS, {}).get((case, size, 2))
    if ours is None or ours.reference_ns is None:
        return None
    copies = COPIES.get(name, (1.0, ""))[0] if ours.reference == "copy_both" else 1.0
    return copies * ours.reference_ns
