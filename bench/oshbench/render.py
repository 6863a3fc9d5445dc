"""Tables: on the terminal (with rich where it is installed) and in Markdown, from the same rows."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

from .reach import LIMITS, OURS, ROWS, Results, Row, verdict
from .samples import Summary, against

Table = tuple[str, list[str], list[list[str]]]  # title, columns, rows


def tables(results: Results, memory: dict[str, dict]) -> list[Table]:
    """Everything a comparison has to show, the goals first."""
    names = sorted((n for n in results if n != LIMITS), key=lambda n: (n != OURS, n))
    found = [_reach_table(results, names), _memory_table(memory), _limits_table(results)]
    for pes in sorted({key[2] for name in names for key in results[name] if key[0] != "hello"}):
        found.append(_all_cases_table(results, names, pes))
    return [table for table in found if table[2]]


# With more processes than CPUs these wait without handing over the CPU: their rows measure time slices.
SPINNERS = ("mpich",)
SPINNING = "† spins while it waits: with more processes than CPUs this is the length of time slices, not of the operation."


def spinning(name: str, pes: int, summary: Summary | None) -> str:
    """The mark of a number that says little; two PEs have a CPU each."""
    return " †" if summary is not None and pes > 2 and name.startswith(SPINNERS) else ""


def duration(ns: float | None) -> str:
    if ns is None:
        return "–"
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns" if ns < 100 else f"{ns:.0f} ns"


def ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def size_text(size: int) -> str:
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB" if size >= 1024 else f"{size} B"


def print_tables(found: Iterable[Table]) -> None:
    use_rich = importlib.util.find_spec("rich") is not None
    for table in found:
        _print_rich(table) if use_rich else _print_plain(table)


def markdown(found: Iterable[Table], heading: str = "##") -> str:
    parts = []
    for title, columns, rows in found:
        lines = [f"{heading} {title}", "", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        parts.append("\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]))
    return "\n\n".join(parts) + "\n"


def spread(summary: Summary) -> str:
    """From the tenth to the ninetieth percentile of all batches, around the median."""
    if summary.ns == 0:  # what is counted may be 0
        return "–"
    return f"{100 * (summary.low_ns / summary.ns - 1):+.0f}…{100 * (summary.high_ns / summary.ns - 1):+.0f} %"


def quantity(summary: Summary | None) -> str:
    """A time, or what is counted with its unit."""
    if summary is None:
        return "–"
    if not summary.ok:
        return "WRONG"
    return duration(summary.ns) if summary.unit == "ns" else f"{summary.ns:.3g} {summary.unit}"


def _reach_table(results: Results, names: list[str]) -> Table:
    columns = [
        "what",
        "limit",
        *names,
        "ours / best peer",
        "ours / limit",
        "spread",
        "best batch",
        "goal",
        "verdict",
    ]
    return "Reach", columns, [_reach_row(row, results, names) for row in ROWS]


def _reach_row(row: Row, results: Results, names: list[str]) -> list[str]:
    ours, peer, limit = row.of(results, OURS), row.best_peer(results), row.limit_ns(results)
    to_peer = against(ours, peer[1]) if ours and peer else None
    return [
        row.label,
        duration(limit),
        *[quantity(row.of(results, name)) for name in names],
        ratio(to_peer),
        ratio(row.to_limit(results)),
        spread(ours) if ours else "–",
        duration(ours.best_ns if ours else None),
        row.goal.text,
        verdict(row, results),
    ]


def _memory_table(memory: dict[str, dict]) -> Table:
    rows = [
        [
            name,
            f"{m['high_water_kb'] / 1024:.1f} MB",
            f"{m['share_kb'] / 1024:.2f} MB",
            str(m["pes"]),
        ]
        for name, m in sorted(memory.items(), key=lambda item: (item[0] != OURS, item[0]))
    ]
    return (
        "Memory of hello world (goal: VmHWM ≤ 4 MB)",
        ["library", "VmHWM, worst PE", "PSS, mean", "PEs"],
        rows,
    )


def _limits_table(results: Results) -> Table:
    rows = [
        [key[0], s.how, duration(s.ns), duration(s.best_ns), spread(s)]
        for key, s in results.get(LIMITS, {}).items()
    ]
    return "What the machine can do", ["limit", "how", "median", "best", "spread"], rows


def _all_cases_table(results: Results, names: list[str], pes: int) -> Table:
    keys = dict.fromkeys(
        key for name in names for key in results[name] if key[2] == pes and key[0] != "hello"
    )
    columns = [
        "case",
        "bytes",
        "limit",
        *[c for n in names for c in (n, "/ limit")],
        "spread of ours",
    ]
    rows = []
    for key in sorted(keys, key=lambda k: list(keys).index(k)):
        found = [results[name].get(key) for name in names]
        limit = next((s.reference_ns for s in found if s and s.reference_ns), None)
        cells = [
            cell
            for name, s in zip(names, found)
            for cell in (quantity(s) + spinning(name, pes, s), ratio(s.to_reference) if s else "–")
        ]
        ours = results.get(OURS, {}).get(key)
        rows.append([key[0], str(key[1]), duration(limit), *cells, spread(ours) if ours else "–"])
    return f"All cases, {pes} PEs", columns, rows


def _print_plain(table: Table) -> None:
    title, columns, rows = table
    widths = [max(len(cell) for cell in column) for column in zip(columns, *rows)]
    print(f"\n{title}")
    for row in [columns, ["-" * width for width in widths], *rows]:
        cells = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())


def _print_rich(table: Table) -> None:
    from rich.console import Console
    from rich.table import Table as RichTable

    title, columns, rows = table
    shown = RichTable(title=title, title_justify="left")
    for i, column in enumerate(columns):
        shown.add_column(column, justify="left" if i == 0 else "right", no_wrap=True)
    for row in rows:
        shown.add_row(*row)
    Console().print(shown)
