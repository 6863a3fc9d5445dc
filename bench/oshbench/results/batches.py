"""The value of a launch: the median of its batches. Batches in which a process lost its CPU are left out if enough
others remain."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

FEWEST_CLEAN = 4


@dataclass(frozen=True)
class LaunchValue:
    """One launch of one library in one case."""

    value: float
    reference: float | None  # of the reference batches in between
    disturbed: int  # batches that were left out


def launch_value(entry: dict) -> LaunchValue:
    """The launch of an entry (results.compact). With more PEs than CPUs every batch loses its CPU, and none is left
    out."""
    values, references = entry["values"], entry.get("reference_ns", [])
    clean = [i for i, switches in enumerate(entry["switches"]) if switches == 0]
    used = clean if len(clean) >= FEWEST_CLEAN else range(len(values))
    beside = [references[i] for i in used if i < len(references) and references[i] > 0]
    disturbed = len(values) - len(used) + entry.get("lost", 0)
    return LaunchValue(median(values[i] for i in used), median(beside) if beside else None, disturbed)
