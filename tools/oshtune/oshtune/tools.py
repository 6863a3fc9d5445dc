# SPDX-License-Identifier: BSD-3-Clause
"""The programs that oshtune uses, all of one installation: oshrun, oshinfo, oshcc, and the measuring program."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

Samples = dict[tuple[str, int], float]  # (id of a job, bytes) -> nanoseconds


class Failed(Exception):
    """An error that ends oshtune; its text is one line for the user."""


def plain_environment(**more: str) -> dict[str, str]:
    """The environment without choices of algorithms. OSHEN_COLL_TUNING stays; by default only the installed file is
    used, not the one that was kept for this machine."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("OSHEN_COLL_") or name == "OSHEN_COLL_TUNING"}
    return {"OSHEN_COLL_TUNING": "installed", **kept, **more}


def run(command: list[str], seconds: float, environment: dict[str, str], cpus: set[int] | None = None,
        each: Callable[[], None] | None = None) -> str:
    """The output of a command. `each` is called for each line when it arrives."""
    bind = (lambda: os.sched_setaffinity(0, cpus)) if cpus else None
    with tempfile.TemporaryFile("w+") as said:
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, env=environment,
                                       preexec_fn=bind)
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from error
        text, late = read(process, seconds, each or (lambda: None))
        if late:
            raise Failed(f"{' '.join(command)}: not done after {seconds:.0f} s")
        if process.returncode != 0:
            said.seek(0)
            lines = said.read().strip().splitlines() or ["no message"]
            raise Failed(f"{' '.join(command)}: status {process.returncode}: {lines[0]}")
    return text


def read(process: subprocess.Popen, seconds: float, each: Callable[[], None]) -> tuple[str, bool]:
    """The output of a process, and whether the process was killed because it exceeded its time."""
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    clock = threading.Timer(seconds, end)
    clock.start()
    lines = []
    with process:
        try:
            for line in process.stdout:
                lines.append(line)
                each()
        except BaseException:
            process.kill()
            raise
        finally:
            clock.cancel()
    return "".join(lines), late.is_set()


@dataclass
class Across:
    """Several nodes: virtual ones, or hosts in the format of oshrun."""
    nodes: int
    hosts: str | None = None

    @staticmethod
    def of_hosts(text: str) -> Across:
        return Across(len(text.split(",")), text)

    def oshrun(self) -> list[str]:
        return ["--hosts", self.hosts] if self.hosts else ["--nodes", str(self.nodes)]

    def pes_of_node(self, n_pes: int) -> int:
        return -(-n_pes // self.nodes)


class Tools:
    """`binaries` is the folder of oshrun, oshinfo and oshcc. `work` is a folder for temporary files. `across` has the
    nodes, if there are several."""

    def __init__(self, binaries: Path, source: Path, work: Path, point_ms: float = 2, across: Across | None = None):
        self.binaries, self.work, self.point_ms, self.across = binaries, work, point_ms, across
        self.measure = work / "measure"
        run([str(binaries / "oshcc"), "-O2", str(source), "-o", str(self.measure)], 120, plain_environment())
        self.collectives = set(run([str(self.measure), "collectives"], 20, plain_environment()).split())

    def info(self, n_pes: int, **environment: str) -> dict:
        """The output of `oshinfo --coll` for a team of `n_pes` PEs."""
        if self.across:
            environment["OSHEN_NODE_PES"] = str(self.across.pes_of_node(n_pes))
        text = run([str(self.binaries / "oshinfo"), "--coll", "--json", "-n", str(n_pes)], 30,
                   plain_environment(**environment))
        return json.loads(text)

    def oshrun(self, n_pes: int) -> list[str]:
        return [str(self.binaries / "oshrun"), "-n", str(n_pes), *(self.across.oshrun() if self.across else [])]

    def machine(self, n_pes: int, cpus: set[int] | None = None) -> dict[str, float]:
        text = run([*self.oshrun(n_pes), str(self.measure), "machine"], 120,
                   plain_environment(), cpus)
        return {name: float(value) for name, value in (line.split() for line in text.splitlines())}

    def jobs(self, n_pes: int, lines: list[str], seconds: float, each: Callable[[], None] | None = None) -> Samples:
        """Runs jobs (see measure.c) in the given order, in one process per PE, `point_ms` for each size. Calls `each`
        after each size."""
        path = self.work / "jobs"
        path.write_text("".join(line + "\n" for line in lines))
        text = run([*self.oshrun(n_pes), str(self.measure), str(path), str(self.point_ms)], seconds,
                   plain_environment(), each=each)
        return {(job, int(size)): float(ns) for job, size, ns in (line.split() for line in text.splitlines())}
