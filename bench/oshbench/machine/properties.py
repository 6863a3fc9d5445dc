"""Properties of the machine, without its name."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")


def facts() -> dict[str, str]:
    cpuinfo = Path("/proc/cpuinfo").read_text(errors="replace")
    return {
        "CPU": _field(cpuinfo, "model name"),
        "CPU family, model, stepping": " ".join(
            _field(cpuinfo, key) for key in ("cpu family", "model", "stepping")
        ),
        "CPUs": str(os.cpu_count()),
        "virtual machine": "yes" if "hypervisor" in _field(cpuinfo, "flags").split() else "no",
        "kernel": " ".join([platform.system(), *re.findall(r"^\d+\.\d+", platform.release())]),
        "transparent huge pages": _choice("/sys/kernel/mm/transparent_hugepage/enabled"),
        "transparent huge pages, shared memory": _choice(
            "/sys/kernel/mm/transparent_hugepage/shmem_enabled"
        ),
        "compiler": _first_line(["cc", "--version"]),
        "C library": " ".join(platform.libc_ver()),
    }


def name(facts: dict[str, str]) -> str:
    """A short description for the top of a page."""
    virtual = " (virtual)" if facts.get("virtual machine") == "yes" else ""
    return f"{facts.get('CPU', '?')}, {facts.get('CPUs', '?')} CPUs{virtual}, {facts.get('kernel', '?')}"


def commit(root: Path) -> str:
    """The commit of a checkout, with `-dirty` if other files than its records have changed since."""
    git = ["git", "-C", str(root)]
    changed = _first_line([*git, "status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)docs/bench",
                           ":(exclude)bench/record/data"])
    return _first_line([*git, "describe", "--always", "--exclude", "*"]) + ("-dirty" if changed != "?" else "")


def _field(cpuinfo: str, key: str) -> str:
    found = re.search(rf"^{re.escape(key)}\s*:\s*(.*)$", cpuinfo, re.MULTILINE)
    return found[1] if found else "?"


def _choice(path: str) -> str:
    """The bracketed word of a kernel switch."""
    try:
        found = re.search(r"\[(\w+)\]", Path(path).read_text())
    except OSError:
        return "?"
    return found[1] if found else "?"


def _first_line(command: list[str]) -> str:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "?"


def free_kb() -> int:
    """The memory that new processes may have, also in a container with a limit."""
    available = int(re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)[1])
    try:
        most, used = (int((CGROUP / name).read_text()) for name in ("memory.max", "memory.current"))
    except (OSError, ValueError):  # "max": no limit
        return available
    return min(available, (most - used) >> 10)


def swap_used_kb() -> int:
    sizes = dict(re.findall(r"^(Swap\w+):\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE))
    return int(sizes.get("SwapTotal", 0)) - int(sizes.get("SwapFree", 0))


def shm_free_mb() -> int | None:
    try:
        info = os.statvfs("/dev/shm")
    except OSError:
        return None
    return info.f_bavail * info.f_frsize >> 20
