"""The rows in which another library was faster."""

from __future__ import annotations

from dataclasses import dataclass

from oshbench.cases.catalogue import kind_of
from oshbench.common.text import ratio_text, size_text
from oshbench.report.grids import Grid, quantity
from oshbench.results.rows import OURS, Key, Row, Table, best
from oshbench.statistics import judge, matching
from oshbench.statistics.judge import Judgement

LEAST = 1.03  # times: the difference between launches of one library on a quiet machine
LARGE = 1.25  # times: shown even if a launch contradicts
TITLE = "Where another library was faster"


@dataclass(frozen=True)
class Loss:
    """`times` is the ratio of the two medians, or None if our count is zero. Theirs was faster in `faster` of
    `launches` launches. `decided`: the verdict of oshbench compare on ours is "slower"."""

    key: Key
    ours: Row
    theirs: Row
    who: str
    times: float | None
    faster: int
    launches: int
    decided: bool


def losses(table: Table) -> list[Loss]:
    """Rows of several launches in which the best other library was faster in every comparable launch, or by LARGE, or
    by the verdict. In the order of PEs, cases and sizes."""
    ours = {key: row for key, row in table.get(OURS, {}).items() if row.ok and row.axis != "memory"
            and len(row.values) > 1}
    peers = {key: peer for key in ours if (peer := _best_peer(table, key)) and len(peer[1].values) > 1}
    slower = _slower(table, ours, peers)
    candidates = [_loss(key, ours[key], *peers[key], key in slower) for key in peers]
    return sorted(filter(None, candidates), key=lambda loss: (loss.key.pes, loss.key.case, loss.key.size))


def _slower(table: Table, ours: dict[Key, Row], peers: dict[Key, tuple[str, Row]]) -> set[Key]:
    """The rows with this verdict. Rows beside another case of the peer are a table of their own."""
    judged = Judgement(table)
    other_case = judge.compare({key: row for key, (_, row) in peers.items() if row.key != key}, ours, ("best", OURS))
    verdicts = [judged.of(who, OURS)[key] for key, (who, row) in peers.items() if row.key == key] + other_case
    return {verdict.key for verdict in verdicts if verdict.word == "slower"}


def _best_peer(table: Table, key: Key) -> tuple[str, Row] | None:
    """Active-set cases are also compared with MPI's plain cases, whose root keeps its buffer too."""
    found = [peer for case in (key.case, key.case.removesuffix("_aset"))
             if (peer := best(table, Key(case, key.size, key.pes)))]
    return min(found, key=lambda peer: peer[1].median, default=None)


def _loss(key: Key, ours: Row, who: str, theirs: Row, decided: bool) -> Loss | None:
    pairs = matching.matched(ours, theirs)
    sign = -1 if ours.higher_is_better else 1
    faster = sum(sign * a > sign * b for a, b in pairs)
    times = matching.ratio(ours, theirs)
    counted = times is None and matching.agree(ours, theirs) and ours.median == 0 and ours.higher_is_better
    seen = decided or 0 < faster == len(pairs)
    if counted and seen or times is not None and (times > LARGE or times > LEAST and seen):
        return Loss(key, ours, theirs, who, times, faster, len(pairs), decided)
    return None


COLUMNS = ["PEs", "case", "size", "ours", "theirs", "library", "ours / theirs", "in launches", "decided", "description"]


def rows(lost: list[Loss]) -> list[list[str]]:
    return [[str(loss.key.pes), f"`{loss.key.case}`", size_text(loss.key.size) if loss.key.size else "–",
             quantity(loss.ours), quantity(loss.theirs), loss.who, ratio_text(loss.times),
             f"{loss.faster} of {loss.launches}", "yes" if loss.decided else "no",
             kind_of(loss.key.case).about] for loss in lost]


def table_of(table: Table) -> Grid:
    return TITLE, COLUMNS, rows(losses(table))
