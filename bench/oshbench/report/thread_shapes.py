"""The cases of threads: rates, efficiencies, and where several threads move more than one. Nothing is found from more
threads than CPUs."""

from __future__ import annotations

from dataclasses import replace

from ..cases.catalogue import kind_of
from ..results.rows import Key, Row, Table
from ..statistics import judge
from . import formats, protocols

Rows = list[list[str]]


def rate_points(table: Table) -> list[tuple[str, str, int, int, dict[int, float]]]:
    """Library, case without its threads, size, PEs, and million messages per second of a process by threads, if there
    are several."""
    by_case: dict[tuple[str, str, int, int], dict[int, float]] = {}
    for name, rows in table.items():
        for key, row in rows.items():
            stem, _, count = key.case.rpartition(".t")
            if row.axis == "threads" and row.ok and count.isdigit():
                by_case.setdefault((name, stem, key.size, key.pes), {})[int(count)] = 1e3 / row.median
    return [(*at, points) for at, points in by_case.items() if len(points) > 1]


def rates(table: Table, cpus: int) -> list[tuple[str, str, int, list[str]]]:
    """The same as cells: rates of 1, 2 and 4 threads, then the efficiencies over one of those that have a CPU each."""
    return [(name, stem, size, [f"{points[t]:.2f}" if t in points else "–" for t in (1, 2, 4)]
             + [f"{points[t] / (t * points[1]):.0%}" if {1, t} <= points.keys() and pes * t <= cpus else "–"
                for t in (2, 4)])
            for name, stem, size, pes, points in rate_points(table)]


# Streams of messages of a process in each pattern.
STREAMS = {"pairs": 0.5, "allstart": 1, "halo": 2}


def workers(table: Table) -> tuple[list[str], Rows]:
    """Rates for the same product of PEs and threads."""
    values: dict[tuple[str, str, int], dict[tuple[int, int], str]] = {}
    for name, rows in table.items():
        for key, row in rows.items():
            stem, count = _threads_of(key.case)
            pattern = stem.split(".")[1] if stem.startswith("mt_rate.") else ""
            if not row.ok or not stem.startswith("app.") and pattern not in STREAMS:
                continue
            value = f"{1e3 * STREAMS[pattern] * key.pes / row.median:.2f} M/s" if pattern else formats.quantity(row)
            values.setdefault((name, stem, key.pes * count), {})[key.pes, count] = value
    rows = [[name, stem, str(together), *[f"{pes} × {count}: {value}" for (pes, count),
                                          value in sorted(cells.items(), reverse=True)]]
            for (name, stem, together), cells in values.items() if len(cells) > 1]
    most = max(map(len, rows), default=3)
    return ["library", "case", "in all", *["PEs × threads"] * (most - 3)], [row + [""] * (most - len(row))
                                                                            for row in rows]


def _threads_of(case: str) -> tuple[str, int]:
    """The case without its threads, and their number. The name of an app has them only if there are several."""
    stem, _, count = case.rpartition(".t")
    return (stem, int(count)) if count.isdigit() and stem else (case, 1)


def _bandwidths(by_key: dict[Key, Row]) -> dict[tuple[str, int], dict[int, dict[int, Row]]]:
    """By case without its threads, and PEs; then threads, then size."""
    series: dict[tuple[str, int], dict[int, dict[int, Row]]] = {}
    for key, row in by_key.items():
        stem, _, count = key.case.rpartition(".t")
        if key.case.startswith(("mt_bw", "mt_bibw")) and count.isdigit() and row.ok:
            series.setdefault((stem, key.pes), {}).setdefault(int(count), {})[key.size] = row
    return series


def _fitting(by_threads: dict[int, dict[int, Row]], pes: int, cpus: int) -> list[int]:
    """The numbers of threads beyond one that have a CPU each."""
    return [count for count in sorted(by_threads) if count > 1 and 1 in by_threads and pes * count <= cpus]


