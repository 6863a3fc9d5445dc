"""The page of the profile one-node, with our goals."""

from __future__ import annotations

from oshbench.common.text import duration
from oshbench.measure.profile import MIB
from oshbench.report.grids import Grid, interval
from oshbench.results.rows import LIMITS, Key, Table
from oshbench.results.run import Run

from .. import comparison
from ..goals import Goal, time, times_best, times_limit
from ..page import Page

FASTER_THAN_300M = time("≥ 300 M/s", 1000 / 300)
# on the page of collectives
ELSEWHERE = ("broadcast", "sum", "fcollect", "collect", "alltoall", "alltoalls", "inscan", "exscan")


def goal(label: str, case: str, bound, size: int = 8, pes: int = 2, **more: str) -> Goal:
    return Goal(label, Key(case, size, pes), bound, **more)


def to_waiting(place: str, case: str) -> Goal:
    return goal(f"put 4 KiB to a PE in {place}, against one that computes", case,
                times_limit("≤ 1.15 × computing", 1.15), 4096, same_memory="put_to_computing")


MPI = times_best("≤ MPI's", only_mpi=True)
GOALS = (
    goal("put 8 B + quiet", "put_quiet", time("≤ 12 ns", 12)),
    goal("put 8 B rate, long_put", "put_rate", FASTER_THAN_300M),
    goal("put 8 B rate, putmem", "putmem_rate", FASTER_THAN_300M, fallback="put_rate"),
    goal("p rate", "p_rate", FASTER_THAN_300M, fallback="put_rate"),
    goal("get 8 B", "get", time("≤ 5 ns", 5)),
    goal("g", "g", time("≤ 5 ns", 5), fallback="get"),
    goal("fetch_add, uncontended", "fetch_add", time("≤ 5 ns", 5)),
    goal("fetch_add, against lock xadd", "fetch_add", times_limit("≤ 1.6 × lock xadd", 1.6)),
    goal("put 1 MiB", "put", times_limit("≥ 0.98 × memcpy", 1 / 0.98), MIB, same_memory="ptr_copy_out"),
    goal("get 1 MiB", "get", times_limit("≥ 0.98 × memcpy", 1 / 0.98), MIB, same_memory="ptr_copy_in"),
    to_waiting("barrier_all", "put_to_barrier"),
    to_waiting("wait_until", "put_to_wait"),
    to_waiting("signal_wait_until", "put_to_signal_wait"),
    goal("fetch_add on a PE in wait_until, against one that computes", "add_to_wait",
         times_limit("≤ 1.5 × computing", 1.5), same_memory="add_to_computing"),
    goal("p + wait_until, one way", "p_wait", times_limit("≤ 1.05 × limit", 1.05)),
    goal("put_signal 8 B, one way, data and signal on one line", "put_signal_beside", times_limit("≤ 1.1 × limit", 1.1),
         fallback="put_fence_p"),
    goal("put_signal 8 B, one way, a line each", "put_signal", times_limit("≤ 1.1 × limit", 1.1),
         fallback="put_fence_p"),
    goal("barrier_all", "barrier_all", MPI, 0),
    goal("sync_all", "sync_all", MPI, 0, fallback="barrier_all"),
    goal("broadcast 8 B", "broadcast", MPI),
    goal("sum 8 B", "sum", MPI),
    goal("fcollect 8 B", "fcollect", MPI),
    goal("alltoall 8 B", "alltoall", MPI),
    goal("set_lock + clear_lock", "lock_cycle", time("≤ 50 ns", 50)),
    goal("barrier_all", "barrier_all", time("≤ 10 µs", 10e3), 0, 8, limit="yield_switch"),
    goal("p + wait_until, one hop", "p_wait", time("≤ 3 µs", 3e3), 8, 8, limit="yield_switch"),
    goal("p + wait_until, in pairs", "p_wait_pairs", time("≤ 3 µs", 3e3), 8, 8, limit="yield_switch"),
    goal("hello world, exec to exit", "hello", time("≤ 0.25 s", 0.25e9), 0, 64, limit="start_64"),
)


def tables(_: Run, table: Table) -> list[Grid]:
    shown = {name: {key: row for key, row in rows.items() if not key.case.startswith(ELSEWHERE) and key.case != "hello"}
             for name, rows in table.items()}
    counts = sorted({key.pes for name, rows in shown.items() if name != LIMITS for key in rows if row_counts(key)})
    return [comparison.memory(table, "hello"), limits(table), *(comparison.cases(shown, pes) for pes in counts)]


def row_counts(key: Key) -> bool:
    return not key.case.startswith("memory.")


def limits(table: Table) -> Grid:
    rows = [[f"`{key.case}`", row.how, duration(row.median) if row.unit == "ns" else f"{row.median:.3g}", interval(row)]
            for key, row in table.get(LIMITS, {}).items()]
    return "What the machine can do", ["limit", "calls", "median", "interval"], rows


PAGES = {"one-node": Page("One node", tables, "Collectives of several sizes are on [collectives.md](collectives.md).",
                          goals=GOALS, divided=True)}
