"""`oshbench run` and `oshbench show`: measure, print and record a profile."""

from __future__ import annotations

import argparse
import shlex
import sys
import textwrap
from pathlib import Path

from . import campaign, designs, formats, goals, hosts, machine, needs, own_cases, profiles, recording, render, results, runs, states
from .campaign import Campaign, LibraryCampaign, Setup
from .errors import Refused
from .libraries import Library
from .own_cases import OwnCases
from .profile import Profile
from .results import OURS, Table
from .selection import chosen_libraries, chosen_profile, cpus_of, numbers, own_folder, pick, find_ours

OK, WORSE, INTERRUPTED = 0, 1, 130


def act_run(args: argparse.Namespace) -> int:
    """The profiles of a group run one after the other, each into its own file."""
    args.own = _own(args)
    names = profiles.GROUPS.get(args.what, (args.what,))
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
    if args.what in profiles.PROFILES or args.what in profiles.GROUPS:
        if args.cases or args.mpi_cases:
            raise Refused(f"--cases: only with names of cases; {args.what} is a profile")
        return own_cases.NONE
    own = own_cases.load(args, chosen_libraries(args) if args.cases or args.mpi_cases else [])
    args.what = args.what or ",".join(own.names)
    return own


def _output(args: argparse.Namespace, given: Path | None, several: bool) -> Path:
    if given is None:
        return recording.raw_folder(args.bench) / f"{args.what}{f'@{args.machine}' if args.machine else ''}.json" if args.record else \
            Path(f"{args.what}.json" if several else "oshbench.json")
    return given.with_name(f"{given.stem}-{args.what}{given.suffix}") if several else given


def _run_one(args: argparse.Namespace) -> int:
    profile = chosen_profile(args)
    say = _say_to(sys.stderr)
    if args.record:
        recording.folder_of(args.bench)
        recording.demand_publishable(args.rounds or profile.rounds, _commit(args))
        recording.demand_quiet(args.busy)
    work = _campaign(args, profile, say)
    saved = _first_state(args)
    saved["kinds"] = list(args.own.kinds)
    if not args.no_doctor and "doctor" not in saved:
        _examine(args, saved, say)
    watch = machine.Watch()
    work.prepare(saved)
    complete = work.run(saved, args.rounds or profile.rounds, numbers(args.pes, "--pes", 1))
    saved["busy"] = saved.get("busy", False) or args.busy or _disturbed(watch, args.record)
    runs.save(saved, args.output)
    _demand_something(args, saved, complete)
    _tell(args, profile, saved, say)
    say(f"written: {args.output}" + ("" if complete else " (not complete)"))
    if args.record and complete:
        for path in recording.write(saved, args.bench, args.machine, args.keep):
            say(f"written: {recording.shown(path)}")
    return WORSE if runs.wrong(saved) else OK if complete else INTERRUPTED


def _campaign(args: argparse.Namespace, profile: Profile, say) -> Campaign:
    places = hosts.parse(args.hosts)
    if args.ssh and not places:
        raise Refused("--ssh: only with --hosts")
    ours = find_ours(args)
    setup = Setup(args.bench, args.work, cpus_of(args), say, Path(shlex.split(ours.compiler)[0]).parent if ours else own_folder(args),
                  {"lmp": args.lmp, "with": args.extra}, args.own)
    kind = profile.campaign() if profile.campaign else LibraryCampaign
    if reason := kind.obstacle(setup):
        raise Refused(f"{args.what}: {reason}")
    contestants = kind.contestants(setup)
    if contestants is not None:
        return kind(setup, profile, pick(args, contestants), args.output)
    taking_part = [library for library in chosen_libraries(args) if args.own.can(library)]
    found = [hosts.over(library, places, args.ssh) for library in taking_part + _kept_to_designs(args, profile)]
    return kind(setup, profile, found, args.output)


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


def _first_state(args: argparse.Namespace) -> dict:
    """A new run, or the run in the file."""
    fresh = campaign.begin(args.what, command_of(args), {"hosts": list(hosts.parse(args.hosts)), "busy": False,
                                                         "ours": _commit(args)})
    if args.record and not args.resume:
        return _unfinished(args, fresh["ours"]) or fresh
    if not args.resume:
        return fresh
    saved = runs.load(args.output)
    if saved["profile"] != args.what:
        raise Refused(f"--resume: {args.output} holds a run of {saved['profile']}, not of {args.what}")
    if saved.get("hosts", []) != list(hosts.parse(args.hosts)):
        raise Refused(f"--resume: {args.output} holds a run on other hosts: --hosts {','.join(saved.get('hosts', []))!r}")
    return saved


