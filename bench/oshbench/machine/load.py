"""The load of other programs and of other virtual machines, seen by processes that want a CPU each.

A piece of work of microseconds fits between two time slices of others and sees nothing of them. Here each process
computes for a second and compares the time that it got with the time that passed."""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

SECONDS = 1.0
LONG = 1e-4  # seconds: a longer gap between two looks at the clock is not a slow clock


@dataclass(frozen=True)
class Ticks:
    """Time of all CPUs since boot. `used` contains `steal`, which the hypervisor gave to other machines."""

    used: int
    idle: int
    steal: int

    def since(self, before: Ticks) -> tuple[float, float]:
        """The shares of used and of stolen time since then."""
        used, idle = self.used - before.used, self.idle - before.idle
        total = used + idle
        return (used / total, (self.steal - before.steal) / total) if total else (1.0, 0.0)


def ticks(text: str | None = None) -> Ticks:
    line = (text or Path("/proc/stat").read_text()).splitlines()[0]
    user, nice, system, idle, iowait, irq, softirq, steal = map(int, line.split()[1:9])
    return Ticks(user + nice + system + irq + softirq + steal, idle + iowait, steal)


@dataclass(frozen=True)
class Loss:
    """The loss of a process that wants all of `cpu`: the share of time that others had, and the longest gap in
    seconds."""

    cpu: int
    share: float
    gap: float


def examine(cpus: list[int], seconds: float = SECONDS) -> dict:
    """Computes on all `cpus` at once. The shares of time that each lost, the longest gap in ms, the stolen share, the
    processes that wanted to run besides, and the load average."""
    before = ticks()
    with ProcessPoolExecutor(len(cpus), get_context("fork")) as pool:
        results = pool.map(_compute, cpus, [seconds] * len(cpus))
        time.sleep(seconds / 2)
        running = _running() - len(cpus) - 1  # without our processes and this one
        losses = list(results)
    return {"lost": {str(loss.cpu): round(loss.share, 3) for loss in losses},
            "gap_ms": round(1e3 * max(loss.gap for loss in losses), 2), "steal": round(ticks().since(before)[1], 3),
            "running": max(0, running), "load": list(os.getloadavg())}


def _compute(cpu: int, seconds: float) -> Loss:
    os.sched_setaffinity(0, {cpu})
    begin, got, last, longest = time.perf_counter(), time.process_time(), time.perf_counter(), 0.0
    while last - begin < seconds:
        now = time.perf_counter()
        longest = max(longest, now - last)
        last = now
    passed = last - begin
    return Loss(cpu, max(0.0, 1 - (time.process_time() - got) / passed), longest if longest > LONG else 0.0)


def _running() -> int:
    """The processes that run or wait for a CPU."""
    return int(next(line.split()[1] for line in Path("/proc/stat").read_text().splitlines()
                    if line.startswith("procs_running")))


BUSY_SHARE = 0.05  # of the CPUs: a larger share disturbs the results
MEANWHILE_SHARE = 0.15  # during a run; includes launcher daemons and the kernel


def other_load(seconds: float = 1.0) -> str:
    """The load of other programs on the CPUs now; empty if there is none."""
    before = ticks()
    time.sleep(seconds)
    share, _ = ticks().since(before)
    if share > BUSY_SHARE:
        return f"other processes use {share:.0%} of the CPUs (load average {load_average()})"
    return ""


def load_average() -> float:
    return round(os.getloadavg()[0], 2)


class Watch:
    """Measures the load of other programs from now on. Our own processes count as ours when they have ended."""

    def __init__(self) -> None:
        self._before = ticks()
        self._own = _own_ticks()

    def shares(self) -> tuple[float, float]:
        """The shares of the CPUs that other programs had meanwhile, and the hypervisor."""
        now = ticks()
        total = now.used + now.idle - self._before.used - self._before.idle
        stolen = now.steal - self._before.steal
        others = now.used - self._before.used - stolen - (_own_ticks() - self._own)
        return (max(0.0, others / total), stolen / total) if total else (0.0, 0.0)

    def disturbed(self) -> str:
        """The load of other programs meanwhile; empty if it was small."""
        others, stolen = self.shares()
        share = others + stolen
        return f"other processes used {share:.0%} of the CPUs meanwhile" if share > MEANWHILE_SHARE else ""


def _own_ticks() -> float:
    """CPU time of this process and of its ended descendants."""
    times = os.times()
    return (times.user + times.system + times.children_user + times.children_system) * os.sysconf("SC_CLK_TCK")
