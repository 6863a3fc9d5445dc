"""The memory of a job by its number of PEs, up to 1024 on one node, and the slope of a line through it: what one more
PE costs. PEs only start, meet in a barrier and end, so that there may be far more of them than CPUs."""

from __future__ import annotations

from ...libraries import launch
from ...libraries.build import Programs, build_hello
from ...libraries.launch import Launch
from ...libraries.library import Library
from ...machine import properties
from ...report.formats import with_interval
from ...report.grids import Grid, quantity
from ...results.rows import Key, Row, Table, names_of
from ...results.run import LaunchResult, Run
from ..campaign import LibraryCampaign, Step
from ..profile import Part, Profile

PES = (2, 8, 32, 128, 512, 1024)
SECONDS = 110.0  # of all launches
MOST_MEMORY = 0.8  # of the memory that is free
NOT_RUN = "not run"
HWM, PSS = "memory.hello.hwm", "memory.hello.pss"


class Footprint(LibraryCampaign):
    """A library takes part with as many PEs as memory and its share of the time allow, by the launches with fewer
    PEs."""

    def build_programs(self, library: Library, macros: tuple[str, ...]) -> Programs:
        return build_hello(self.setup.bench, self.setup.work, library)

    def run(self, run: Run, rounds: int, pes: tuple[int, ...] = ()) -> bool:
        self.so_far = run
        return super().run(run, rounds, pes)

    def launch(self, step: Step) -> Launch:
        fewer = [entry for entry in self.so_far.launches if entry.library == step.library and entry.pes < step.pes]
        if fewer and not fewer[-1].records:
            return _left_out(f"{fewer[-1].pes} PEs gave no result")
        left = SECONDS / (self.rounds * len(self.programs)) - sum(entry.seconds for entry in fewer if entry.round
                                                                  == step.round)
        if fewer and (reason := obstacle(fewer[-1], step.pes, left, properties.free_kb())):
            return _left_out(reason)
        return launch.run_hello(self.programs[step.library], step.pes, min(self.profile.parts[step.part].timeout,
                                                                           max(10.0, left)))


def _left_out(reason: str) -> Launch:
    return Launch([], "", f"{NOT_RUN}: {reason}", False)


def obstacle(before: LaunchResult, pes: int, seconds: float, free_kb: int) -> str:
    """The reason why `pes` PEs are too many, by a launch with fewer; empty if they are not."""
    times = pes / before.pes
    needed = pes * next(entry["values"][0] for entry in before.records if entry["case"] == PSS)
    if needed > MOST_MEMORY * free_kb:
        return f"about {_gib(needed)} GiB are needed, {_gib(free_kb)} GiB are free"
    if times * before.seconds > seconds:
        return f"about {times * before.seconds:.0f} s are needed, {max(0.0, seconds):.0f} s are left"
    return ""


def _gib(kb: float) -> str:
    return f"{kb / (1 << 20):.1f}"


# ---- tables

def tables(run: Run, table: Table) -> list[Grid]:
    return [slopes(table), sizes(table), left_out(run)]


def slopes(table: Table) -> Grid:
    from ...statistics import intervals  # imported here, because a run does not need NumPy
    rows = []
    for name in names_of(table):
        peaks, shares = _rows(table, name, HWM), _rows(table, name, PSS)
        if len(peaks) < 2 or len(shares) < 2:
            continue
        job = intervals.slope([(pes, pes * value / 1024) for pes, row in shares.items() for value in row.values])
        growth = intervals.slope([(pes, value) for pes, row in peaks.items() for value in row.values])
        rows.append([name, f"{min(peaks)} to {max(peaks)}", *(with_interval(interval.value, interval.low, interval.high)
                                                              for interval in (job, growth))])
    return ("Slopes, with their 95 % intervals", ["library", "PEs", "one more PE costs the node, MiB (Pss)",
                                                 "and adds to the largest other one, kB (VmHWM)"], rows)


def sizes(table: Table) -> Grid:
    names = names_of(table)
    counts = sorted({pes for name in names for pes in _rows(table, name, PSS)})
    cells = {name: (_rows(table, name, HWM), _rows(table, name, PSS)) for name in names}
    return ("Memory of a PE after start-up and a barrier: VmHWM of the worst, Pss as the mean", ["PEs", *names],
            [[str(pes), *(f"{quantity(peaks.get(pes))}, {quantity(shares.get(pes))}" for peaks,
                          shares in cells.values())] for pes in counts])


def _rows(table: Table, name: str, case: str) -> dict[int, Row]:
    return {key.pes: row for key, row in sorted(table[name].items()) if key == Key(case, 0, key.pes) and row.ok}


def left_out(run: Run) -> Grid:
    """The launches without a result, and why."""
    reasons = {(entry.library, entry.pes): entry.ending for entry in run.launches if not entry.records}
    return "Not measured", ["library", "PEs", "reason"], [[name, str(pes), reason.removeprefix(f"{NOT_RUN}: ")]
                                                         for (name, pes), reason in sorted(reasons.items())]


PROFILES = {
    "footprint": Profile("memory by the number of PEs, up to 1024, and its slope; two minutes", 3, (
        Part("hello", PES, timeout=60),
    ), tables=tables, campaign=lambda: Footprint),
}
