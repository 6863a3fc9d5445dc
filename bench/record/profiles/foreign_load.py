"""A job beside other load: two PEs, pinned by oshrun and not pinned, while busy processes compute for ever. A step is
some work and two barriers. A pinned job may take half as long again as one that is not pinned."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

from oshbench.common.process import end_with_parent, run_bounded
from oshbench.common.text import ratio_text
from oshbench.libraries.launch import Effort, Launch
from oshbench.libraries.library import Library
from oshbench.measure.campaign import Campaign, Setup, Step
from oshbench.measure.profile import Part, Profile
from oshbench.report.grids import Grid, quantity
from oshbench.results.rows import Key, Table
from oshbench.results.run import Run
from oshbench.statistics.matching import ratio

from ..goals import Goal, times_library
from ..page import Page

WORK_US = (0, 100, 1000)
BINDINGS = {"oshen": ("pinned", "core"), "not pinned": ("not pinned", "none")}
AT_MOST = 1.5
BUSY = 4  # processes for each CPU
SECONDS = 2  # of one launch
CASE = "foreign_step"


class ForeignLoad(Campaign):
    @classmethod
    def obstacle(cls, setup: Setup) -> str:
        if not setup.ours or not (setup.ours / "bench-foreign-load").exists():
            return "no bench-foreign-load here: ninja -C build/release bench-foreign-load"
        return ""

    @classmethod
    def contestants(cls, setup: Setup) -> list[Library]:
        return [Library(name, "shmem", "", (str(setup.ours / "oshrun"), "-n", "{np}", "--bind", to)) for name,
                (_, to) in BINDINGS.items()]

    def prepare(self, run: Run) -> None:
        for name, (about, _) in BINDINGS.items():
            run.libraries[name] = {"name": name, "kind": "shmem", "version": f"Oshen, {about}"}

    def launch(self, step: Step) -> Launch:
        part = self.profile.parts[step.part]
        (work,) = part.effort.sizes
        command = self.libraries[step.library].command(step.pes, str(self.setup.ours / "bench-foreign-load"),
                                                       [str(work), str(SECONDS)])
        with foreign_load(BUSY * len(os.sched_getaffinity(0))):
            ending, said = run_bounded(command, {}, part.timeout)
        if ending != "ok":
            return Launch([], "", ending, False, said[-400:])
        return Launch([{"case": CASE, "how": "work, two barriers", "size": work, "pes": step.pes,
                        "ns": 1e3 * float(said), "ok": True}], "",
                      ending, True)


@contextlib.contextmanager
def foreign_load(processes: int):
    """Processes that compute until the block or this process ends."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=end_with_parent())
            for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def tables(_: Run, table: Table) -> list[Grid]:
    rows = []
    for work in WORK_US:
        pinned, free = (table.get(name, {}).get(Key(CASE, work, 2)) for name in BINDINGS)
        if pinned and free:
            rows.append([f"{work} µs", quantity(pinned), quantity(free), ratio_text(ratio(pinned, free))])
    return [(f"Two PEs beside {BUSY} busy processes a CPU", ["work in a step", "pinned", "not pinned", "pinned / not"],
             rows)]


BOUND = times_library("not pinned", f"≤ {AT_MOST} × not pinned", AT_MOST)
PROFILES = {
    "foreign-load": Profile("two PEs beside four busy processes a CPU, pinned and not", 7, tuple(
        Part("foreign-load", (2,), Effort(sizes=(work,)), 60 + 20 * SECONDS) for work in WORK_US
    ), tables=tables, campaign=lambda: ForeignLoad),
}
PAGES = {"foreign-load": Page("Beside foreign load", tables, goals=tuple(
        Goal(f"pinned, {work} µs of work", Key(CASE, work, 2), BOUND) for work in WORK_US))}
