"""The points at which another library was faster, by more than launches of one library differ."""

from __future__ import annotations

from statistics import median

from .catalogue import higher_is_better
from .reach import LIMITS, OURS, Results
from .render import Table, quantity, ratio, size_text
from .samples import Summary, best_of, ratios

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
    return best_of(found)


def table(results: Results) -> Table:
    rows = []
    for key, ours in sorted(results.get(OURS, {}).items(), key=lambda item: (item[0][2], item[0][0], item[0][1])):
        peer = best_peer(results, key)
        found = _times_behind(ours, peer[1]) if peer and ours.ok else []
        if not found or min(found) <= 1 or median(found) <= SLOWER:
            continue
        rows.append([str(key[2]), key[0], size_text(key[1]), quantity(ours), f"{quantity(peer[1])} ({peer[0]})",
                     ratio(median(found))])
    return "Where another library was faster in every launch", ["PEs", "case", "size", "ours", "best of the others", "ratio"], rows


def _times_behind(ours: Summary, peer: Summary) -> list[float]:
    """Above 1 the peer is better, launch by launch."""
    if higher_is_better(ours.unit):
        return [1 / each if each else float("inf") for each in ratios(ours, peer)]
    return ratios(ours, peer)
