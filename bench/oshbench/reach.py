"""What we want to reach, row by row, and whether a comparison shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from .samples import Key, Summary, against

Results = dict[str, dict[Key, Summary]]
OURS = "oshen"
LIMITS = "limits"


@dataclass(frozen=True)
class Goal:
    """`value` of a row in the goal's own unit, and what it may be at most."""

    text: str
    at_most: float
    value: Callable[["Row", Results], float | None]
    in_ns: bool = False


@dataclass(frozen=True)
class Row:
    """One line of the table: a case, how peers do the same, and what is wanted."""

    label: str
    case: str
    goal: Goal
    size: int = 8
    pes: int = 2
    limit: str | None = (
        None  # a case of the limits program, where the case has no reference of its own
    )
    fallback: str | None = None  # what a library does that lacks the routine
    same_memory: str | None = (
        None  # the case that is the limit on the very same pages, which differ in luck
    )

    def of(self, results: Results, library: str) -> Summary | None:
        cases = results.get(library, {})
        fallback = (
            cases.get((self.fallback, self.size, self.pes))
            if self.fallback and library != OURS
            else None
        )
        return cases.get((self.case, self.size, self.pes), fallback)

    def limit_ns(self, results: Results) -> float | None:
        ours, plain = self.of(results, OURS), self.plain(results)
        if plain:
            return plain.ns
        if ours and ours.reference_ns:
            return ours.reference_ns
        if self.limit:
            found = [s for key, s in results.get(LIMITS, {}).items() if key[0] == self.limit]
            return found[0].ns if found else None
        peers = [s for s in (self.of(results, name) for name in results) if s and s.reference_ns]
        return min((s.reference_ns for s in peers), default=None)

    def plain(self, results: Results) -> Summary | None:
        return results.get(OURS, {}).get((self.same_memory or "", self.size, self.pes))

    def to_limit(self, results: Results) -> float | None:
        """Ours over the limit, paired as closely as they were measured: batch by batch or launch by launch."""
        ours, plain, limit = self.of(results, OURS), self.plain(results), self.limit_ns(results)
        if ours is None:
            return None
        if plain:
            return median(mine / bare for mine, bare in zip(ours.launches, plain.launches))
        return ours.to_reference or (ours.ns / limit if limit else None)

    def best_peer(self, results: Results, only_mpi: bool = False) -> tuple[str, Summary] | None:
        """That which comes nearest to ours, or is farthest ahead."""
        names = [
            n for n in results if n not in (OURS, LIMITS) and not (only_mpi and n.endswith("shmem"))
        ]
        found = [(name, s) for name in names if (s := self.of(results, name)) and s.ok]
        ours = self.of(results, OURS)
        return max(found, key=lambda item: (against(ours, item[1]) if ours else None) or 0, default=None)


def verdict(row: Row, results: Results) -> str:
    """In words: reached, missed by how much, or why it cannot be told."""
    ours = row.of(results, OURS)
    if ours is None:
        return "not measured"
    if not ours.ok:
        return "WRONG RESULT"
    value = row.goal.value(row, results)
    if value is None:
        return "nothing to compare with"
    if value <= row.goal.at_most:
        return "reached"
    limit = row.limit_ns(results)
    above = row.goal.in_ns and limit is not None and limit > row.goal.at_most
    return f"missed, {value / row.goal.at_most:.2f}x" + (
        ": the limit itself is higher here" if above else ""
    )


def at_most_ns(limit: float, text: str) -> Goal:
    return Goal(text, limit, lambda row, results: _ours(row, results).ns, in_ns=True)


def at_most_limit(ratio: float, text: str) -> Goal:
    return Goal(text, ratio, lambda row, results: row.to_limit(results))


def at_most_mpi(text: str = "≤ MPI's") -> Goal:
    def value(row: Row, results: Results) -> float | None:
        peer = row.best_peer(results, only_mpi=True)
        return against(_ours(row, results), peer[1]) if peer else None

    return Goal(text, 1.0, value)


