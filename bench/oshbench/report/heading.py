"""The heading of a report: command, machine, date, warnings."""

from __future__ import annotations

from oshen_figures import origin

from .. import doctor, machine, states


def title(saved: dict) -> str:
    n = sum(not note.get("variant_of") for note in saved["libraries"].values())
    return f"{n} communication librar{'y' if n == 1 else 'ies'} on this machine, side by side: {saved['profile']}"


def cpus(saved: dict) -> int:
    """The CPUs of all hosts together; 0 if unknown."""
    return int(saved["machine"].get("CPUs", 0) or 0) * max(1, len(saved.get("hosts", [])))


def facts(saved: dict) -> list[str]:
    got = len({launch["round"] for launch in saved["launches"]})
    load = ", ".join(f"{each:.1f}" for each in saved.get("load", [])) or "not known"
    rounds = origin.samples(saved.get("rounds", got), got, "interleaved rounds")
    return [f"{machine.name(saved['machine'])}. {saved.get('date', '')}", f"{rounds}; load before and after: {load}."
            + ("" if saved["finished"] else " The run was not finished.")]


def warnings(saved: dict) -> list[str]:
    told = doctor.warnings(saved["doctor"]) if "doctor" in saved else []
    load = max(saved.get("load", [0.0]), default=0.0)
    counts = [record["pes"] for launch in saved["launches"] for record in launch["records"]]
    return told + states.told(saved) + origin.warnings(counts, cpus(saved), load, "PEs")
