# SPDX-License-Identifier: BSD-3-Clause
"""Prints a summary."""

from oshen_tables import lines, paragraph

MOVED = ("sent", "bytes", "got", "bytes")
MOST_CALLS = 3  # of a function


def size(bytes):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if bytes < 1024 or unit == "GiB":
            return f"{bytes:.0f} {unit}" if unit == "B" else f"{bytes:.1f} {unit}"
        bytes /= 1024


def show(report, top):
    n, share = report["processes"], share_of(report["communication"], report)
    print(f"\noshprof: {n} process{'es' if n != 1 else ''}, {report['seconds']:.3f} s, {share:.1%} of it in "
          f"communication calls")
    if n < report["expected"]:
        print(f"  only {n} of {report['expected']} processes finalised; the others are missing from this report")
    functions = report["functions"][:top]
    print_table(("share", "mean s", "max s", "calls", *MOVED),
                [(f"{row['share']:.1%}", f"{row['seconds']:.3f}", f"{row['slowest']:.3f}", row["calls"], *moved(row))
                 for row in functions],
                ["function: its calls", *map(name_and_calls, functions)])
    calls = report["calls"][:top]
    print_table(("share", "mean s", "calls", *MOVED),
                [(f"{share_of(row['seconds'], report):.1%}", f"{row['seconds']:.3f}", row["calls"], *moved(row))
                 for row in calls],
                ["call", *(row["call"] for row in calls)])
    show_repeating(report, top)
    show_reductions(report, top)


def print_table(heading, rows, notes):
    print("\n" + "\n".join(lines([list(heading), *([str(cell) for cell in row] for row in rows)], notes, keys=0,
                                 left=0)))


def share_of(seconds, report):
    return seconds / report["seconds"] if report["seconds"] else 0


def name_and_calls(row):
    calls = [f"{name} {s / row['seconds']:.0%}" for name, s in list(row["by_call"].items())[:MOST_CALLS]
             if row["seconds"] > 0]
    return f"{row['function']}: {', '.join(calls)}"


def moved(row):
    return row["messages"], size(row["bytes"]), row["got_messages"], size(row["got_bytes"])


def show_repeating(report, top):
    candidates = [r for r in report["repeating"] if r["candidate"]][:top]
    if not candidates:
        print("\nNo function repeats the same exchange.")
        return
    print("\n" + "\n".join(paragraph("Exchanges that repeat: offsets can be exchanged once, and each round needs only "
                                     "puts and signals (docs/porting-from-mpi.md, oshen/exchange.h).")), end="")
    print_table(("share", "rounds", "shapes", "messages/round", "bytes/round"),
                [(f"{share_of(row['seconds'], report):.1%}", row["rounds"], row["shapes"],
                  f"{row['messages'] / row['rounds']:.1f}", size(row["bytes"] / row["rounds"])) for row in candidates],
                ["function", *(row["function"] for row in candidates)])


def show_reductions(report, top):
    rows = report["reductions"][:top]
    if rows:
        print("\nReductions, which exchange plans do not replace:", end="")
        print_table(("calls", "shapes", "bytes/call"), [(row["rounds"], row["shapes"],
                                                         size(row["bytes"] / row["rounds"])) for row in rows],
                    ["function", *(row["function"] for row in rows)])
