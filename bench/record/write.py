"""Writes the record of a run, and the pages that it changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from oshbench.common.errors import Refused
from oshbench.machine import properties
from oshbench.results.rows import Table, table_of_run
from oshbench.results.run import Run, load_run

from . import folders, pages
from .reduce import reduce


def record(run: Run, bench: Path, machine_name: str | None, keep: bool) -> list[Path]:
    """Writes the record and all pages that it changes; returns their paths."""
    place = folders.of(bench)
    target = place.record(run.profile, machine_name)
    rows = table_of_run(run)
    if keep and target.exists():
        run, rows = _keep(load_run(target), run, rows)
    folders.write_text(target, reduce(run, rows))
    return [target, *pages.write(place)]


def _keep(before: Run, run: Run, rows: Table) -> tuple[Run, Table]:
    """Adds the rows of the record that this run has not measured."""
    if properties.name(before.machine) != properties.name(run.machine):
        raise Refused("--keep: the record is from another machine: leave out --keep, or name this machine with "
                      "--machine")
    for library, own in table_of_run(before).items():
        rows[library] = own | rows.get(library, {})
    return replace(run, libraries=before.libraries | run.libraries), rows
