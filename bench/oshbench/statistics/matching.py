"""Values of launches, and the choice of launches of two libraries that may be compared. A launch's value is the median
of its batches, a library's value the median of its launches. Batches in which a process lost its CPU are left out if
enough others
remain."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..results.rows import Row

ALIKE = 1.5  # times: largest ratio of the references of comparable launches
AHEAD = 1.02  # times: smaller ratios are even


def matched(ours: Row, theirs: Row) -> list[tuple[float, float]]:
    """Pairs of launches that met the same machine. The CPUs of a virtual machine may be two threads of one core, and
    far apart later, when a cache line takes six times as long. A launch is paired with one of similar reference: that
    of its round, or else the nearest unused one. Launches without a reference are paired by round."""
    if not (ours.references and theirs.references):
        by_round = dict(zip(theirs.rounds, theirs.values))
        return [(value, by_round[number]) for number, value in zip(ours.rounds, ours.values) if number in by_round]
    left, pairs, alone = set(range(len(theirs.values))), [], []
    for i, number in enumerate(ours.rounds):
        same = next((j for j in left if theirs.rounds[j] == number and _apart(ours.references[i], theirs.references[j])
                     <= ALIKE), None)
        _take(ours, theirs, i, same, left, pairs) if same is not None else alone.append(i)
    for i in alone:
        nearest = min(left, key=lambda j: _apart(ours.references[i], theirs.references[j]), default=None)
        if nearest is not None and _apart(ours.references[i], theirs.references[nearest]) <= ALIKE:
            _take(ours, theirs, i, nearest, left, pairs)
    return pairs


def _take(ours: Row, theirs: Row, i: int, j: int, left: set[int], pairs: list[tuple[float, float]]) -> None:
    left.discard(j)
    pairs.append((ours.values[i], theirs.values[j]))


def _apart(one: float, other: float) -> float:
    return max(one, other) / min(one, other) if min(one, other) > 0 else float("inf")


def agree(ours: Row, theirs: Row) -> bool:
    """Whether the medians of all launches and the comparable launches show the same library ahead. Otherwise most
    launches met different machines, and the medians cannot be compared."""
    pairs = matched(ours, theirs)
    if not pairs:
        return False
    ratios = _over(ours.median, theirs.median), median(_over(a, b) for a, b in pairs)
    return not (min(ratios) < 1 / AHEAD and max(ratios) > AHEAD)


def _over(one: float, other: float) -> float:
    return one / other if other else 1.0 if one == 0 else float("inf")


def ratio(ours: Row, theirs: Row) -> float | None:
    """Our cost over theirs, from the medians that the pages show; above 1 theirs is better. None if the medians cannot
    be compared."""
    if not (ours.ok and theirs.ok and agree(ours, theirs)) or 0 in (ours.median, theirs.median):
        return None
    return theirs.median / ours.median if ours.higher_is_better else ours.median / theirs.median
