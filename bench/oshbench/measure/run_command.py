"""`oshbench run` and `oshbench show`: measure, print and record a profile."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from oshen_tables import paragraph

from ..cases.own import NO_CASES, OwnCases
from ..common import needs
from ..common.errors import Refused
from ..libraries import hosts
from ..libraries.library import Library
from ..machine import changes
from ..machine.load import Watch
from ..report import formats
from ..report.grids import print_grids
from ..results import designs
from ..results.rows import OURS, Table, measured, table_of_run
from ..results.run import Run, load_run
from . import campaign, own_cases
from .campaign import Campaign, LibraryCampaign, Setup
from .profile import Profile
from .select import chosen_libraries, chosen_profile, cpus_of, find_ours, numbers, own_folder, pick

OK, WORSE, INTERRUPTED = 0, 1, 130


def act_run(args: argparse.Namespace) -> int:
    """The profiles of a group run one after the other, each into its own file."""
    args.own = _own(args)
    names = args.extension.groups().get(args.what, (args.what,))
    given, worst = args.output, OK
    for name in names:
        args.what = name
        args.output = _output(args, given, several=len(names) > 1)
        worst = max(worst, _run_one(args))
        if worst == INTERRUPTED:
            break
    return worst


def _own(args: argparse.Namespace) -> OwnCases:
    """The cases of files of the user's own. They are what is run if nothing else is named."""
    if not args.what and not args.cases and not args.mpi_cases:
        raise Refused("run: a profile or cases are expected, or --cases FILE.c; oshbench list names them")
    if args.what in args.extension.profiles() or args.what in args.extension.groups():
        if args.cases or args.mpi_cases:
            raise Refused(f"--cases: only with names of cases; {args.what} is a profile")
        return NO_CASES
    own = own_cases.load(args, chosen_libraries(args) if args.cases or args.mpi_cases else [])
    args.what = args.what or ",".join(own.names)
    return own


def _output(args: argparse.Namespace, given: Path | None, several: bool) -> Path:
    if given is None:
        return args.extension.output(args) or Path(f"{args.what}.json" if several else "oshbench.json")
    return given.with_name(f"{given.stem}-{args.what}{given.suffix}") if several else given


def _run_one(args: argparse.Namespace) -> int:
    profile = chosen_profile(args)
    say = _say_to(sys.stderr)
    args.extension.check(args, profile)
    work = _campaign(args, profile, say)
    run = _first_state(args)
    run.kinds = list(args.own.kinds)
    if not args.no_doctor and run.doctor is None:
        _examine(args, run, say)
    watch = Watch()
    work.prepare(run)
    complete = work.run(run, args.rounds or profile.rounds, numbers(args.pes, "--pes", 1))
    args.extension.note_load(args, run, watch.disturbed())
    run.save(args.output)
    _demand_something(args, run, complete)
    _print_results(args, profile, run, say)
    say(f"written: {args.output}" + ("" if complete else " (not complete)"))
    for path in args.extension.finish(args, run) if complete else ():
        say(f"written: {os.path.relpath(path)}")
    return WORSE if run.wrong() else OK if complete else INTERRUPTED


def _campaign(args: argparse.Namespace, profile: Profile, say) -> Campaign:
    places = hosts.parse(args.hosts)
    if args.ssh and not places:
        raise Refused("--ssh: only with --hosts")
    ours = find_ours(args)
    setup = Setup(args.bench, args.work, cpus_of(args), say, Path(shlex.split(ours.compiler)[0]).parent if ours
                  else own_folder(args), args.extension.settings(args), args.own)
    kind = profile.campaign() if profile.campaign else LibraryCampaign
    if reason := kind.obstacle(setup):
        raise Refused(f"{args.what}: {reason}")
    contestants = kind.contestants(setup)
    if contestants is not None:
        return kind(setup, profile, pick(args, contestants), args.output)
    taking_part = [library for library in chosen_libraries(args) if args.own.can(library.kind)]
    libraries = [hosts.over(library, places, args.ssh) for library in taking_part + _kept_to_designs(args, profile)]
    return kind(setup, profile, libraries, args.output)


def _kept_to_designs(args: argparse.Namespace, profile: Profile) -> list[Library]:
    """Our variants, if the profile compares designs. Single-copy works only within a node."""
    if not profile.designs:
        return []
    return [variant for library in chosen_libraries(args) if library.is_ours for variant in designs.variants(library)
            if not (args.hosts and variant.design == "single-copy")]


