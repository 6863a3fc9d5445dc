"""Hosts made of network namespaces, for profiles that measure between hosts. They need tools/hosts/lab.py of a
checkout."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

UCX = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"}  # UCX takes hosts of one kernel for one machine
NET = Path(__file__).resolve().parents[2] / "tools" / "hosts"


def lab() -> ModuleType:
    if str(NET) not in sys.path:
        sys.path.insert(0, str(NET))
    return importlib.import_module("lab")


def obstacle() -> str:
    """The reason why no hosts can be made here; empty if they can."""
    if not (NET / "lab.py").exists():
        return "hosts are made by tools/hosts/lab.py, which this installation does not have"
    return lab().obstacle() or ""


def addresses(count: int) -> list[str]:
    return [lab().address(f"h{number + 1}") for number in range(count)]


def communicate(process: subprocess.Popen, timeout: float) -> tuple[str, str]:
    """How the process ended, and its output."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, _ = process.communicate()
        return "timeout", out
    return ("ok" if process.returncode == 0 else f"exit {process.returncode}: {' '.join(err.split())[-160:]}"), out


def start(laboratory, host: str, words: list[str], env: dict[str, str], cwd: Path | None = None) -> subprocess.Popen:
    """Starts a command in a folder that all hosts share."""
    return laboratory.start(host, words, env=env, cwd=cwd or NET, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def shared_folder(work: Path) -> Path:
    os.makedirs(work, exist_ok=True)
    if not lab().is_shared(work):
        raise ValueError(f"--work {work}: the hosts have a /tmp of their own; name a folder elsewhere, for example "
                         f"build/bench")
    return work
