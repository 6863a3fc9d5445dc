"""How fast bytes and cache lines travel on this machine: the bandwidth of memory, and the time of a cache line between
each pair of CPUs. They depend on caches, sockets, and on where a hypervisor puts virtual CPUs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

from ..libraries import launch
from ..libraries.launch import Effort
from ..results.batches import launch_value
from ..results.rows import compact

COPIED = 1 << 20  # bytes, of which nothing is in a cache
MOST_PAIRS = 28  # of eight CPUs; on more CPUs the first one with the others, and neighbours
SECONDS = 30


def examine(program: Path, cpus: list[int]) -> dict:
    """`program` is that of the limits. GB/s of one CPU and of all `cpus` at once; ns of a cache line for each pair, as
    "0-1"."""
    one = _bandwidth(program, cpus[0])
    with ThreadPoolExecutor(len(cpus)) as pool:
        every = list(pool.map(lambda cpu: _bandwidth(program, cpu), cpus))
    lines = {f"{a}-{b}": _value(program, [a, b], "line") for a, b in pairs(cpus)}
    return {"bandwidth": _rounded(one), "bandwidth_all": _rounded(sum(filter(None, every))),
            "lines": {pair: round(ns, 1) for pair, ns in lines.items() if ns}}


def pairs(cpus: list[int]) -> list[tuple[int, int]]:
    every = list(combinations(cpus, 2))
    if len(every) <= MOST_PAIRS:
        return every
    half = MOST_PAIRS // 2
    far = [(cpus[0], cpu) for cpu in cpus[1::max(1, (len(cpus) - 1) // half)]][:half]
    near = list(zip(cpus, cpus[1:]))[::max(1, (len(cpus) - 1) // half)][:half]
    return list(dict.fromkeys(far + near))


def _bandwidth(program: Path, cpu: int) -> float | None:
    ns = _value(program, [cpu, cpu], "copy_cold", (COPIED,))
    return COPIED / ns if ns else None


def _value(program: Path, cpus: list[int], case: str, sizes: tuple[int, ...] = ()) -> float | None:
    launched = launch.run_cases([str(program)], {}, cpus, Effort(7, 200, case, not sizes, sizes), SECONDS)
    return next((launch_value(entry).value for entry in compact(launched.records)), None)


def _rounded(value: float | None) -> float | None:
    return round(value, 2) if value else None
