"""The pages of docs/bench, made from the records in bench/record/data. `oshbench run PROFILE --record` writes a record
and its page, `oshbench record` all pages anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from oshbench.libraries.spinning import SPINNING, spins
from oshbench.machine import changes, properties
from oshbench.report.grids import Grid, markdown
from oshbench.results.rows import LIMITS, Table, table_of_run
from oshbench.results.run import Run, load_run

from . import comparison, goals, losses, papers, profiles, publish
from .folders import Folders
from .page import Page

LOSSES = "where-others-win.md"
LOSING = ("one-node", "collectives", "off-node")  # profiles on the page of losses


def texts(folders: Folders) -> Iterator[tuple[str, str]]:
    """Name and text of every page that has a record."""
    for name, about in profiles.PAGES.items():
        if folders.record(name).exists():
            yield from page(folders, name, about)
    if any(folders.record(name).exists() for name in papers.TITLES):
        yield from papers.texts(folders)
    if any(folders.record(name).exists() for name in LOSING):
        yield LOSSES, losses_page(folders)


def write(folders: Folders) -> list[Path]:
    """Writes all pages; returns those that have changed."""
    written = []
    for name, text in texts(folders):
        target = folders.pages / name
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
            written.append(target)
    return written


def stale(folders: Folders) -> list[str]:
    return [name for name, text in texts(folders) if not (folders.pages / name).exists()
            or (folders.pages / name).read_text() != text]


def page(folders: Folders, name: str, about: Page) -> Iterator[tuple[str, str]]:
    """The page; if it is divided, then also the one with its tables."""
    loaded = [(run, *_publishable(table_of_run(run), about)) for run in map(load_run, folders.records(name))]
    (run, rows, alone), every = loaded[0], [(run, rows) for run, rows, _ in loaded]
    wanted = [goal for goal in about.goals_of(rows) if goal.row(rows) is not None]
    grids = [goals.table_of(wanted, rows)] if wanted else []
    if name in LOSING[:2]:  # the goals of off-node say the same
        grids.append(losses.table_of(rows))
    tables = [*about.tables(run, rows), *comparison.machines(every, wanted)]
    more = f"{name}-tables.md" if about.divided else ""
    yield f"{name}.md", "\n\n".join([
        f"# {about.title}", f"Measured on: {properties.name(run.machine)}.", _origin(name, about, more),
        *_warnings(run, rows, alone),
        f"    {run.command}", _how(run, goals.reached(wanted, rows), len(wanted)), _machine(run), _libraries(run),
    ]) + "\n\n" + _text(grids if more else grids + tables)
    if more:
        yield more, (f"# {about.title}: tables\n\nWritten by `oshbench run {name} --record`; do not edit. The machine "
                     f"and the goals are on [{name}.md]({name}.md).\n\n") + _text(tables)


def _text(grids: list[Grid]) -> str:
    return markdown(grid for grid in grids if grid[2])


def _publishable(rows: Table, about: Page) -> tuple[Table, int]:
    return (rows, 0) if about.steady else publish.publishable(rows)


def _origin(name: str, about: Page, more: str) -> str:
    tables = f" All tables: [{more}]({more})." if more else ""
    notes = f" Explanations: [{about.notes}]({about.notes})." if about.notes else ""
    return (f"Written by `oshbench run {name} --record`; do not edit. `oshbench show "
            f"bench/record/data/{name}.json.xz` prints every row of the record.{tables} How it is measured: "
            f"[bench/README.md](../../bench/README.md).{notes}"
            + (f"\n\n{about.about}" if about.about else ""))


def _warnings(run: Run, rows: Table, alone: int) -> list[str]:
    told = ["**Other programs used the machine.**"] if run.busy else []
    told += [f"{line[0].upper()}{line[1:]}." for line in changes.lines(run)]
    told += [f"Not shown: {alone} rows that have a single launch."] if alone else []
    return told + ([SPINNING] if any(spins(name, key.pes) for name, own in rows.items() for key in own) else [])


def _how(run: Run, reached: int, wanted: int) -> str:
    score = f"{reached} of {wanted} goals reached; " if wanted else ""
    rounds = run.rounds
    return (f"{score}{rounds} interleaved launch{'es' if rounds > 1 else ''} of every library; our commit {run.ours}; "
            f"load average before and after: {run.load[0]:.2f}, {run.load[-1]:.2f}.")


def _machine(run: Run) -> str:
    return "\n".join(["| machine | |", "|---|---|", *(f"| {key} | {value} |" for key, value in run.machine.items())])


MOST_ENDINGS = 160  # characters


def _libraries(run: Run) -> str:
    endings: dict[str, list[str]] = {}
    for library, how, _ in run.troubles():
        endings.setdefault(library, []).append(how)
    lines = ["| library | version | how its launches ended |", "|---|---|---|"]
    for name, note in run.libraries.items():
        told = "; ".join(dict.fromkeys(endings.get(name, []))) or "ok"
        if name != LIMITS:
            short = told if len(told) <= MOST_ENDINGS else told[:MOST_ENDINGS].rpartition(";")[0] + "; ..."
            lines.append(f"| {name} | {note.get('version', '')} | {short} |")
    return "\n".join(lines)


# ---- the page of losses

def losses_page(folders: Folders) -> str:
    by_run = [(path, run, losses.losses(table_of_run(run))) for name in LOSING for path in folders.records(name)
              if path.exists()
              for run in [load_run(path)]]
    total = sum(len(lost) for _, _, lost in by_run)
    head = (
        "# Where another library is faster\n\n"
        "Written by `oshbench record` from the records, and by every `--record`; do not edit. What is known about the "
        "rows: [where-others-win-notes.md](where-others-win-notes.md).\n\n"
        f"The best of the others was faster in {total} rows of {len(by_run)} runs. Times and their ratio are medians "
        f"over all launches. A row stands here if theirs was faster by more than {100 * (losses.LARGE - 1):.0f} %, or "
        f"by more than {100 * (losses.LEAST - 1):.0f} % and either in "
        "every launch or by the verdict of `oshbench compare`, for which `decided` says yes. Launches of a round are "
        "compared with each other, and a single launch shows nothing. A row is left out where the medians and the "
        "single launches contradict each other: the libraries then met cache lines of "
        "different speed, and neither number can be compared.\n"
    )
    return head + "".join(_losses_section(*each) for each in by_run)


def _losses_section(path: Path, run: Run, lost: list[losses.Loss]) -> str:
    name = path.name.removesuffix(".json.xz")
    stem, rounds = name.partition("@")[0], run.rounds
    busy = "; other programs used the machine" if run.busy else ""
    told = (f"\n## {name}\n\n{properties.name(run.machine)}; our commit {run.ours}; `{run.command}`; {rounds} "
            f"round{'s' if rounds > 1 else ''}; load average before and after: {run.load[0]}, {run.load[-1]}{busy}. "
            f"Page: [{stem}.md]({stem}.md).\n\n")
    if not lost:
        return told + "No row.\n"
    grid: Grid = ("", losses.COLUMNS, losses.rows(lost))
    lines = markdown([grid]).split("\n", 2)[2]
    return told + lines
