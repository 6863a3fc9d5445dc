"""Is this a machine to measure on? Cores, what they do besides, how steady they are, and how fine the clock is."""

from __future__ import annotations

import os
import time
from pathlib import Path

from . import campaign, machine
from .samples import Samples

STEADY = 1.2  # a quantum of work that sometimes takes so many times as long: numbers will be noisy
HERTZ = os.sysconf("SC_CLK_TCK")


def examine(bench: Path, work: Path, cpus: list[int]) -> dict:
    """Facts for the report; takes some seconds."""
    who = neighbours()
    launched = campaign.limits(bench, work, cpus)
    samples = Samples()
    samples.add("limits", launched.records)
    found = {key[0]: summary for key, summary in samples.summaries().get("limits", {}).items()}
    noise = found.get("noise_p99")
    return {
        "cpus": sorted(os.sched_getaffinity(0)),
        "measured_on": cpus,
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "boost": _read("/sys/devices/system/cpu/cpufreq/boost"),
        "swap_used_kb": machine.swap_used_kb(),
        "shm_free_mb": machine.shm_free_mb(),
        "noise": round(noise.ns, 3) if noise else None,
        "clock_ns": round(found["clock"].ns, 1) if "clock" in found else None,
        "load": list(os.getloadavg()),
        "neighbours": who,
        "limits": {name: round(s.ns, 3) for name, s in found.items()},
    }


def neighbours(seconds: float = 1.0, most: int = 5) -> list[dict]:
    """Who uses the CPUs besides us: the busiest programs, in shares of one CPU."""
    before = _ticks()
    time.sleep(seconds)
    used = [(after - before.get(pid, (0, ""))[0], name) for pid, (after, name) in _ticks().items() if pid in before]
    busiest = sorted(used, reverse=True)[:most]
    return [{"program": name, "share": round(ticks / HERTZ / seconds, 2)} for ticks, name in busiest
            if ticks / HERTZ / seconds >= 0.02]


def warnings(found: dict) -> list[str]:
    """What a reader of numbers of this machine must know; empty on a good one."""
    told = []
    busy = sum(entry["share"] for entry in found["neighbours"])
    if busy > 0.1:
        names = ", ".join(f"{e['program']} {e['share']:.0%}" for e in found["neighbours"])
        told.append(f"others use {busy:.0%} of a CPU: {names}")
    if found["noise"] and found["noise"] > STEADY:
        told.append(f"noisy: one in a hundred pieces of the same work takes {found['noise']:.1f} times as long")
    if found["governor"] not in ("", "performance"):
        told.append(f"the CPUs' frequency is governed by '{found['governor']}'; 'performance' is steadier")
    if len(found["cpus"]) < 2:
        told.append("one CPU only: two PEs share it, and every number is one of the scheduler")
    if found["swap_used_kb"] > 100 << 10:
        told.append(f"{found['swap_used_kb'] >> 10} MB are swapped out")
    if found["shm_free_mb"] is not None and found["shm_free_mb"] < 256:
        told.append(f"/dev/shm has {found['shm_free_mb']} MB left; libraries keep their heaps there")
    return told


def text(found: dict) -> str:
    limits = found["limits"]
    prices = {"xadd": "atomic add", "line": "cache line to the other core", "exchange": "exchange of two lines",
              "yield_switch": "switch of process", "futex_other_cpu": "wake another CPU"}
    lines = [f"CPUs          {len(found['cpus'])} usable; PEs on {','.join(map(str, found['measured_on']))}",
             f"clock         {found['clock_ns']} ns to read",
             f"noise         {found['noise']} = 99th percentile over median of a fixed piece of work",
             f"load          {found['load'][0]:.2f}"]
    lines += [f"{'prices' if i == 0 else '':<14}{what}: {limits[name]:.3g} ns" for i, (name, what) in enumerate(
        (n, w) for n, w in prices.items() if n in limits)]
    told = warnings(found)
    lines += [f"! {line}" for line in told] or ["a quiet machine"]
    return "\n".join(lines)


def _ticks() -> dict[int, tuple[int, str]]:
    own, found = os.getpid(), {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == own:
            continue
        try:
            name, rest = (folder / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except (OSError, IndexError, ValueError):
            continue
        fields = rest.split()
        found[int(folder.name)] = int(fields[11]) + int(fields[12]), name
    return found


def _read(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
