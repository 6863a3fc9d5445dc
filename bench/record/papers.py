"""docs/bench/papers.md: the published results beside ours."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from . import designs, formats, machine, profiles, recording, render, results, runs, summary
from .catalogue import AXES
from .report import crossings, heading, published, radar, shapes, thread_shapes
from .results import Table

PAGE = "papers.md"
TITLES = {"paper-libraries": "Libraries", "paper-collectives": "One-sided and two-sided collectives", "paper-threads": "Threads"}


def text(folder: Path) -> str:
    files = {profile: folder / f"{profile}.json" for profile in TITLES}
    head = (
        "# The papers' figures, here\n\nWritten by `oshbench run papers -r 5 --record` from the records `paper-*.json` beside this page; do not edit. Explanations: "
        "[papers-notes.md](papers-notes.md). The machines, years and networks differ, so times cannot be compared. The order "
        "of libraries and their distances can. `oshbench report` makes a page with figures of each record.\n\n"
        "    oshbench run papers -r 5 --record\n"
    )
    sections = [_section(profile, runs.load(file)) for profile, file in files.items() if file.exists()]
    return "\n".join([head, *(sections or ["Nothing is recorded yet.\n"])])


def _section(profile: str, saved: dict) -> str:
    if reason := recording.unfit(saved):
        return f"## {TITLES[profile]}\n\nThe record is not shown: {reason}. Record it again: `oshbench run {profile} --record`.\n"
    table = {name: rows for name, rows in results.table(saved).items() if rows}
    base = "oshen" if "oshen" in table else next(iter(table), "")
    paper = profiles.PROFILES[profile].paper
    tables = [(title, columns, rows) for title, columns, rows in TABLES[profile](saved, table) if rows]
    parts = [f"## {TITLES[profile]}", f"The paper: {published.PAPERS[paper]['about']}", _here(profile, saved), _versions(saved),
             _members(saved, table), _list(summary.sentences(designs.without_variants(saved, table), base)), render.markdown(tables, "###").rstrip()]
    if troubles := _troubles(saved):
        parts += ["Failures:", _list([f"{line}." for line in troubles])]
    return "\n\n".join(filter(None, parts)) + "\n"


def _list(lines: list[str]) -> str:
    return "\n".join(f"* {line}" for line in lines)


def _here(profile: str, saved: dict) -> str:
    rounds = len({launch["round"] for launch in saved["launches"]})
    minutes = sum(launch["seconds"] for launch in saved["launches"]) / 60
    crowded = any(entry["pes"] > int(saved["machine"].get("CPUs", 0)) for launch in saved["launches"] for entry in launch["records"])
    return (f"Here: {machine.name(saved['machine'])}; our commit {saved.get('ours', '?')}; {rounds} interleaved launches of every library, "
            f"{minutes:.0f} minutes; load average before and after: {saved['load'][0]}, {saved['load'][-1]}; `{saved['command']}`."
            + (" **Other programs used the machine.**" if saved.get("busy") else "")
            + (" With more PEs than CPUs the scheduler affects every number; MPICH spins there." if crowded else ""))


def _versions(saved: dict) -> str:
    """The libraries with their settings, and the unusable ones."""
    return "\n".join(["| library | version | settings |", "|---|---|---|", *[
        f"| {name} | {note.get('version') or '?'}{': not usable: ' + note['unusable'] if 'unusable' in note else ''} | "
        f"{' '.join(f'`{key}={value}`' for key, value in note.get('env', {}).items()) or 'its own'} |" for name, note in saved["libraries"].items()]])


def _troubles(saved: dict) -> list[str]:
    """Failed launches and wrong results by library."""
    lines = [f"{library}: {how}" + (f" ({count} launches)" if count > 1 else "") for library, how, count in runs.troubles(saved)]
    wrong: dict[str, list[str]] = {}
    for line in runs.wrong(saved):
        library, _, case = line.partition(": ")
        wrong.setdefault(library, []).append(f"`{case}`")
    return lines + [f"{library}: wrong results in {', '.join(cases)}" for library, cases in wrong.items()]


def _kinds(saved: dict) -> dict[str, str]:
    return {name: note.get("kind", "") for name, note in saved["libraries"].items()}


def _libraries(saved: dict, table: Table) -> list[render.Grid]:
    shmems = {name: rows for name, rows in table.items() if _kinds(saved)[name] == "shmem"}
    found = radar.scores(shmems)
    names = list(shmems)
    rows = [[AXES[axis], *[_score(scores.get(name)) for name in names], str(max(score.operations for score in scores.values()))]
            for axis, scores in found.items()]
    return [("Published results, and ours", *shapes.libraries(table, _kinds(saved))),
            ("The radar's axes: share of the best library, mean over operations", ["axis", *names, "operations"], rows)]


def _score(score: radar.Score | None) -> str:
    return formats.with_interval(score.value, score.low, score.high) if score else "–"


def _collectives(saved: dict, table: Table) -> list[render.Grid]:
    return [("Sizes won by each design", *shapes.collectives(saved, table)),
            ("The fastest design of all libraries, and the distance of the next",
             *crossings.fastest(designs.best(saved, table), shapes.MAPPED)),
            ("The same of Oshen alone, restricted to each design", *crossings.fastest(designs.best(saved, table, "oshen"), shapes.MAPPED)),
            ("The time of Oshen's own choice over the best of the three", *shapes.choices(saved, table)),
            ("The fastest library, and the distance of the next",
             *crossings.fastest(designs.without_variants(saved, table), shapes.MAPPED))]


def _members(saved: dict, table: Table) -> str:
    """The libraries of each design."""
    found = designs.members(saved, table)
    if len(found) < 3:
        return ""
    return ("Designs: " + "; ".join(f"**{design}**: {', '.join(names)}" for design, names in found.items())
            + ". A design's time is that of the best of its libraries.")


def _threads(saved: dict, table: Table) -> list[render.Grid]:
    rates = [[name, stem, *cells] for name, stem, size, cells in thread_shapes.rates(table, heading.cpus(saved))
             if size == 8 and fnmatchcase(stem, "mt_rate.*.put.*.quiet")]
    return [("The size from which several threads move more than one", *thread_shapes.overtakers(table, heading.cpus(saved))),
            ("Changes of protocol in the latency", *thread_shapes.switches(table)),
            ("Million messages of 8 bytes per second, all threads of a process together",
             ["library", "case", "T = 1", "2", "4", "efficiency at 2", "at 4"], rates),
            ("The cost of THREAD_MULTIPLE for one thread", ["library", "case", "size", "at SINGLE", "at MULTIPLE", "ratio"],
             thread_shapes.multiple(table))]


TABLES = {"paper-libraries": _libraries, "paper-collectives": _collectives, "paper-threads": _threads}
