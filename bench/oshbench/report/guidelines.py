"""Performance guidelines for any machine: more bytes are not faster, and no call is slower than its replacement."""

from __future__ import annotations

from dataclasses import dataclass

from ..results.rows import Key, Row


@dataclass(frozen=True)
class Violation:
    library: str
    rule: str
    where: str
    ratio: float


@dataclass(frozen=True)
class Rule:
    """`less` should cost at most `factor` times `more`, at equal size and PEs."""

    less: str
    more: str
    factor: float = 1.0
    why: str = ""


SLACK = 1.1  # the difference between two measurements of the same case
RULES = (
    Rule("put_signal", "put_fence_p", why="a put with signal is a put, a fence and a flag"),
    Rule("pp_signal", "pp_flag", why="a put with signal is a put, a fence and a flag"),
    Rule("sync_all", "barrier_all", why="a barrier is a sync and a quiet"),
    Rule("fcollect", "collect", why="equal blocks are the easy case"),
    Rule("broadcast", "fcollect", why="a broadcast delivers less"),
    Rule("fcollect", "alltoall", why="an alltoall could replace it"),
    Rule("sum", "fcollect", 1.5, "a collect and additions could replace it"),
    Rule("put_nbi", "put", why="a put may be completed at once"),
    Rule("get_nbi", "get", why="a get may be completed at once"),
    Rule("sum.halves", "sum.one_half", 1.3, "the halves are independent"),
    Rule("sum.halves", "sum", 1.3, "a half waits for fewer PEs"),
    Rule("sync_all.halves", "sync_all", 1.3, "a half waits for fewer PEs"),
    Rule("fcollect.halves", "fcollect", 1.3, "a half waits for fewer PEs"),
    Rule("split.put_start", "put", why="the start is a part of it"),
    Rule("p_rate", "put_quiet", why="it need not be complete"),
    Rule("put_rate", "put_quiet", why="it need not be complete"),
    Rule("put_nbi_rate", "put_rate", why="it may be a blocking put"),
    Rule("bw.put", "put", why="64 at once could go one after the other"),
    Rule("bw.get", "get", why="64 at once could go one after the other"),
    Rule("wait.all", "wait.until", why="a wait for each could replace it"),
)


def violations(library: str, rows: dict[Key, Row]) -> list[Violation]:
    right = {key: row for key, row in rows.items() if row.ok and row.unit == "ns"}
    return (_pairs(library, right) + _sizes(library, right) + _windows(library, right) + _compositions(library, right)
            + _threads(library, right))


def _pairs(library: str, rows: dict[Key, Row]) -> list[Violation]:
    found = []
    for rule in RULES:
        for suffix in ("", "_span"):
            for key, row in rows.items():
                other = rows.get(Key(rule.more + suffix, key.size, key.pes))
                if key.case == rule.less + suffix and other:
                    ratio = row.median / (rule.factor * other.median)
                    if ratio > SLACK:
                        found.append(Violation(library, f"{rule.less} ≤ " + (f"{rule.factor:g} × " if rule.factor != 1
                                                                             else "")
                                               + f"{rule.more}{suffix.replace('_', ', ')}: {rule.why}", _where(key),
                                               ratio))
    return found


def _compositions(library: str, rows: dict[Key, Row]) -> list[Violation]:
    """Rules on calls of other sizes, or on several calls."""
    found = []
    for key, row in rows.items():
        least, rule = None, ""
        if key.case == "barrier_all" and (one := rows.get(Key("sum", 8, key.pes))):
            least, rule = one.median, "barrier_all ≤ sum of 8 B: a PE with the sum knows that all PEs have arrived"
        put, meet = rows.get(Key("put", key.size, key.pes)), rows.get(Key("barrier_all", 0, key.pes))
        if key.case in ("alltoall", "broadcast") and key.pes > 1 and put and meet:
            least, rule = (key.pes - 1) * put.median + meet.median, f"{key.case} ≤ a put to each and a barrier"
        if key.case == "fan_out" and key.pes > 1 and put:
            least, rule = (key.pes - 1) * put.median, "fan_out ≤ a put to each, one after the other"
        if key.case.startswith("amo_nbi.") and (same := rows.get(Key(key.case.replace("amo_nbi.", "amo."), key.size,
                                                                     key.pes))):
            least, rule = same.median, f"{key.case} ≤ {same.key.case}: it may be completed at once"
        if least and row.median > SLACK * least:
            found.append(Violation(library, rule, _where(key), row.median / least))
    return found


def _windows(library: str, rows: dict[Key, Row]) -> list[Violation]:
    """Rules on windows: their size is the number of operations before a quiet."""
    found = []
    windows = sorted(key for key in rows if key.case.startswith("rate."))
    for small, large in zip(windows, windows[1:]):
        ratio = rows[large].median / rows[small].median
        if (small.case, small.pes) == (large.case, large.pes) and ratio > SLACK:
            found.append(Violation(library, f"{small.case}: more operations before a quiet are not slower",
                                   f"{small.size} → {large.size} in a window, {small.pes} PEs", ratio))
    return found


def _threads(library: str, rows: dict[Key, Row]) -> list[Violation]:
    """More threads, or private contexts, must not cost more."""
    found = []
    for key, row in rows.items():
        stem, _, count = key.case.rpartition(".t")
        if not key.case.startswith("mt_") or not count.isdigit():
            continue
        one = rows.get(Key(f"{stem}.t1", key.size, key.pes))
        shared = rows.get(Key(key.case.replace(".private.", ".default."), key.size, key.pes))
        if count != "1" and one and not key.case.startswith("mt_lat") and row.median > SLACK * one.median:
            found.append(Violation(library, f"{stem}: {count} threads are not slower than one", _where(key),
                                   row.median / one.median))
        if ".private." in key.case and shared and row.median > SLACK * shared.median:
            found.append(Violation(library, f"{key.case}: a private context is not slower than the default",
                                   _where(key), row.median / shared.median))
    return found


def _sizes(library: str, rows: dict[Key, Row]) -> list[Violation]:
    """Times grow with the size, and not faster than the bytes."""
    found = []
    for series in _series(rows):
        for small, large in zip(series, series[1:]):
            before, after = rows[small].median, rows[large].median
            if before > SLACK * 1.1 * after:
                found.append(Violation(library, f"{small.case}: more bytes are not faster",
                                       f"{small.size} → {large.size} B, {small.pes} PEs", before / after))
            growth = large.size / small.size
            if after > SLACK * 1.1 * growth * before:
                found.append(Violation(library, f"{small.case}: a step (a change of protocol)",
                                       f"{small.size} → {large.size} B, {small.pes} PEs", after / (growth * before)))
    return found


def _series(rows: dict[Key, Row]) -> list[list[Key]]:
    found: dict[tuple[str, int], list[Key]] = {}
    for key in sorted(rows):
        if key.size >= 8 and not key.case.startswith(("rate", "strided", "wait.")):
            found.setdefault((key.case, key.pes), []).append(key)
    return [series for series in found.values() if len(series) > 1]


def _where(key: Key) -> str:
    size = f"{key.size} B, " if key.size else ""
    return f"{size}{key.pes} PEs"
