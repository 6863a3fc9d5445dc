"""`--record` and `oshbench record`: records and pages in docs/bench, and raw runs packed for a release."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

from . import machine, needs, record, results, runs
from .errors import Refused
from .results import FEWEST, LIMITS, Table

DIRTY = "-dirty"


def folder_of(bench: Path) -> Path:
    """The folder docs/bench of this checkout."""
    folder = bench.resolve().parent / "docs" / "bench"
    if not folder.is_dir():
        raise Refused(f"--record: records are kept in a checkout, and {folder} does not exist")
    return folder


def raw_folder(bench: Path) -> Path:
    return bench.resolve().parent / "build" / "bench" / "runs"


def unfit(saved: dict) -> str:
    """The reason why nothing of a run may be published; empty if it may."""
    if saved.get("ours", "").endswith(DIRTY):
        return "it was measured from files that were not committed"
    rounds = saved.get("rounds") or len({launch["round"] for launch in saved["launches"]})
    return "it has one launch of every library" if rounds < 2 else ""


def publishable(table: Table) -> tuple[Table, int]:
    """The rows of several launches, and the number of the others. The limits of the machine stay."""
    kept = {name: {key: row for key, row in rows.items() if name == LIMITS or len(row.values) > 1} for name, rows in table.items()}
    return kept, sum(len(rows) - len(kept[name]) for name, rows in table.items())


def demand_publishable(rounds: int, ours: str) -> None:
    """Refuses to record what sentences may not speak of."""
    if rounds < FEWEST:
        raise Refused(f"--record: {rounds} launch{'es' if rounds > 1 else ''} of every library; at least {FEWEST} are needed (-r {FEWEST})")
    if ours.endswith(DIRTY):
        raise Refused(f"--record: our commit is {ours}: commit or stash the changes of this checkout first")


def demand_quiet(allowed: bool) -> None:
    """Refuses a busy machine unless `allowed`."""
    needs.demand("run --record", "numpy", "scipy")
    if not allowed and (why := machine.busy()):
        raise Refused(f"--record: {why}; record on a quiet machine, or give --busy and the page says so")


def write(saved: dict, bench: Path, machine_name: str | None, keep: bool) -> list[Path]:
    """Writes the record and all pages that it changes; returns their paths."""
    from . import pages
    folder = folder_of(bench)
    target = pages.record_of(folder, saved["profile"], machine_name)
    rows = results.table(saved)
    if keep and target.exists():
        saved, rows = _kept(runs.load(target), saved, rows)
    target.write_text(record.dump(saved, rows))
    return [target, *pages.write(folder)]


def _kept(before: dict, saved: dict, rows: Table) -> tuple[dict, Table]:
    """Adds the rows of the record that this run has not measured."""
    if machine.name(before["machine"]) != machine.name(saved["machine"]):
        raise Refused("--keep: the record is from another machine: leave out --keep, or name this machine with --machine")
    for library, own in results.table(before).items():
        rows[library] = own | rows.get(library, {})
    return saved | {"libraries": before["libraries"] | saved["libraries"]}, rows


def pack(bench: Path, output: Path | None) -> Path:
    """Packs all raw runs of records into one file for a release."""
    files = sorted(raw_folder(bench).glob("*.json"))
    if not files:
        raise Refused(f"record --pack: no raw run in {raw_folder(bench)}: oshbench run PROFILE --record leaves one there")
    target = output or raw_folder(bench).parent / f"oshbench-runs-{machine.commit(bench.resolve().parent)}.tar.xz"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(target, "w:xz") as archive:
        for file in files:
            archive.add(file, file.name, filter=_anonymous)
    return target


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


def shown(path: Path) -> str:
    return os.path.relpath(path)
