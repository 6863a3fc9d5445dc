"""The pages of docs/bench, made from the records beside them. `oshbench run PROFILE --record` writes a record and its page,
`oshbench record` all pages anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from . import comparison, goals, losses, machine, papers_page, profiles, recording, runs, states
from .profile import Page
from .render import Grid, SPINNING, markdown, spins
from .results import LIMITS, Table, table

LOSSES = "where-others-win.md"
LOSING = ("one-node", "collectives", "off-node")  # profiles on the page of losses


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every page that has a record."""
    for name, profile in profiles.PROFILES.items():
        if profile.page and record_of(folder, name).exists():
            yield f"{name}.md", page(folder, name, profile.page)
    if any(record_of(folder, name).exists() for name in papers_page.TITLES):
        yield papers_page.PAGE, papers_page.text(folder)
    if any(record_of(folder, name).exists() for name in LOSING):
        yield LOSSES, losses_page(folder)


def write(folder: Path) -> list[Path]:
    """Writes all pages; returns those that have changed."""
    written = []
    for name, text in texts(folder):
        target = folder / name
        if not target.exists() or target.read_text() != text:
            target.write_text(text)
            written.append(target)
    return written


def stale(folder: Path) -> list[str]:
    return [name for name, text in texts(folder) if not (folder / name).exists() or (folder / name).read_text() != text]


def record_of(folder: Path, profile: str, machine_name: str | None = None) -> Path:
    """The file of a record. That of the page's own machine has no machine name."""
    return folder / (f"{profile}@{machine_name}.json" if machine_name else f"{profile}.json")


def records(folder: Path, profile: str) -> list[Path]:
    """The records of the page's own machine, then of others."""
    return [record_of(folder, profile), *sorted(folder.glob(f"{profile}@*.json"))]


def page(folder: Path, name: str, about: Page) -> str:
    loaded = [(saved, *_publishable(table(saved), about)) for saved in map(runs.load, records(folder, name))]
    (saved, rows, alone), found = loaded[0], [(saved, rows) for saved, rows, _ in loaded]
    wanted = [goal for goal in about.goals_of(rows) if goal.row(rows) is not None]
    grids = [goals.table_of(wanted, rows)] if wanted else []
    if name in LOSING[:2]:  # the goals of off-node say the same
        grids.append(losses.table_of(rows))
    grids += [*about.tables(saved, rows), *comparison.machines(found, wanted)]
    return "\n\n".join([f"# {about.title}", f"Measured on: {machine.name(saved['machine'])}.", _origin(name, about), *_warnings(saved, rows, alone),
                        f"    {saved['command']}", _how(saved, goals.reached(wanted, rows), len(wanted)), _machine(saved),
                        _libraries(saved)]) + "\n\n" + markdown(grid for grid in grids if grid[2])


def _publishable(rows: Table, about: Page) -> tuple[Table, int]:
    return (rows, 0) if about.steady else recording.publishable(rows)


def _origin(name: str, about: Page) -> str:
    notes = f" Explanations: [{about.notes}]({about.notes})." if about.notes else ""
    return (f"Written by `oshbench run {name} --record`; do not edit. `oshbench show docs/bench/{name}.json` prints every row of "
            f"[the record]({name}.json). How it is measured: [bench/README.md](../../bench/README.md).{notes}"
            + (f"\n\n{about.about}" if about.about else ""))


def _warnings(saved: dict, rows: Table, alone: int) -> list[str]:
    told = ["**Other programs used the machine.**"] if saved.get("busy") else []
    told += [f"{line[0].upper()}{line[1:]}." for line in states.told(saved)]
    told += [f"Not shown: {alone} rows that have a single launch."] if alone else []
    return told + ([SPINNING] if any(spins(name, key.pes) for name, own in rows.items() for key in own) else [])


def _how(saved: dict, reached: int, wanted: int) -> str:
    score = f"{reached} of {wanted} goals reached; " if wanted else ""
    rounds = saved["rounds"]
    return (f"{score}{rounds} interleaved launch{'es' if rounds > 1 else ''} of every library; our commit {saved['ours']}; load average before "
            f"and after: {saved['load'][0]:.2f}, {saved['load'][-1]:.2f}.")


def _machine(saved: dict) -> str:
    return "\n".join(["| machine | |", "|---|---|", *(f"| {key} | {value} |" for key, value in saved["machine"].items())])


MOST_ENDINGS = 160  # characters


def _libraries(saved: dict) -> str:
    endings: dict[str, list[str]] = {}
    for library, how, _ in runs.troubles(saved):
        endings.setdefault(library, []).append(how)
    lines = ["| library | version | how its launches ended |", "|---|---|---|"]
    for name, note in saved["libraries"].items():
        told = "; ".join(dict.fromkeys(endings.get(name, []))) or "ok"
        if name != LIMITS:
            short = told if len(told) <= MOST_ENDINGS else told[:MOST_ENDINGS].rpartition(";")[0] + "; ..."
            lines.append(f"| {name} | {note.get('version', '')} | {short} |")
    return "\n".join(lines)


# ---- the page of losses

def losses_page(folder: Path) -> str:
    found = [(path, saved, losses.losses(table(saved))) for name in LOSING for path in records(folder, name) if path.exists()
             for saved in [runs.load(path)]]
    total = sum(len(lost) for _, _, lost in found)
    head = (
        "# Where another library is faster\n\n"
        "Written by `oshbench record` from the records in this folder, and by every `--record`; do not edit. What is known about the rows: "
        "[where-others-win-notes.md](where-others-win-notes.md).\n\n"
        f"The best of the others was faster in {total} rows of {len(found)} runs. Times and their ratio are medians over all launches. A row stands "
        f"here if theirs was faster by more than {100 * (losses.LARGE - 1):.0f} %, or by more than {100 * (losses.LEAST - 1):.0f} % and either in "
        "every launch or by the verdict of `oshbench compare`, for which `decided` says yes. Launches of a round are compared with each "
        "other, and a single launch shows nothing. A row is left out where the medians and the single launches contradict each other: the libraries then met cache lines of "
        "different speed, and neither number can be compared.\n"
    )
    return head + "".join(_losses_section(*each) for each in found)


def _losses_section(path: Path, saved: dict, lost: list[losses.Loss]) -> str:
    stem, rounds = path.stem.partition("@")[0], saved["rounds"]
    busy = "; other programs used the machine" if saved.get("busy") else ""
    told = (f"\n## {path.stem}\n\n{machine.name(saved['machine'])}; our commit {saved['ours']}; `{saved['command']}`; {rounds} "
            f"round{'s' if rounds > 1 else ''}; load average before and after: {saved['load'][0]}, {saved['load'][-1]}{busy}. Page: "
            f"[{stem}.md]({stem}.md).\n\n")
    if not lost:
        return told + "No row.\n"
    grid: Grid = ("", losses.COLUMNS, losses.rows(lost))
    lines = markdown([grid]).split("\n", 2)[2]
    return told + lines