def _say_to(stream):
    def say(line: str, end: str = "\n") -> None:
        if end == "\n" or stream.isatty():  # a log needs no lines that are overwritten
            print(line if stream.isatty() else line.rstrip(), end=end, file=stream, flush=True)
    return say


def _first_state(args: argparse.Namespace) -> Run:
    """A new run, or the run in the file."""
    if not args.resume:
        return args.extension.unfinished(args) or campaign.begin(args.what, command_of(args),
                                                                 args.extension.our_commit(args),
                                                                 hosts.parse(args.hosts))
    run = load_run(args.output)
    if run.profile != args.what:
        raise Refused(f"--resume: {args.output} holds a run of {run.profile}, not of {args.what}")
    if run.hosts != list(hosts.parse(args.hosts)):
        raise Refused(f"--resume: {args.output} holds a run on other hosts: --hosts {','.join(run.hosts)!r}")
    return run


def command_of(args: argparse.Namespace) -> str:
    """The command line without folders of this machine."""
    words = ["oshbench", "run", args.what]
    words += [word for option, files in (("--cases", args.cases), ("--mpi-cases", args.mpi_cases)) for file in files
              for word in (option, shlex.quote(file.name))]
    words += [word for option, value in (("-r", args.rounds), ("-n", args.pes), ("-L", args.libraries),
                                         ("--hosts", args.hosts),
                                         ("--sizes", args.sizes), ("--args", args.args)) if value
              for word in (option, shlex.quote(str(value)))]
    return " ".join(words + (["--quick"] if args.quick else []) + args.extension.words(args))


def _examine(args: argparse.Namespace, run: Run, say) -> None:
    from ..machine import doctor
    run.doctor = doctor.examine(args.bench, args.work, cpus_of(args))
    for line in doctor.warnings(run.doctor):
        say(f"! {line}")


def _demand_something(args: argparse.Namespace, run: Run, complete: bool) -> None:
    alone = run.left_out()
    if complete and not any(launch.records or launch.ending != "ok" for launch in run.launches):
        raise Refused(f"{_of_two(alone)}; give -n 2" if alone else
                      f"{args.what}: no library here has such a case; see oshbench list")


def _print_results(args: argparse.Namespace, profile: Profile, run: Run, say) -> None:
    table = table_of_run(run)
    if not profile.campaign or args.format != "text":
        _show(run, table, args.format)
    if args.format == "text":
        _show_tables(args, profile, run, table)
    for library, how, count in run.troubles():
        say(f"! {library}: {how} ({count} launch{'es' if count > 1 else ''})")
    for line in changes.lines(run):
        say(f"! {line}")
    for line in run.wrong():
        say(f"! WRONG RESULT in {line}")
    if alone := run.left_out():
        say(f"! left out at 1 PE: {_of_two(alone)}")


def _show_tables(args: argparse.Namespace, profile: Profile, run: Run, table: Table) -> None:
    """Prints the goals and the tables of the profile, if the packages for intervals are installed."""
    try:
        needs.demand("run", "numpy", "scipy")
    except needs.Missing:
        return
    grids = [*args.extension.grids(run, table), *(profile.tables(run, table) if profile.tables else ())]
    print_grids(grid for grid in grids if grid[2])


def _of_two(cases: list[str]) -> str:
    shown = ", ".join(cases[:4]) + (f" and {len(cases) - 4} more" if len(cases) > 4 else "")
    return f"{shown} need{'' if len(cases) > 1 else 's'} two PEs"


def _show(run: Run, table: Table, form: str) -> None:
    print(formats.show(run, table, form), end="")
    if form == "text":
        _print_summary(run, table)


def _print_summary(run: Run, table: Table) -> None:
    """Prints the summary, if the packages for statistics are installed."""
    plain = measured(designs.without_variants(run, table))
    if len(plain) < 2:
        return
    try:
        needs.demand("report", "numpy", "scipy")
        from ..report import sentences
        told = sentences.sentences(plain, OURS if OURS in plain else next(iter(plain)))
    except needs.Missing:
        told = ["for verdicts use oshbench compare or report (pip install scipy matplotlib jinja2)"]
    print("\n".join(["", "Summary", *["\n".join(paragraph(line, "  ", first="* ")) for line in told]]))


def act_show(args: argparse.Namespace) -> int:
    run = load_run(args.file)
    _show(run, table_of_run(run), args.format)
    return OK
