"""The heading of a report: command, machine, date, warnings."""

from __future__ import annotations

from oshen_figures import origin

from ..machine import changes, doctor, properties
from ..results.run import Run


def title(run: Run) -> str:
    n = sum(not note.get("variant_of") for note in run.libraries.values())
    return f"{n} communication librar{'y' if n == 1 else 'ies'} on this machine, side by side: {run.profile}"


def cpus(run: Run) -> int:
    """The CPUs of all hosts together; 0 if unknown."""
    return int(run.machine.get("CPUs", 0) or 0) * max(1, len(run.hosts))


def facts(run: Run) -> list[str]:
    got = len({launch.round for launch in run.launches})
    load = ", ".join(f"{each:.1f}" for each in run.load) or "not known"
    rounds = origin.samples(run.rounds, got, "interleaved rounds")
    return [f"{properties.name(run.machine)}. {run.date}", f"{rounds}; load before and after: {load}."
            + ("" if run.finished else " The run was not finished.")]


def warnings(run: Run) -> list[str]:
    told = doctor.warnings(run.doctor) if run.doctor else []
    load = max(run.load, default=0.0)
    counts = [record["pes"] for launch in run.launches for record in launch.records]
    return told + changes.lines(run) + origin.warnings(counts, cpus(run), load, "PEs")
