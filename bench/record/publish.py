"""The conditions under which the results of a run may be published."""

from __future__ import annotations

from oshbench.common import needs
from oshbench.common.errors import Refused
from oshbench.machine.load import other_load
from oshbench.results.rows import FEWEST, LIMITS, Table
from oshbench.results.run import Run

DIRTY = "-dirty"


def unfit(run: Run) -> str:
    """The reason why nothing of a run may be published; empty if it may."""
    if run.ours.endswith(DIRTY):
        return "it was measured from files that were not committed"
    rounds = run.rounds or run.launched_rounds
    return "it has one launch of every library" if rounds < 2 else ""


def publishable(table: Table) -> tuple[Table, int]:
    """The rows of several launches, and the number of the others. The limits of the machine stay."""
    kept = {name: {key: row for key, row in rows.items() if name == LIMITS or len(row.values) > 1} for name,
            rows in table.items()}
    return kept, sum(len(rows) - len(kept[name]) for name, rows in table.items())


def demand_publishable(rounds: int, ours: str) -> None:
    """Refuses to record what sentences may not speak of."""
    if rounds < FEWEST:
        raise Refused(f"--record: {rounds} launch{'es' if rounds > 1 else ''} of every library; at least {FEWEST} are "
                      f"needed (-r {FEWEST})")
    if ours.endswith(DIRTY):
        raise Refused(f"--record: our commit is {ours}: commit or stash the changes of this checkout first")


def demand_quiet(allowed: bool) -> None:
    """Refuses a busy machine unless `allowed`."""
    needs.demand("run --record", "numpy", "scipy")
    if not allowed and (why := other_load()):
        raise Refused(f"--record: {why}; record on a quiet machine, or give --busy and the page says so")
