# SPDX-License-Identifier: BSD-3-Clause
"""The machine, date and command of a measurement, which accompany its samples in a file, a page or a picture."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from oshen_figures import origin

from .points import Point


@dataclass(frozen=True)
class Measurement:
    machine: str
    command: str = ""
    date: str = ""
    load: float | None = None  # at the start
    cpus: int = 0
    rounds: int = 0            # as requested

    @staticmethod
    def now(rounds: int) -> Measurement:
        model = next((line.split(": ")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                      if line.startswith("model name")), "unknown CPU")
        cpus = len(os.sched_getaffinity(0))
        return Measurement(f"{model}, {cpus} CPUs", origin.command_line(), time.strftime("%Y-%m-%d"),
                           round(os.getloadavg()[0], 1), cpus, rounds)

    def facts(self, points: list[Point]) -> list[str]:
        """The lines at the top of a page."""
        got = max((len(samples) for p in points for samples in p.samples.values()), default=0)
        load = "" if self.load is None else f"; load {self.load} at the start"
        return [f"{self.machine}. {self.date}".strip(),
                f"Medians of {origin.samples(self.rounds or got, got, 'rounds')}{load}."]

    def warnings(self, points: list[Point]) -> list[str]:
        return origin.warnings([p.team.n_pes for p in points if p.team.nodes == 1], self.cpus, self.load, "PEs")
