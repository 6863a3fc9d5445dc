"""A run as text, CSV, JSON, or in the columns of OMB."""

from __future__ import annotations

import csv
import io
import json
import math
from statistics import median, quantiles

from oshen_tables import lines, paragraph

from ..cases.catalogue import kind_of
from ..common.text import duration, size_text
from ..results.rows import Key, Row, Table, measured
from ..results.run import Run
from .grids import quantity

FORMATS = ("text", "csv", "json", "omb", "gbench", "none")


def show(run: Run, table: Table, form: str) -> str:
    return {"text": text, "csv": as_csv, "omb": omb, "gbench": gbench, "json": lambda s, _: json.dumps(s) + "\n",
            "none": lambda *_: ""}[form](run, table)


def size_of(key: Key) -> str:
    """The size in bytes, or in the unit of this case."""
    counts = kind_of(key.case).counts
    return counts.format(key.size) if counts and key.size else size_text(key.size)


def share(ratio: float) -> str:
    """At least two significant digits: 0.004 is not 0."""
    return f"{ratio:.2g}" if 0 < ratio < 0.095 else f"{ratio:.2f}"


def interval(low: float, high: float) -> str:
    """Both ends with two significant digits and two decimals at least, and as many as they need to differ."""
    if math.isnan(low) or math.isnan(high):
        return "–"
    least = max(2, 1 - math.floor(math.log10(low))) if low > 0 else 2
    digits = next((d for d in range(least, 6) if f"{low:.{d}f}" != f"{high:.{d}f}"), 6)
    return f"{low:.{digits}f} … {high:.{digits}f}"


def with_interval(value: float, low: float, high: float) -> str:
    """A value with its interval, whose ends differ as printed; without one if there is none."""
    if low == high:
        return share(value)
    digits = next((d for d in range(2, 6) if f"{low:.{d}f}" != f"{high:.{d}f}"), 6)
    return f"{value:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def keys(table: Table) -> list[Key]:
    """The keys of all libraries, in order of first appearance and size."""
    cases = {key.case: i for i, key in reversed(list(enumerate(key for rows in table.values() for key in rows)))}
    keys_of_all = {key for rows in table.values() for key in rows}
    return sorted(keys_of_all, key=lambda key: (key.pes, cases[key.case], key.size))


LEGEND = (
    ("*", "the best of its row; WRONG: the check of its results failed; –: the library does not have it"),
    ("limit", "the same loop without any library: a store, a copy, a cache line from core to core"),
    ("", "times and memory: less is better; %, GB/s, M/s: more"),
    ("", "_local: mean over the PEs of single operations, as in OMB; _span: from the first entry to the last exit"),
)


def text(run: Run, table: Table) -> str:
    """A block for each number of PEs: a row per case, a column per library, the best marked, each description once."""
    table = measured(table)
    names = list(table)
    out: list[str] = []
    for pes in sorted({key.pes for key in keys(table)}):
        shown = [key for key in keys(table) if key.pes == pes]
        rows, about = [["case", "size", *names, "limit"]], [""]
        for key in shown:
            rows.append(_text_row(table, key, names))
            about.append(kind_of(key.case).about if kind_of(key.case).about not in about else "")
        out += [f"{pes} PEs", *lines(rows, about, keys=2), ""]
    legend = [line for word, text in LEGEND for line in paragraph(text, " " * 7, first=f"{word:<7}")]
    return "\n".join([*out, *(legend if out else ()), ""])


def _text_row(table: Table, key: Key, names: list[str]) -> list[str]:
    rows = [table[name].get(key) for name in names]
    right = [row for row in rows if row and row.ok]
    best = (max if right and right[0].higher_is_better else min)((row.median for row in right), default=None)
    cells = [quantity(row) + (" *" if row and row.ok and len(right) > 1 and row.median == best else "  ")
             for row in rows]
    limits = [row.reference_ns for row in right if row.reference_ns]
    return [key.case, size_of(key), *cells, duration(min(limits)) if limits else "–"]


COLUMNS = ("library", "case", "size", "pes", "unit", "completion", "round", "launch_median", "batches", "low", "high",
           "ok", "reference", "reference_ns", "to_reference", "bandwidth_MBps", "how")


