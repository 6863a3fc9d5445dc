"""Is this a machine to measure on? Cores, other load, steadiness, the ways between CPUs, and the resolution of the
clock."""

from __future__ import annotations

import os
import time
from pathlib import Path

from oshen_tables import paragraph

from ..libraries.build import build_limits
from ..libraries.launch import Effort, run_cases
from ..results.batches import launch_value
from ..results.rows import compact
from . import cpu_pairs, load, properties

STEADY = 1.2  # times: the 99th percentile of a fixed piece of work over its median
LOST = 0.03  # of the time of a CPU: a larger share had other programs
STOLEN = 0.02  # of the time of all CPUs
GAP = 5.0  # ms in which a CPU did not run us
APART = 1.5  # times: cache lines of pairs of CPUs that differ more are different ways
HERTZ = os.sysconf("SC_CLK_TCK")


def examine(bench: Path, work: Path, cpus: list[int]) -> dict:
    """Examines the machine for some seconds."""
    who = neighbours()
    launched = run_cases([str(build_limits(bench, work))], {}, cpus, Effort(7, 200, "*", True), 60)
    values = {entry["case"]: launch_value(entry).value for entry in compact(launched.records)}
    noise = values.get("noise_p99")
    return {
        "cpus": sorted(os.sched_getaffinity(0)),
        "measured_on": cpus,
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "boost": _read("/sys/devices/system/cpu/cpufreq/boost"),
        "swap_used_kb": properties.swap_used_kb(),
        "shm_free_mb": properties.shm_free_mb(),
        "noise": round(noise, 3) if noise else None,
        "clock_ns": round(values["clock"], 1) if "clock" in values else None,
        "neighbours": who,
        "limits": {name: round(value, 3) for name, value in values.items()},
    } | load.examine(cpus) | cpu_pairs.examine(build_limits(bench, work), cpus)


def neighbours(seconds: float = 1.0, most: int = 5) -> list[dict]:
    """The busiest other programs, in shares of one CPU."""
    before = _ticks()
    time.sleep(seconds)
    used = [(after - before.get(pid, (0, ""))[0], name) for pid, (after, name) in _ticks().items() if pid in before]
    busiest = sorted(used, reverse=True)[:most]
    return [{"program": name, "share": round(ticks / HERTZ / seconds, 2)} for ticks, name in busiest
            if ticks / HERTZ / seconds >= 0.02]


def warnings(state: dict) -> list[str]:
    """Properties of this machine that disturb measurements."""
    told = _load_warnings(state)
    if state["noise"] and state["noise"] > STEADY:
        told.append(f"noisy: one in a hundred chunks of the same work takes {state['noise']:.1f} times as long")
    if state["governor"] not in ("", "performance"):
        told.append(f"the frequency governor is '{state['governor']}'; 'performance' is steadier")
    if len(state["cpus"]) < 2:
        told.append("one CPU only: two PEs share it, so the scheduler decides every result")
    if state["swap_used_kb"] > 100 << 10:
        told.append(f"{state['swap_used_kb'] >> 10} MB are swapped out")
    if state["shm_free_mb"] is not None and state["shm_free_mb"] < 256:
        told.append(f"/dev/shm has {state['shm_free_mb']} MB left, and libraries keep their heaps there")
    return told + _wire_warnings(state.get("lines", {}))


def _load_warnings(state: dict) -> list[str]:
    told = []
    busy = sum(entry["share"] for entry in state["neighbours"])
    if busy > 0.1:
        names = ", ".join(f"{e['program']} {e['share']:.0%}" for e in state["neighbours"])
        told.append(f"other programs use {busy:.0%} of a CPU: {names}")
    lost = {cpu: share for cpu, share in state.get("lost", {}).items() if share > LOST}
    if lost:
        worst = max(lost, key=lambda cpu: lost[cpu])
        told.append(f"a process that wants a whole CPU loses {lost[worst]:.0%} of CPU {worst} to others")
    if state.get("running", 0) > 0 or state["load"][0] > len(state["cpus"]):
        told.append(f"{state.get('running', 0)} other processes want to run now; the load average is "
                    f"{state['load'][0]:.1f} on {len(state['cpus'])} CPUs")
    if state.get("steal", 0) > STOLEN:
        told.append(f"the hypervisor gives {state['steal']:.0%} of the time to other machines (steal)")
    if state.get("gap_ms", 0) > GAP:
        told.append(f"a CPU did not run its process for {state['gap_ms']:.0f} ms")
    return told


def _wire_warnings(lines: dict[str, float]) -> list[str]:
    near, far = (choose(lines, key=lambda pair: lines[pair], default="") for choose in (min, max))
    if not near or lines[far] < APART * lines[near]:
        return []
    told = ", ".join(f"{lines[pair]:.0f} ns between CPUs {pair.replace('-', ' and ')}" for pair in (near, far))
    return [f"a cache line takes {told}: choose the CPUs with --cpus"]


def text(state: dict) -> str:
    limits = state["limits"]
    prices = {"xadd": "atomic add", "line": "cache line to the other core", "exchange": "exchange of two lines",
              "yield_switch": "switch of process", "futex_other_cpu": "wake another CPU"}
    lost = ", ".join(f"{share:.0%} of CPU {cpu}" for cpu, share in state["lost"].items())
    lines = [f"CPUs          {len(state['cpus'])} usable; PEs on {','.join(map(str, state['measured_on']))}",
             f"clock         {state['clock_ns']} ns to read",
             f"noise         {state['noise']} = 99th percentile over median of a fixed piece of work",
             f"lost          {lost}; longest gap {state['gap_ms']} ms; stolen by the hypervisor {state['steal']:.1%}",
             f"load          {state['load'][0]:.2f}; {state['running']} other processes want to run",
             f"memory        {state['bandwidth']} GB/s by one CPU, {state['bandwidth_all']} GB/s by all: copies of 1 "
             f"MiB in no cache"]
    lines += _lines_of_pairs(state["lines"])
    lines += [f"{'prices' if i == 0 else '':<14}{what}: {limits[name]:.3g} ns" for i, (name, what) in enumerate(
        (n, w) for n, w in prices.items() if n in limits)]
    told = warnings(state)
    lines += [f"! {line}" for line in told] or ["a quiet machine"]
    return "\n".join(part for line in lines for part in paragraph(line, "  " if line.startswith("!") else " " * 14,
                                                                  first=""))


PAIRS_OF_A_LINE = 4


def _lines_of_pairs(lines: dict[str, float]) -> list[str]:
    told = [f"{pair}: {ns:.0f} ns" for pair, ns in lines.items()]
    return [f"{'lines' if i == 0 else '':<14}{', '.join(told[i:i + PAIRS_OF_A_LINE])}"
            for i in range(0, len(told), PAIRS_OF_A_LINE)]


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
