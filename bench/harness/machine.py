"""What a reader needs to know about the machine, without its name."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path


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


def commit(root: Path) -> str:
    return _first_line(
        ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude", "*"]
    )


def load() -> float:
    return round(os.getloadavg()[0], 2)


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
