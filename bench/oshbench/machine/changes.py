"""Changes of the machine during a run: by the limits beside the batches of each launch, and by the load of others
meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from ..results.run import LaunchResult, Run

KINDS = {"copy": "copies of memory", "line": "cache lines between CPUs", "other": "instructions"}
LINES = ("line", "shared_line", "message", "exchange")
CHANGED = 1.3  # times: launches whose limits differ by more met another machine
BUSY = 0.15  # of the CPUs; launchers and the kernel have some of it
STOLEN = 0.02


def lines(run: Run) -> list[str]:
    """A line for each kind of change; none if the machine stayed as it was."""
    launches = sorted((launch for launch in run.launches if launch.records), key=lambda launch: launch.round)
    return [line for kind in KINDS if (line := _changes(launches, kind))] + _load(launches)


def _changes(launches: list[LaunchResult], kind: str) -> str:
    ratios = series(launches, kind)
    steps = [(a, b) for a, b in zip(ratios, ratios[1:]) if max(a[1], b[1]) > CHANGED * min(a[1], b[1])]
    if not steps:
        return ""
    slowest = max(value for _, value in ratios)
    first = steps[0][1][0]
    return (f"the machine changed {len(steps)} time{'s' if len(steps) > 1 else ''} between launches: {KINDS[kind]} "
            f"took {min(value for _, value in ratios):.2g} to {slowest:.2g} times their median; first in round "
            f"{first.round + 1}, {first.library}")


def series(launches: list[LaunchResult], kind: str) -> list[tuple[LaunchResult, float]]:
    """Each launch with the limits of this kind, over those of the median launch."""
    limits: dict[tuple, list[tuple[int, float]]] = {}
    for number, launch in enumerate(launches):
        for key, value in _limits(launch, kind):
            limits.setdefault(key, []).append((number, value))
    ratios: dict[int, list[float]] = {}
    for values in limits.values():
        usual = median(value for _, value in values)
        for number, value in values if len(values) > 2 else ():
            ratios.setdefault(number, []).append(value / usual)
    return [(launches[number], median(of_launch)) for number, of_launch in sorted(ratios.items())]


def _limits(launch: LaunchResult, kind: str) -> Iterator[tuple[tuple, float]]:
    for record in launch.records:
        values = [value for value in record.get("reference_ns", []) if value > 0]
        if values and _kind(record["reference"]) == kind:
            yield (record["reference"], record["case"], record["size"], record["pes"]), median(values)


def _kind(reference: str) -> str:
    return "line" if reference in LINES else "copy" if reference.startswith("copy") else "other"


def _load(launches: list[LaunchResult]) -> list[str]:
    lines = []
    for field, most, what in (("others", BUSY, "other programs had {:.0%} of the CPUs"),
                              ("steal", STOLEN, "the hypervisor gave {:.0%} of the time to other machines")):
        noisy = [launch for launch in launches if getattr(launch, field) > most]
        if noisy:
            rounds = sorted({launch.round + 1 for launch in noisy})
            where = f"round{'s' if len(rounds) > 1 else ''} {', '.join(map(str, rounds))}"
            lines.append(f"{what.format(max(getattr(launch, field) for launch in noisy))} during {len(noisy)} of "
                         f"{len(launches)} launches ({where})")
    return lines
