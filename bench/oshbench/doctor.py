"""Is this a machine to measure on? Cores, other load, steadiness, and the resolution of the clock."""

from __future__ import annotations

import os
import time
from pathlib import Path

from . import campaign, machine, results, samples

STEADY = 1.2  # times: the 99th percentile of a fixed piece of work over its median
HERTZ = os.sysconf("SC_CLK_TCK")


def examine(bench: Path, work: Path, cpus: list[int]) -> dict:
    """Examines the machine for some seconds."""
    who = neighbours()
    launched = campaign.limits(bench, work, cpus)
    found = {entry["case"]: samples.launched(entry).value for entry in results.compact(launched.records)}
    noise = found.get("noise_p99")
    return {
        "cpus": sorted(os.sched_getaffinity(0)),
        "measured_on": cpus,
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "boost": _read("/sys/devices/system/cpu/cpufreq/boost"),
        "swap_used_kb": machine.swap_used_kb(),
        "shm_free_mb": machine.shm_free_mb(),
        "noise": round(noise, 3) if noise else None,
        "clock_ns": round(found["clock"], 1) if "clock" in found else None,
        "load": list(os.getloadavg()),
        "neighbours": who,
        "limits": {name: round(value, 3) for name, value in found.items()},
    }


def neighbours(seconds: float = 1.0, most: int = 5) -> list[dict]:
    """The busiest other programs, in shares of one CPU."""
    before = _ticks()
    time.sleep(seconds)
    used = [(after - before.get(pid, (0, ""))[0], name) for pid, (after, name) in _ticks().items() if pid in before]
    busiest = sorted(used, reverse=True)[:most]
    return [{"program": name, "share": round(ticks / HERTZ / seconds, 2)} for ticks, name in busiest
            if ticks / HERTZ / seconds >= 0.02]


def warnings(found: dict) -> list[str]:
    """Properties of this machine that disturb measurements."""
    told = []
    busy = sum(entry["share"] for entry in found["neighbours"])
    if busy > 0.1:
        names = ", ".join(f"{e['program']} {e['share']:.0%}" for e in found["neighbours"])
        told.append(f"other programs use {busy:.0%} of a CPU: {names}")
    if found["noise"] and found["noise"] > STEADY:
        told.append(f"noisy: one in a hundred chunks of the same work takes {found['noise']:.1f} times as long")
    if found["governor"] not in ("", "performance"):
        told.append(f"the frequency governor is '{found['governor']}'; 'performance' is steadier")
    if len(found["cpus"]) < 2:
        told.append("one CPU only: two PEs share it, so the scheduler decides every result")
    if found["swap_used_kb"] > 100 << 10:
        told.append(f"{found['swap_used_kb'] >> 10} MB are swapped out")
    if found["shm_free_mb"] is not None and found["shm_free_mb"] < 256:
        told.append(f"/dev/shm has {found['shm_free_mb']} MB left, and libraries keep their heaps there")
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