def _left_out(table: Table, cpus: int, columns: int) -> Rows:
    """A row that says why nothing is found, if several threads were measured at all."""
    needed = [pes * 2 for own in table.values() for (_, pes), by_threads in _bandwidths(own).items()
              if len(by_threads) > 1]
    if not needed:
        return []
    return [["all", f"not looked at: two threads of each PE need {min(needed)} CPUs, and there are {cpus}",
             *["–"] * (columns - 2)]]


def overtakers(table: Table, cpus: int) -> tuple[list[str], Rows]:
    """For each pattern and operation: in how many combinations of context and synchronisation the most threads with a
    CPU each overtake one."""
    columns = ["library", "case", "threads", "ways in which they overtake one", "from", "first with",
               "beside the paper"]
    rows = []
    for name, own in table.items():
        ways: dict[tuple[str, int], dict[str, int | None]] = {}
        for (stem, pes), by_threads in _bandwidths(own).items():
            if counts := _fitting(by_threads, pes, cpus):
                pattern, operation, way = stem.split(".", 2)
                most = counts[-1]
                ways.setdefault((f"{pattern}.{operation}", most), {})[way] = overtaking(by_threads[1], by_threads[most])
        for (stem, count), sizes in ways.items():
            won = {way: size for way, size in sizes.items() if size is not None}
            first = min(won, key=lambda way: won[way], default="")
            rows.append([name, stem, str(count), f"{len(won)} of {len(sizes)}", formats.size_text(won[first]) if won
                         else "–", first or "–", _beside_paper(bool(won))])
    return columns, rows or _left_out(table, cpus, len(columns))


def threads(table: Table, cpus: int) -> tuple[list[str], Rows]:
    """The size from which more threads move more bytes than one."""
    columns, rows = ["library", "case", "threads", "overtake one from", "beside the paper"], []
    for name, own in table.items():
        for (stem, pes), by_threads in _bandwidths(own).items():
            for count in _fitting(by_threads, pes, cpus):
                size = overtaking(by_threads[1], by_threads[count])
                every = size is not None and size == min(by_threads[1])
                rows.append([name, stem, str(count), formats.size_text(size) if size else "–",
                             "at every size" if every else _beside_paper(size is not None)])
    return columns, rows or _left_out(table, cpus, len(columns))


def _beside_paper(overtaken: bool) -> str:
    return "as in the paper, more threads overtake one" if overtaken \
        else "not shown here; the paper: four threads overtake one"


def switches(table: Table) -> tuple[list[str], Rows]:
    """Changes of protocol in the latency of one thread."""
    rows = []
    for name, own in table.items():
        latencies = {key: row for key, row in own.items() if key.case.startswith("mt_lat.")
                     and key.case.endswith(".default.quiet.t1")}
        there = protocols.table(name, latencies)
        rows += [[*line[:2], *line[3:-1], "as in the paper, a change of protocol shows"] for line in there]
        if latencies and not there:
            rows.append([name, "all", "–", "–", "–", "–",
                         "one line at all sizes; the paper: a change of protocol shows"])
    return ["library", "case", "between bytes", "time over the line before", "before", "after",
            "beside the paper"], rows


def overtaking(one: dict[int, Row], many: dict[int, Row]) -> int | None:
    """The smallest size from which `many` threads are faster at all larger sizes, by the verdicts of judge."""
    by_size = [{replace(row.key, case=""): row for row in rows.values()} for rows in (one, many)]
    words = {verdict.key.size: verdict.word for verdict in judge.compare(*by_size, ("one", "many"))}
    first = None
    for size in sorted(words, reverse=True):
        if words[size] != "faster":
            break
        first = size
    return first


def multiple(table: Table) -> Rows:
    """The cost of THREAD_MULTIPLE for one thread: library, case, at SINGLE, at MULTIPLE, ratio."""
    rows = []
    for name, own in table.items():
        for key, alone in own.items():
            allowed = own.get(Key(key.case.removesuffix(".single") + ".t1", key.size, key.pes))
            if kind_of(key.case).axis == "threads" and key.case.endswith(".single") and allowed and allowed.ok \
                and alone.ok:
                rows.append([name, key.case.removesuffix(".single"), formats.size_text(key.size),
                             formats.quantity(alone), formats.quantity(allowed),
                             f"{allowed.median / alone.median:.2f}"])
    return rows
