"""The results of the papers beside those of a run. Times of other machines cannot be compared; ratios and the order of libraries
can."""

from __future__ import annotations

from collections.abc import Iterable

from .. import designs, formats
from ..catalogue import kind_of
from ..results import Key, Row, Table
from . import protocols
from .published import LIBRARIES

Rows = list[list[str]]
MAPPED = ("broadcast", "sum", "fcollect", "collect", "alltoall", "alltoalls", "barrier_all")
CLEARLY = 1.05  # smaller ratios are even
EVEN = "even"


def libraries(table: Table, kinds: dict[str, str]) -> tuple[list[str], Rows]:
    """Each published row, our case on the most PEs, and the spread of both."""
    names = [name for name in table if kinds.get(name) == "shmem"]
    rows = []
    for label, *published in LIBRARIES["rows"]:
        case, size = LIBRARIES["cases"][label]
        key = max((k for n in names for k in table[n] if (k.case, k.size) == (case, size)), key=lambda k: k.pes, default=None)
        found = [table[name].get(key) if key else None for name in names]
        there, here = _spread(published), _spread([row.median if row and row.ok else None for row in found])
        rows.append([label, *["–" if v is None else f"{v:g}" for v in published], _times(there),
                     f"{case}{' ' + formats.size_text(size) if size else ''}, {key.pes} PEs" if key else "not measured",
                     *[formats.quantity(row) for row in found], _times(here), _compared(there, here)])
    return ["published", *LIBRARIES["columns"][1:], "spread", "here", *names, "spread", "what differs"], rows


def _spread(values: list[float | None]) -> float | None:
    known = [value for value in values if value]
    return max(known) / min(known) if len(known) > 1 else None


def _times(ratio: float | None) -> str:
    return f"{ratio:.1f}×" if ratio else "–"


def _compared(there: float | None, here: float | None) -> str:
    if there is None or here is None:
        return "nothing to compare"
    if max(there, here) / min(there, here) < 1.5:
        return "about as far apart"
    return "libraries are further apart here" if here > there else "libraries are closer here"


def collectives(saved: dict, table: Table) -> tuple[list[str], Rows]:
    """The number of sizes that each design wins, and the result of the paper on its two designs."""
    by_design = designs.best(saved, table)
    columns = ["operation", "PEs", *[f"{design} wins" for design in by_design], "even", "one-sided against two-sided, beside the paper"]
    rows = []
    for case in MAPPED:
        for pes in sorted({key.pes for found in by_design.values() for key in found if key.case == case}):
            keys = [key for key in formats.keys(by_design) if (key.case, key.pes) == (case, pes)]
            won = list(filter(None, (_winner(by_design, key, by_design) for key in keys)))
            two = list(filter(None, (_winner(by_design, key, ("one-sided", "two-sided")) for key in keys)))
            if won:
                rows.append([case, str(pes), *[str(won.count(side)) for side in (*by_design, EVEN)], _finding(case, pes, two)])
    return columns, rows


def _winner(by_design: Table, key: Key, among: Iterable[str]) -> str | None:
    """The winner, if at least two were measured."""
    times = sorted((by_design[design][key].median, design) for design in among if key in by_design.get(design, {}))
    if len(times) < 2:
        return None
    return EVEN if times[1][0] < CLEARLY * times[0][0] else times[0][1]


def _finding(case: str, pes: int, won: list[str]) -> str:
    if not won:
        return "–"
    mostly = 2 * won.count("two-sided") > len(won)
    if pes == 2 and case in ("collect", "broadcast", "alltoall", "sum"):
        return "the paper: one-sided never slower with two PEs; " + ("not so here" if "two-sided" in won else "so it is here")
    return "the paper: two-sided mostly faster; " + ("so it is here" if mostly else "not so here")


def choices(saved: dict, table: Table) -> tuple[list[str], Rows]:
    """The time of Oshen's own choice over the best of its designs."""
    found = designs.losses(saved, table)
    sizes = sorted({key.size for key in found if key.case in MAPPED})
    rows = [[case, str(pes), *[f"{found[key]:.2f}" if (key := Key(case, size, pes)) in found else "" for size in sizes]]
            for case in MAPPED for pes in sorted({key.pes for key in found if key.case == case})]
    return ["operation", "PEs", *map(formats.size_text, sizes)], rows


def rate_points(table: Table) -> list[tuple[str, str, int, dict[int, float]]]:
    """Library, case without its threads, size, and million messages per second of a process by threads, if there are several."""
    found: dict[tuple[str, str, int], dict[int, float]] = {}
    for name, rows in table.items():
        for key, row in rows.items():
            stem, _, count = key.case.rpartition(".t")
            if row.axis == "threads" and row.ok and count.isdigit():
                found.setdefault((name, stem, key.size), {})[int(count)] = 1e3 / row.median
    return [(*at, points) for at, points in found.items() if len(points) > 1]


def rates(table: Table) -> list[tuple[str, str, int, list[str]]]:
    """The same as cells: rates of 1, 2 and 4 threads, then their efficiencies over one."""
    return [(name, stem, size, [f"{points[t]:.2f}" if t in points else "–" for t in (1, 2, 4)]
             + [f"{points[t] / (t * points[1]):.0%}" if t in points and 1 in points else "–" for t in (2, 4)])
            for name, stem, size, points in rate_points(table)]