def _commit(args: argparse.Namespace) -> str:
    return args.commit or machine.commit(args.bench.resolve().parent)


def _unfinished(args: argparse.Namespace, ours: str) -> dict | None:
    """The interrupted run of a record, if it is of the same commit. A disturbed run is used only with --busy."""
    saved = runs.load(args.output) if args.output.exists() else {}
    usable = saved and not saved["finished"] and saved.get("ours") == ours and (args.busy or not saved.get("busy"))
    return saved if usable else None


def command_of(args: argparse.Namespace) -> str:
    """The command line without folders of this machine."""
    words = ["oshbench", "run", args.what]
    words += [word for option, files in (("--cases", args.cases), ("--mpi-cases", args.mpi_cases)) for file in files
              for word in (option, shlex.quote(file.name))]
    words += [word for option, value in (("-r", args.rounds), ("-n", args.pes), ("-L", args.libraries), ("--hosts", args.hosts),
                                         ("--sizes", args.sizes), ("--args", args.args), ("--machine", args.machine)) if value
              for word in (option, shlex.quote(str(value)))]
    return " ".join(words + [f"--{name}" for name in ("quick", "record", "keep", "busy") if getattr(args, name)])


def _examine(args: argparse.Namespace, saved: dict, say) -> None:
    from . import doctor
    saved["doctor"] = doctor.examine(args.bench, args.work, cpus_of(args))
    for line in doctor.warnings(saved["doctor"]):
        say(f"! {line}")


def _disturbed(watch: machine.Watch, record: bool) -> bool:
    """Whether others used the machine during the run."""
    why = watch.disturbed()
    if why and record:
        print(f"{why}: the page says that the machine was busy", file=sys.stderr)
    return bool(why)


def _demand_something(args: argparse.Namespace, saved: dict, complete: bool) -> None:
    alone = runs.left_out(saved)
    if complete and not any(launch["records"] or launch["ending"] != "ok" for launch in saved["launches"]):
        raise Refused(f"{_of_two(alone)}; give -n 2" if alone else
                      f"{args.what}: no library here has such a case; see oshbench list")


def _tell(args: argparse.Namespace, profile: Profile, saved: dict, say) -> None:
    table = results.table(saved)
    if not profile.campaign or args.format != "text":
        _show(saved, table, args.format)
    if profile.page and args.format == "text":
        _show_page(profile, saved, table)
    for library, how, count in runs.troubles(saved):
        say(f"! {library}: {how} ({count} launch{'es' if count > 1 else ''})")
    for line in states.told(saved):
        say(f"! {line}")
    for line in runs.wrong(saved):
        say(f"! WRONG RESULT in {line}")
    if alone := runs.left_out(saved):
        say(f"! left out at 1 PE: {_of_two(alone)}")


def _show_page(profile: Profile, saved: dict, table: Table) -> None:
    """Prints the goals and tables of the page, if the packages for intervals are installed."""
    try:
        needs.demand("run", "numpy", "scipy")
    except needs.Missing:
        return
    wanted = profile.page.goals_of(table)
    grids = [goals.table_of(wanted, table)] if wanted else []
    render.print_grids(grid for grid in ([*grids, *profile.page.tables(saved, table)] if profile.campaign else grids) if grid[2])


def _of_two(cases: list[str]) -> str:
    shown = ", ".join(cases[:4]) + (f" and {len(cases) - 4} more" if len(cases) > 4 else "")
    return f"{shown} need{'' if len(cases) > 1 else 's'} two PEs"


def _show(saved: dict, table: Table, form: str) -> None:
    print(formats.show(saved, table, form), end="")
    if form == "text":
        _print_summary(saved, table)


def _print_summary(saved: dict, table: Table) -> None:
    """Prints the summary, if the packages for statistics are installed."""
    plain = results.libraries(designs.without_variants(saved, table))
    if len(plain) < 2:
        return
    try:
        needs.demand("report", "numpy", "scipy")
        from . import summary
        told = summary.sentences(plain, OURS if OURS in plain else next(iter(plain)))
    except needs.Missing:
        told = ["for verdicts use oshbench compare or report (pip install scipy matplotlib jinja2)"]
    print("\n".join(["", "Summary", *[textwrap.fill(f"* {line}", 110, subsequent_indent="  ") for line in told]]))


def act_show(args: argparse.Namespace) -> int:
    saved = runs.load(args.file)
    _show(saved, results.table(saved), args.format)
    return OK
