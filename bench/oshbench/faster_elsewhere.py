"""The points at which another library was faster, by more than launches of one library differ."""

from __future__ import annotations

from .reach import LIMITS, OURS, Results
from .render import Table, duration, ratio, size_text
from .samples import Summary, against, ratios

SLOWER = 1.03  # what two launches of one library differ by on a quiet machine


def best_peer(results: Results, key: tuple[str, int, int]) -> tuple[str, Summary] | None:
    """The fastest of the others in this run. The active-set form stands beside MPI's, whose root keeps its buffer."""
    plain = (key[0].removesuffix("_aset"), *key[1:])
    found = [
        (name, summary)
        for name in results
        if name not in (OURS, LIMITS)
        and (summary := results[name].get(key) or results[name].get(plain))
        and summary.ok
    ]
    return min(found, key=lambda item: item[1].ns, default=None)


def table(results: Results) -> Table:
    rows = []
    for key, ours in sorted(results.get(OURS, {}).items(), key=lambda item: (item[0][2], item[0][0], item[0][1])):
        peer = best_peer(results, key)
        times = against(ours, peer[1]) if peer else None
        if peer is None or times is None or not ours.ok or times <= SLOWER or min(ratios(ours, peer[1])) <= 1:
            continue
        rows.append([str(key[2]), key[0], size_text(key[1]), duration(ours.ns), f"{duration(peer[1].ns)} ({peer[0]})",
                     ratio(times)])
    return "Where another library was faster in every launch", ["PEs", "case", "size", "ours", "best of the others", "ratio"], rows
