"""The limit of the machine for a row, without any library."""

from __future__ import annotations

from oshbench.results.rows import LIMITS, OURS, Key, Table

# Lower bound of an operation of b bytes on two PEs with a core each: a number of copies of b bytes by both PEs at once
# (the reference copy_both), and which copies they are.
COPIES = {
    "broadcast": (1.0, "each PE writes half of both dests"),
    "broadcast_aset": (0.5, "each PE writes half of the one dest"),
    "sum": (1.0, "each PE reads half of both sources and writes half of both dests"),
    "collect": (1.5, "each PE writes its block to both dests; half of the blocks are half as long"),
    "fcollect": (2.0, "each PE writes its block to both dests"),
    "alltoall": (2.0, "each PE writes both its blocks"),
    "alltoalls": (2.0, "each PE writes every other element of both its blocks"),
    "inscan": (1.0, "each PE reads half of both sources and writes half of both dests"),
    "exscan": (1.0, "each PE reads half of both sources and writes half of both dests"),
}


def of_row(table: Table, key: Key) -> float | None:
    """From the reference of our row, or of another library if ours has none."""
    rows = [table[name][key] for name in table if key in table[name] and table[name][key].references]
    if not rows:
        return None
    ours = table.get(OURS, {}).get(key)
    chosen = ours if ours in rows else min(rows, key=lambda row: row.reference_ns)
    return copies(key.case) * chosen.reference_ns if chosen.reference == "copy_both" else chosen.reference_ns


def copies(case: str) -> float:
    return COPIES.get(case.removesuffix("_local").removesuffix("_span"), (1.0, ""))[0]


def named(table: Table, name: str) -> float | None:
    """A case of the limits program."""
    return next((row.median for key, row in table.get(LIMITS, {}).items() if key.case == name), None)