# Streams of messages of a process in each pattern.
STREAMS = {"pairs": 0.5, "allstart": 1, "halo": 2}


def workers(table: Table) -> tuple[list[str], Rows]:
    """Rates for the same product of PEs and threads."""
    found: dict[tuple[str, str, int], dict[tuple[int, int], str]] = {}
    for name, rows in table.items():
        for key, row in rows.items():
            stem, count = _threads_of(key.case)
            pattern = stem.split(".")[1] if stem.startswith("mt_rate.") else ""
            if not row.ok or not stem.startswith("app.") and pattern not in STREAMS:
                continue
            value = f"{1e3 * STREAMS[pattern] * key.pes / row.median:.2f} M/s" if pattern else formats.quantity(row)
            found.setdefault((name, stem, key.pes * count), {})[key.pes, count] = value
    rows = [[name, stem, str(together), *[f"{pes} × {count}: {value}" for (pes, count), value in sorted(cells.items(), reverse=True)]]
            for (name, stem, together), cells in found.items() if len(cells) > 1]
    most = max(map(len, rows), default=3)
    return ["library", "case", "in all", *["PEs × threads"] * (most - 3)], [row + [""] * (most - len(row)) for row in rows]


def _threads_of(case: str) -> tuple[str, int]:
    """The case without its threads, and their number. The name of an app has them only if there are several."""
    stem, _, count = case.rpartition(".t")
    return (stem, int(count)) if count.isdigit() and stem else (case, 1)


def _bandwidths(found: dict[Key, Row]) -> dict[str, dict[int, dict[int, Row]]]:
    """By case without its threads, then threads, then size."""
    series: dict[str, dict[int, dict[int, Row]]] = {}
    for key, row in found.items():
        stem, _, count = key.case.rpartition(".t")
        if key.case.startswith(("mt_bw", "mt_bibw")) and count.isdigit() and row.ok:
            series.setdefault(stem, {}).setdefault(int(count), {})[key.size] = row
    return series


def overtakers(table: Table, count: int = 4) -> tuple[list[str], Rows]:
    """For each pattern and operation: in how many combinations of context and synchronisation `count` threads overtake one."""
    rows = []
    for name, found in table.items():
        ways: dict[str, dict[str, int | None]] = {}
        for stem, by_threads in _bandwidths(found).items():
            if {1, count} <= by_threads.keys():
                pattern, operation, way = stem.split(".", 2)
                ways.setdefault(f"{pattern}.{operation}", {})[way] = overtaking(by_threads[1], by_threads[count])
        for stem, sizes in ways.items():
            won = {way: size for way, size in sizes.items() if size is not None}
            first = min(won, key=lambda way: won[way], default="")
            rows.append([name, stem, f"{len(won)} of {len(sizes)}", formats.size_text(won[first]) if won else "–", first or "–",
                         "as in the paper, four overtake one" if won else "never here; the paper: four threads overtake one"])
    return ["library", "case", "ways in which they do", "from", "first with", "beside the paper"], rows


def threads(table: Table) -> tuple[list[str], Rows]:
    """The size from which more threads move more bytes than one."""
    rows = []
    for name, found in table.items():
        for stem, by_threads in _bandwidths(found).items():
            for count in (t for t in sorted(by_threads) if t > 1 and 1 in by_threads):
                size = overtaking(by_threads[1], by_threads[count])
                told = "never here; the paper: four threads overtake one" if size is None else \
                    "at every size" if size == min(by_threads[1]) else "as in the paper, four overtake one"
                rows.append([name, stem, str(count), formats.size_text(size) if size else "–", told])
    return ["library", "case", "threads", "overtake one from", "beside the paper"], rows


def switches(table: Table) -> tuple[list[str], Rows]:
    """Changes of protocol in the latency of one thread."""
    rows = []
    for name, found in table.items():
        latencies = {key: row for key, row in found.items() if key.case.startswith("mt_lat.") and key.case.endswith(".default.quiet.t1")}
        there = protocols.table(name, latencies)
        rows += [[*line[:2], *line[3:-1], "as in the paper, a change of protocol shows"] for line in there]
        if latencies and not there:
            rows.append([name, "all", "–", "–", "–", "–", "one line at all sizes; the paper: a change of protocol shows"])
    return ["library", "case", "between bytes", "time over the line before", "before", "after", "beside the paper"], rows


def overtaking(one: dict[int, Row], many: dict[int, Row]) -> int | None:
    """The smallest size from which `many` threads are clearly faster at all larger sizes."""
    first = None
    for size in sorted(one.keys() & many.keys(), reverse=True):
        if one[size].median < CLEARLY * many[size].median:
            break
        first = size
    return first


def multiple(table: Table) -> Rows:
    """The cost of THREAD_MULTIPLE for one thread: library, case, at SINGLE, at MULTIPLE, ratio."""
    rows = []
    for name, found in table.items():
        for key, alone in found.items():
            allowed = found.get(Key(key.case.removesuffix(".single") + ".t1", key.size, key.pes))
            if kind_of(key.case).axis == "threads" and key.case.endswith(".single") and allowed and allowed.ok and alone.ok:
                rows.append([name, key.case.removesuffix(".single"), formats.size_text(key.size), formats.quantity(alone),
                             formats.quantity(allowed), f"{allowed.median / alone.median:.2f}"])
    return rows
