"""Compares two libraries of one run, or of two runs."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ..results.rows import Table, table_of_run
from ..results.run import Run, load_run
from . import drift, judge
from .judge import Verdict


@dataclass(frozen=True)
class Pairing:
    base: str
    new: str
    paired: bool  # of one run
    verdicts: list[Verdict]
    notes: tuple[str, ...] = ()  # remarks on the runs


def between(first: str, second: str, cases: str = "*") -> Pairing:
    """Each argument is FILE or FILE:LIBRARY. The second may be a library of the first file."""
    base_file, base_name = _split(first)
    new_file, new_name = _split(second) if Path(second.rpartition(":")[0] or second).exists() or Path(second).exists() \
        else (base_file, second)
    same = base_file.resolve() == new_file.resolve()
    base_run, new_run = load_run(base_file), load_run(new_file)
    base_table, new_table = table_of_run(base_run), table_of_run(new_run)
    base_name = base_name or _only(base_table, base_file, None)
    if new_name is None:
        new_name = base_name if not same and base_name in new_table else _only(new_table, new_file, base_name if same
                                                                               else None)
    for name, table, file in ((base_name, base_table, base_file), (new_name, new_table, new_file)):
        if name not in table:
            raise ValueError(f"{file}: no library {name} in it; there are {', '.join(table)}")
    old, new = base_table[base_name], new_table[new_name]
    apart = None if same else drift.between(old, new)
    chosen = [{key: row for key, row in rows.items() if any(fnmatchcase(key.case, p) for p in cases.split(","))}
              for rows in (old, new)]
    verdicts = judge.compare(*chosen, (base_name, new_name), apart)
    notes = _notes({base_file: base_run, new_file: new_run}) + ((apart.text(),) if apart else ())
    return Pairing(base_name, new_name if same else f"{new_name} (new)" if new_name == base_name else new_name, same,
                   verdicts, notes)


def _split(text: str) -> tuple[Path, str | None]:
    if Path(text).exists():
        return Path(text), None
    file, _, name = text.rpartition(":")
    return (Path(file), name) if file else (Path(text), None)


def _notes(runs: dict[Path, Run]) -> tuple[str, ...]:
    told = [f"{file} is not complete: oshbench run ... --resume" for file, run in runs.items() if not run.finished]
    profiles = {run.profile for run in runs.values()}
    if len(profiles) > 1:
        told.append(f"the runs are of {' and '.join(sorted(profiles))}: only what both have is compared")
    return tuple(told)


def _only(table: Table, file: Path, other_than: str | None) -> str:
    names = [name for name, rows in table.items() if rows and name != other_than]
    if len(names) != 1 and other_than is None and "oshen" in names:
        return "oshen"
    if len(names) != 1:
        raise ValueError(f"{file}: several libraries or none: {', '.join(names) or 'none'}; write FILE:LIBRARY")
    return names[0]