def as_csv(_: dict, table: Table) -> str:
    """A line per library, case and launch."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for library, rows in table.items():
        for key, row in rows.items():
            for number, middle, batches in zip(row.rounds, row.values, row.batches):
                writer.writerow([library, key.case, key.size, key.pes, row.unit, kind_of(key.case).completion, number,
                                 f"{middle:.6g}", len(batches), f"{min(batches):.6g}", f"{max(batches):.6g}", row.ok,
                                 row.reference or "", f"{row.reference_ns:.6g}" if row.reference_ns else "",
                                 f"{row.to_reference:.6g}" if row.to_reference else "",
                                 f"{row.bandwidth:.6g}" if row.bandwidth else "", row.how])
    return out.getvalue()


def gbench(run: Run, table: Table) -> str:
    """The JSON of Google Benchmark, for its tools: a repetition per launch, times only."""
    entries = [{"name": name, "run_name": name, "run_type": "iteration", "repetitions": len(row.values),
                "repetition_index": index, "threads": 1, "iterations": len(row.batches[index]), "real_time": value,
                "cpu_time": value, "time_unit": "ns"}
               for library, rows in table.items() for key, row in rows.items() if row.ok and row.unit == "ns"
               for name in [f"{library}/{key.case}/{key.size}/pes:{key.pes}"] for index, value in enumerate(row.values)]
    context = {"executable": "oshbench", "num_cpus": int(run.machine.get("CPUs", 0) or 0),
               "library_build_type": "release"}
    return json.dumps({"context": context, "benchmarks": entries}, indent=1) + "\n"


# ---- the columns of OMB, for scripts that read them

OMB_VERSION = "v7.4"
ATOMICS = {"fetch_add": "fadd", "fetch_inc": "finc", "add": "add", "inc": "inc", "compare_swap": "cswap",
           "swap": "swap", "set": "set", "fetch": "fetch"}


def omb(_: dict, table: Table) -> str:
    """A table for each library, number of PEs and case of OMB."""
    parts = []
    for library, rows in table.items():
        series: dict[tuple[str, int], list[Row]] = {}
        for key, row in rows.items():
            series.setdefault((key.case, key.pes), []).append(row)
        for (case, pes), of_case in series.items():
            if row_text := _omb_table(library, case, pes, sorted(of_case, key=lambda row: row.key.size)):
                parts.append(row_text)
        if atomics := _omb_atomics(library, rows):
            parts.append(atomics)
    return "\n".join(parts)


def _omb_table(library: str, case: str, pes: int, rows: list[Row]) -> str:
    title = kind_of(case).omb
    if not title or case not in ("put", "get", "put_nbi", "get_nbi") and not _is_collective(case):
        return ""
    front = f"# OSU OpenSHMEM {title} Test {OMB_VERSION}\n# {library}, {pes} PEs\n"
    if _is_collective(case):
        head = "# Size       Avg Latency(us)\n" if rows[0].key.size else "# Avg Latency(us)\n"
    else:
        head = "# Size            Latency (us)\n"
    lines = [f"{row.key.size:<10}{row.median / 1e3:>20.2f}" if row.key.size else f"{row.median / 1e3:>21.2f}"
             for row in rows]
    return front + head + "\n".join(lines) + "\n"


def _is_collective(case: str) -> bool:
    """OMB reports the mean over processes of single operations, for barriers of many in a row."""
    return case == "barrier_all" or case.endswith("_local")


def _omb_atomics(library: str, rows: dict[Key, Row]) -> str:
    lines = []
    for key, row in rows.items():
        parts = key.case.split(".")
        if parts[0] == "amo" and parts[-1] == "private" and parts[1] in ATOMICS:
            name = f"shmem_{'int' if parts[2] == '32' else 'longlong'}_{ATOMICS[parts[1]]}"
            lines.append(f"{name:<30}{1e3 / row.median:>12.2f}{row.median / 1e3:>20.2f}")
    if not lines:
        return ""
    return (f"# OSU OpenSHMEM Atomic Operation Rate Test {OMB_VERSION}\n# {library}\n"
            f"{'# Operation':<30}{'Million ops/s':>12}{'Latency (us)':>20}\n" + "\n".join(lines) + "\n")


# ---- spread, for tables

def spread(row: Row) -> tuple[float, float]:
    """Tenth and ninetieth percentile of all batches."""
    everything = [v for batches in row.batches for v in batches]
    if len(everything) < 2:
        return median(everything), median(everything)
    tenths = quantiles(everything, n=10, method="inclusive")
    return tenths[0], tenths[-1]
