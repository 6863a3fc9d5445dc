"""The points at which another library was faster, by more than launches of one library differ."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from .catalogue import higher_is_better
from .reach import LIMITS, OURS, Results
from .render import Table, quantity, ratio, size_text
from .samples import Summary, best_of, ratios

SLOWER = 1.03  # what two launches of one library differ by on a quiet machine
TITLE = "Where another library was faster in every launch"


@dataclass(frozen=True)
class Loss:
    """A case, what we and the best of the others took, and how many times as good that one was in the launches."""

    case: str
    size: int
    pes: int
    ours: str
    theirs: str
    who: str
    times: float
    launches: int


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


def losses(results: Results) -> list[Loss]:
    """In the order of PEs, cases, sizes."""
    rows = []
    for key, ours in sorted(results.get(OURS, {}).items(), key=lambda item: (item[0][2], item[0][0], item[0][1])):
        peer = best_peer(results, key)
        found = _times_behind(ours, peer[1]) if peer and ours.ok else []
        if lost(found):
            rows.append(Loss(*key, quantity(ours), quantity(peer[1]), peer[0], median(found), len(found)))
    return rows


def lost(times: list[float]) -> bool:
    """By what the other was better, launch by launch."""
    return bool(times) and min(times) > 1 and median(times) > SLOWER


def table(results: Results) -> Table:
    rows = [[str(loss.pes), loss.case, size_text(loss.size), loss.ours, f"{loss.theirs} ({loss.who})", ratio(loss.times)]
            for loss in losses(results)]
    return TITLE, ["PEs", "case", "size", "ours", "best of the others", "ratio"], rows


def _times_behind(ours: Summary, peer: Summary) -> list[float]:
    """Above 1 the peer is better, launch by launch."""
    if higher_is_better(ours.unit):
        return [1 / each if each else float("inf") for each in ratios(ours, peer)]
    return ratios(ours, peer)