def _ours(row: Row, results: Results) -> Summary:
    summary = row.of(results, OURS)
    assert summary is not None  # verdict has looked
    return summary


MIB = 1 << 20
ROWS = [
    Row("put 8 B + quiet", "put_quiet", at_most_ns(12, "≤ 12 ns")),
    Row("put 8 B rate, long_put", "put_rate", at_most_ns(1000 / 300, "≥ 300 M/s")),
    Row(
        "put 8 B rate, putmem",
        "putmem_rate",
        at_most_ns(1000 / 300, "≥ 300 M/s"),
        fallback="put_rate",
    ),
    Row("p rate", "p_rate", at_most_ns(1000 / 300, "≥ 300 M/s"), fallback="put_rate"),
    Row("get 8 B", "get", at_most_ns(5, "≤ 5 ns")),
    Row("g", "g", at_most_ns(5, "≤ 5 ns"), fallback="get"),
    Row("fetch_add, uncontended", "fetch_add", at_most_ns(5, "≤ 5 ns")),
    Row("fetch_add, against lock xadd", "fetch_add", at_most_limit(1.6, "≤ 1.6 × lock xadd")),
    Row(
        "put 1 MiB",
        "put",
        at_most_limit(1 / 0.98, "≥ 0.98 × memcpy"),
        size=MIB,
        same_memory="ptr_copy_out",
    ),
    Row(
        "get 1 MiB",
        "get",
        at_most_limit(1 / 0.98, "≥ 0.98 × memcpy"),
        size=MIB,
        same_memory="ptr_copy_in",
    ),
    *[
        Row(
            f"put 4 KiB to a PE in {place}, against one that computes",
            case,
            at_most_limit(1.15, "≤ 1.15 × computing"),
            size=4096,
            same_memory="put_to_computing",
        )
        for place, case in (
            ("barrier_all", "put_to_barrier"),
            ("wait_until", "put_to_wait"),
            ("signal_wait_until", "put_to_signal_wait"),
        )
    ],
    Row(
        "fetch_add on a PE in wait_until, against one that computes",
        "add_to_wait",
        at_most_limit(1.5, "≤ 1.5 × computing"),
        same_memory="add_to_computing",
    ),
    Row("p + wait_until, one way", "p_wait", at_most_limit(1.05, "≤ 1.05 × limit")),
    Row(
        "put_signal 8 B, one way, data and signal on one line",
        "put_signal_beside",
        at_most_limit(1.1, "≤ 1.1 × limit"),
        fallback="put_fence_p",
    ),
    Row(
        "put_signal 8 B, one way, a line each",
        "put_signal",
        at_most_limit(1.1, "≤ 1.1 × limit"),
        fallback="put_fence_p",
    ),
    Row("barrier_all", "barrier_all", at_most_mpi(), size=0),
    Row("sync_all", "sync_all", at_most_mpi(), size=0, fallback="barrier_all"),
    Row("broadcast 8 B", "broadcast", at_most_mpi()),
    Row("sum 8 B", "sum", at_most_mpi()),
    Row("fcollect 8 B", "fcollect", at_most_mpi()),
    Row("alltoall 8 B", "alltoall", at_most_mpi()),
    Row(
        "hello world, 64 PEs, exec to exit",
        "hello",
        at_most_ns(0.25e9, "≤ 0.25 s"),
        size=0,
        pes=64,
        limit="start_64",
    ),
    Row(
        "barrier_all, 8 PEs",
        "barrier_all",
        at_most_ns(10e3, "≤ 10 µs"),
        size=0,
        pes=8,
        limit="yield_switch",
    ),
    Row(
        "p + wait_until, 8 PEs, one hop",
        "p_wait",
        at_most_ns(3e3, "≤ 3 µs"),
        pes=8,
        limit="yield_switch",
    ),
    Row(
        "p + wait_until, 8 PEs in pairs",
        "p_wait_pairs",
        at_most_ns(3e3, "≤ 3 µs"),
        pes=8,
        limit="yield_switch",
    ),
    Row("set_lock + clear_lock", "lock_cycle", at_most_ns(50, "≤ 50 ns")),
]
