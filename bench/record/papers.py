"""docs/bench/papers.md and papers-tables.md: the published results beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from oshbench.cases.catalogue import AXES
from oshbench.machine import properties
from oshbench.report import crossings, formats, heading, published, radar, sentences, shapes, thread_shapes
from oshbench.report.grids import Grid, markdown
from oshbench.results import designs
from oshbench.results.rows import Table, table_of_run
from oshbench.results.run import Run, load_run

from . import publish
from .folders import Folders

PAGE, TABLES_PAGE = "papers.md", "papers-tables.md"
TITLES = {"paper-libraries": "Libraries", "paper-collectives": "One-sided and two-sided collectives",
          "paper-threads": "Threads"}


def texts(folders: Folders) -> Iterator[tuple[str, str]]:
    """Name and text of the page with the conclusions, and of the page with all tables but the first of each paper."""
    head = (
        "# The papers' figures, here\n\nWritten by `oshbench run papers -r 5 --record` from the records "
        "`bench/record/data/paper-*.json.xz`; do not edit. "
        f"Explanations: [papers-notes.md](papers-notes.md). All tables: [{TABLES_PAGE}]({TABLES_PAGE}). The machines, "
        f"years and networks "
        "differ, so times cannot be compared. The order of libraries and their distances can. `oshbench report` makes "
        "a page with figures of each record.\n\n    oshbench run papers -r 5 --record\n"
    )
    runs = {profile: load_run(file) for profile in TITLES if (file := folders.record(profile)).exists()}
    sections = [_section(profile, run) for profile, run in runs.items()]
    yield PAGE, "\n".join([head, *sections])
    more = [f"## {TITLES[profile]}\n\n{markdown(tables, '###')}" for profile, run in runs.items()
            if not publish.unfit(run) and (tables := _tables(profile, run)[1:])]
    yield TABLES_PAGE, "\n".join([f"# The papers' figures: tables\n\nWritten by `oshbench run papers --record`; do "
                                  f"not edit. The conclusions are on [{PAGE}]({PAGE}).\n", *more])


def _tables(profile: str, run: Run) -> list[Grid]:
    return [grid for grid in TABLES[profile](run, _with_results(run)) if grid[2]]


def _with_results(run: Run) -> Table:
    return {name: rows for name, rows in table_of_run(run).items() if rows}


def _section(profile: str, run: Run) -> str:
    if reason := publish.unfit(run):
        return (f"## {TITLES[profile]}\n\nThe record is not shown: {reason}. Record it again: "
                f"`oshbench run {profile} --record`.\n")
    table = _with_results(run)
    base = "oshen" if "oshen" in table else next(iter(table), "")
    paper = published.PAPERS[profile.removeprefix("paper-")]
    parts = [f"## {TITLES[profile]}", f"The paper: {paper['about']}", _here(profile, run), _versions(run),
             _members(run, table), _list(sentences.sentences(designs.without_variants(run, table), base)),
             markdown(_tables(profile, run)[:1], "###").rstrip()]
    if troubles := _troubles(run):
        parts += ["Failures:", _list([f"{line}." for line in troubles])]
    return "\n\n".join(filter(None, parts)) + "\n"


def _list(lines: list[str]) -> str:
    return "\n".join(f"* {line}" for line in lines)


def _here(profile: str, run: Run) -> str:
    minutes = sum(launch.seconds for launch in run.launches) / 60
    crowded = run.most_pes > int(run.machine.get("CPUs", 0))
    return (f"Here: {properties.name(run.machine)}; our commit {run.ours}; {run.launched_rounds} interleaved launches "
            f"of every library, {minutes:.0f} minutes; load average before and after: {run.load[0]}, {run.load[-1]}; "
            f"`{run.command}`."
            + (" **Other programs used the machine.**" if run.busy else "")
            + (" With more PEs than CPUs the scheduler affects every number; MPICH spins there." if crowded else ""))


def _versions(run: Run) -> str:
    """The libraries with their settings, and the unusable ones."""
    return "\n".join(["| library | version | settings |", "|---|---|---|", *[
        f"| {name} | {note.get('version') or '?'}{': not usable: ' + note['unusable'] if 'unusable' in note else ''} | "
        f"{' '.join(f'`{key}={value}`' for key, value in note.get('env', {}).items()) or 'its own'} |" for name,
        note in run.libraries.items()]])


def _troubles(run: Run) -> list[str]:
    """Failed launches and wrong results by library."""
    lines = [f"{library}: {how}" + (f" ({count} launches)" if count > 1 else "") for library, how,
             count in run.troubles()]
    wrong: dict[str, list[str]] = {}
    for line in run.wrong():
        library, _, case = line.partition(": ")
        wrong.setdefault(library, []).append(f"`{case}`")
    return lines + [f"{library}: wrong results in {', '.join(cases)}" for library, cases in wrong.items()]


def _kinds(run: Run) -> dict[str, str]:
    return {name: note.get("kind", "") for name, note in run.libraries.items()}


def _libraries(run: Run, table: Table) -> list[Grid]:
    shmems = {name: rows for name, rows in table.items() if _kinds(run)[name] == "shmem"}
    scores_of_axes = radar.scores(shmems)
    names = list(shmems)
    rows = [[AXES[axis], *[_score(scores.get(name)) for name in names],
             str(max(score.operations for score in scores.values()))]
            for axis, scores in scores_of_axes.items()]
    return [("Published results, and ours", *shapes.libraries(table, _kinds(run))),
            ("The radar's axes: share of the best library, mean over operations", ["axis", *names, "operations"], rows)]


def _score(score: radar.Score | None) -> str:
    return formats.with_interval(score.value, score.low, score.high) if score else "–"


def _collectives(run: Run, table: Table) -> list[Grid]:
    return [
        ("Sizes won by each design", *shapes.collectives(run, table)),
        (
            "The fastest design of all libraries, and the distance of the next",
            *crossings.fastest(designs.best(run, table), shapes.MAPPED),
        ),
        (
            "The same of Oshen alone, restricted to each design",
            *crossings.fastest(designs.best(run, table, "oshen"), shapes.MAPPED),
        ),
        ("The time of Oshen's own choice over the best of the three", *shapes.choices(run, table)),
        (
            "The fastest library, and the distance of the next",
            *crossings.fastest(designs.without_variants(run, table), shapes.MAPPED),
        ),
    ]


def _members(run: Run, table: Table) -> str:
    """The libraries of each design."""
    members = designs.members(run, table)
    if len(members) < 3:
        return ""
    return ("Designs: " + "; ".join(f"**{design}**: {', '.join(names)}" for design, names in members.items())
            + ". A design's time is that of the best of its libraries.")


def _threads(run: Run, table: Table) -> list[Grid]:
    rates = [[name, stem, *cells] for name, stem, size, cells in thread_shapes.rates(table, heading.cpus(run))
             if size == 8 and fnmatchcase(stem, "mt_rate.*.put.*.quiet")]
    return [
        ("The size from which several threads move more than one", *thread_shapes.overtakers(table, heading.cpus(run))),
        ("Changes of protocol in the latency", *thread_shapes.switches(table)),
        (
            "Million messages of 8 bytes per second, all threads of a process together",
            ["library", "case", "T = 1", "2", "4", "efficiency at 2", "at 4"],
            rates,
        ),
        (
            "The cost of THREAD_MULTIPLE for one thread",
            ["library", "case", "size", "at SINGLE", "at MULTIPLE", "ratio"],
            thread_shapes.multiple(table),
        ),
    ]


TABLES = {"paper-libraries": _libraries, "paper-collectives": _collectives, "paper-threads": _threads}
