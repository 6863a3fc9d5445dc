"""The page docs/bench/collectives.md: goals, all operations beside the other libraries, and what falls short."""

from __future__ import annotations

from . import faster_elsewhere
from .collective_goals import COPIES, GOALS, METRICS, OPERATIONS, SIZES, Goal, limit_ns
from .faster_elsewhere import best_peer
from .reach import LIMITS, OURS, Results
from .render import Table, duration, ratio, size_text, spinning, spread
from .samples import Summary, against, quotient

def tables(results: Results) -> list[Table]:
    names = sorted((n for n in results if n != LIMITS), key=lambda n: (n != OURS, n))
    found = [_goals(results), faster_elsewhere.table(results)]
    for pes in sorted({key[2] for name in names for key in results[name]}):
        for metric, title in METRICS.items():
            found.append(_comparison(results, names, pes, metric, title))
    found.append(_limits(results))
    return [table for table in found if table[2]]


def _goals(results: Results) -> Table:
    columns = ["PEs", "what", "ours", "goal", "limit here", "ours / limit", "best of the others", "ours / best",
               "spread", "verdict"]
    return "Goals", columns, [_goal_row(goal, results) for goal in GOALS]


def _goal_row(goal: Goal, results: Results) -> list[str]:
    ours, peer = results.get(OURS, {}).get(goal.key()), best_peer(results, goal.key())
    limit = limit_ns(goal.case, goal.size, results) if goal.pes == 2 else None
    return [
        str(goal.pes),
        goal.label,
        duration(ours.ns if ours else None),
        goal.text(),
        duration(limit),
        ratio(ours.ns / limit if ours and limit else None),
        f"{duration(peer[1].ns)} ({peer[0]})" if peer else "–",
        ratio(against(ours, peer[1]) if ours and peer else None),
        spread(ours) if ours else "–",
        _verdict(goal, ours, limit),
    ]


def _verdict(goal: Goal, ours: Summary | None, limit: float | None) -> str:
    if ours is None:
        return "not measured"
    if not ours.ok:
        return "WRONG RESULT"
    times = goal.times(ours)
    if times is None:
        return "no copies measured beside it"
    if times <= 1:
        return "reached"
    above = not goal.in_copies and limit is not None and limit > 1000 * goal.at_most
    return f"missed, {times:.2f}x" + (": the limit itself is higher here" if above else "")


def _comparison(results: Results, names: list[str], pes: int, metric: str, title: str) -> Table:
    cases = (["barrier_all"] if metric == "" else []) + [name + metric for name in OPERATIONS]
    rows = []
    for case in cases:
        for size in [0] if case == "barrier_all" else SIZES:
            found = {name: results[name].get((case, size, pes)) for name in names}
            if any(found.values()):
                rows.append(_comparison_row(results, found, case, size, pes))
    columns = ["operation", "size", "limit", *names, "ours / limit", "ours / best MPI", "ours / best"]
    return f"{pes} PEs, {title}", columns, rows


def _comparison_row(results: Results, found: dict[str, Summary | None], case: str, size: int, pes: int) -> list[str]:
    ours, limit = found.get(OURS), limit_ns(case, size, results) if pes == 2 else None
    mpi = [s.ns for name, s in found.items() if s and s.ok and name != OURS and not name.endswith("shmem")]
    best = [s.ns for name, s in found.items() if s and s.ok and name != OURS]
    cells = [_cell(summary) + spinning(name, pes, summary) for name, summary in found.items()]
    return [
        case.removesuffix("_local").removesuffix("_span"),
        size_text(size) if size else "–",
        duration(limit),
        *cells,
        ratio(ours.ns / limit if ours and limit else None),
        ratio(quotient(ours.ns, min(mpi)) if ours and mpi else None),
        ratio(quotient(ours.ns, min(best)) if ours and best else None),
    ]


def _cell(summary: Summary | None) -> str:
    if summary is None:
        return "–"
    return duration(summary.ns) if summary.ok else "WRONG"


def _limits(results: Results) -> Table:
    rows = [[name, f"{copies:g}", what] for name, (copies, what) in COPIES.items()]
    return "Limits of large operations on 2 PEs", ["operation", "copies of b bytes, by both PEs at once", "which"], rows
