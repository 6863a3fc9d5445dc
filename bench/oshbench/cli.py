"""oshbench: OpenSHMEM libraries and MPIs side by side on this machine."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import textwrap
from pathlib import Path

from . import campaign, catalogue, designs, formats, hosts, importers, launch, libraries, needs, profiles, results
from .build import BuildError, build_library
from .libraries import Library
from .probe import FEATURES, defines, probe

REFUSED, WORSE, OK = 2, 1, 0


class Refused(RuntimeError):
    """A command line that cannot be done; the line says what to do."""


def main(arguments: list[str], binaries: Path | None, bench: Path) -> int:
    """An exit status: 0 done, 1 wrong results or a regression, 2 not done."""
    args = parser().parse_args(arguments)
    args.bench, args.binaries = bench, binaries
    signal.signal(signal.SIGTERM, _as_if_interrupted)
    try:
        return args.act(args)
    except (Refused, BuildError, results.Unreadable, importers.NotRecognised, needs.Missing, ValueError) as problem:
        print(f"oshbench: {problem}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("\noshbench: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


def _as_if_interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="oshbench", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _doctor_arguments(commands)
    _libs_arguments(commands)
    _run_arguments(commands)
    _compare_arguments(commands)
    _report_arguments(commands)
    return top


def _common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--work", type=Path, default=default_work(), help="where programs are built (%(default)s)")
    command.add_argument("--cpus", help="CPUs of the PEs, as 0,1 (default: all that may be used)")


def _choice(command: argparse.ArgumentParser) -> None:
    command.add_argument("-L", "--libraries", default="", metavar="A,B", help="only these, by name (oshbench libs)")
    command.add_argument("--library", action="append", default=[], metavar="NAME=KIND:CC:RUN",
                         help="one more: KIND is shmem or mpi, CC compiles, RUN launches with {np} processes")
    command.add_argument("--ours", type=Path, help="folder with our oshcc and oshrun (default: where oshbench is)")


def _doctor_arguments(commands) -> None:
    command = commands.add_parser("doctor", help="is this a machine to measure on? cores, noise, clock, who else runs")
    _common(command)
    _choice(command)
    command.set_defaults(act=act_doctor)


def _libs_arguments(commands) -> None:
    command = commands.add_parser("libs", help="the libraries here and what they can do")
    _common(command)
    _choice(command)
    command.add_argument("--add", metavar="NAME", help="remember a library; with --kind, --cc, --run, --env")
    command.add_argument("--kind", choices=["shmem", "mpi"], default="shmem")
    command.add_argument("--cc", help="its compiler")
    command.add_argument("--run", help="its launcher, as 'oshrun -n {np}'")
    command.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="a setting it is measured at")
    command.add_argument("--forget", metavar="NAME")
    command.set_defaults(act=act_libs)
    command = commands.add_parser("list", help="profiles and cases")
    _common(command)
    _choice(command)
    command.set_defaults(act=act_list)


def _run_arguments(commands) -> None:
    command = commands.add_parser("run", help="measure a profile or a case with every library, interleaved")
    command.add_argument("what", help="a profile, or cases as put,amo.add.*; oshbench list names them")
    _common(command)
    _choice(command)
    command.add_argument("-n", "--pes", default="", metavar="2,4", help="numbers of PEs instead of the profile's")
    command.add_argument("--hosts", default="", metavar="H1,H2", help="the PEs of every library on these hosts, as many on each")
    command.add_argument("--ssh", default="", metavar="PROGRAM", help="with --hosts: what starts a command on another host, instead of ssh")
    command.add_argument("-r", "--rounds", type=int, help="launches of each library")
    command.add_argument("--sizes", default="", metavar="8,4096", help="bytes; of a case, not of a profile. 'omb': 1 to 1 MiB")
    command.add_argument("-a", "--args", default="", metavar="WORDS", help="sizes and options of a mini-app, as '64 64 64 --threads 2'")
    command.add_argument("-o", "--output", type=Path, default=Path("oshbench.json"), help="the file (%(default)s)")
    command.add_argument("--resume", action="store_true", help="go on with the run that the file holds")
    command.add_argument("--format", choices=formats.FORMATS, default="text", help="what is printed")
    command.add_argument("--no-doctor", action="store_true", help="do not examine the machine first")
    command.set_defaults(act=act_run)
    command = commands.add_parser("show", help="print a run")
    command.add_argument("file", type=Path)
    command.add_argument("--format", choices=formats.FORMATS, default="text")
    command.set_defaults(act=act_show)
    command = commands.add_parser("import", help="turn what OMB or RMA-MT printed into a run")
    command.add_argument("form", choices=importers.FORMATS)
    command.add_argument("file", type=Path, nargs="+", help="one for each repetition")
    command.add_argument("--name", default="imported", help="of the library")
    command.add_argument("-n", "--pes", type=int, default=2)
    command.add_argument("-o", "--output", type=Path, default=Path("imported.json"))
    command.set_defaults(act=act_import)


def _compare_arguments(commands) -> None:
    for name, act, about in (("compare", act_compare, "who is faster: two libraries of one run, or two runs"),
                             ("gate", act_gate, "exit 1 if the new run is slower: for CI")):
        command = commands.add_parser(name, help=about)
        command.add_argument("base", help="a file, or FILE:LIBRARY")
        command.add_argument("new", help="a file, FILE:LIBRARY, or a library of the first file")
        command.add_argument("--cases", default="*", help="only these patterns")
        command.add_argument("--all", action="store_true", help="also what is the same")
        if name == "gate":
            command.add_argument("--max-regress", default="5%", help="what is still let through (%(default)s)")
            command.add_argument("--junit", type=Path, metavar="FILE", help="also write the verdicts as a test suite in JUnit's XML")
        command.set_defaults(act=act)


def _report_arguments(commands) -> None:
    command = commands.add_parser("report", help="one HTML file of a run")
    command.add_argument("file", type=Path)
    command.add_argument("-o", "--output", type=Path, help="default: the file's name with .html")
    command.add_argument("--base", help="the library that the others are compared with (default: oshen, else the first)")
    command.set_defaults(act=act_report)
    command = commands.add_parser("verify", help="plant faults in a library: every case that uses it must notice")
    _common(command)
    command.add_argument("--ours", type=Path)
    command.add_argument("--peer", action="store_true", help="Open MPI's library instead of ours")
    command.set_defaults(act=act_verify)


def default_work() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "oshbench"


def cpus_of(args: argparse.Namespace) -> list[int]:
    usable = sorted(os.sched_getaffinity(0))
    chosen = _numbers(args.cpus, "--cpus") if args.cpus else usable[:64]
    if not set(chosen) <= set(usable):
        raise Refused(f"--cpus {args.cpus}: of these CPUs only {','.join(map(str, usable))} may be used")
    return list(chosen)


def _numbers(text: str, option: str, least: int = 0) -> tuple[int, ...]:
    try:
        found = tuple(int(word) for word in text.split(",") if word)
    except ValueError:
        raise Refused(f"{option} {text}: numbers and commas are expected") from None
    if any(number < least for number in found):
        raise Refused(f"{option} {text}: at least {least} is expected")
    return found


def all_libraries(args: argparse.Namespace) -> list[Library]:
    ours = libraries.find_ours(args.bench.parent, args.ours or _own_folder(args))
    found = {library.name: library for library in libraries.find_peers()}
    found |= {library.name: library for library in libraries.named()}
    found |= {library.name: library for library in map(libraries.parse_library, args.library)}
    return ([ours] if ours else []) + list(found.values())


def _own_folder(args: argparse.Namespace) -> Path | None:
    """oshcc lies beside oshbench, in an installation as in the build tree."""
    return args.binaries if args.binaries and (args.binaries / "oshcc").exists() else None


def chosen_libraries(args: argparse.Namespace) -> list[Library]:
    found = all_libraries(args)
    wanted = [name for name in args.libraries.split(",") if name]
    known = {library.name for library in found}
    if lacking := [name for name in wanted if name not in known]:
        raise Refused(f"-L {','.join(lacking)}: no such library; there are {', '.join(sorted(known)) or 'none'}")
    chosen = [library for library in found if not wanted or library.name in wanted]
    if not chosen:
        raise Refused("no OpenSHMEM and no MPI found; name one: --library NAME=shmem:CC:'RUN -n {np}'")
    return chosen


# ---- commands

def act_doctor(args: argparse.Namespace) -> int:
    from . import doctor
    print(doctor.text(doctor.examine(args.bench, args.work, cpus_of(args))))
    print("\nlibraries     " + ", ".join(library.name for library in all_libraries(args)) + "  (oshbench libs asks them)")
    return OK


def act_libs(args: argparse.Namespace) -> int:
    if args.forget:
        if not libraries.forget(args.forget):
            raise Refused(f"--forget {args.forget}: no library of this name was added")
        return OK
    if args.add:
        if not args.cc or not args.run:
            raise Refused("--add needs --cc and --run, as --cc /opt/sos/bin/oshcc --run '/opt/sos/bin/oshrun -n {np}'")
        env = dict(pair.partition("=")[::2] for pair in args.env)
        libraries.remember(libraries.make_library(args.add, args.kind, args.cc, args.run, env))
    found = chosen_libraries(args)
    notes = {}
    for library in found:
        print(f"{library.name}: probing\r", end="", file=sys.stderr, flush=True)
        notes[library.name] = probe(library, args.work)
        note = notes[library.name]
        spec = f", {'OpenSHMEM' if library.kind == 'shmem' else 'MPI'} {note['spec']}" if note["spec"] else ""
        ending = "" if note["ending"] == "ok" else f"  ! {note['ending']}"
        print(f"{library.name:<12} {note['version'] or 'does not work'}{spec}  [{library.compiler}]{ending}")
        for name, setting in library.env.items():
            print(f"{'':<12} {name}={setting}")
    for kind in ("shmem", "mpi"):
        _print_matrix(kind, [library for library in found if library.kind == kind], notes)
    return OK


def _print_matrix(kind: str, found: list[Library], notes: dict[str, dict]) -> None:
    if not found:
        return
    rows = [["", "since", *[library.name for library in found]]]
    for name, title, since, _ in (*FEATURES[kind], ("thread_multiple", "many threads at once", "", "")):
        rows.append([title, since, *["yes" if notes[lib.name]["features"].get(name) else "no" for lib in found]])
    if kind == "shmem":
        for name, title in (("ptr_heap", "shmem_ptr of the heap"), ("ptr_static", "shmem_ptr of static data")):
            rows.append([title, "", *["yes" if notes[lib.name]["features"].get(name) else "no" for lib in found]])
    print()
    print("\n".join(formats._aligned(rows)))


def act_list(args: argparse.Namespace) -> int:
    print("profiles")
    for name, profile in profiles.PROFILES.items():
        print(f"  {name:<18} {profile.about} ({profile.rounds} rounds)")
    found = chosen_libraries(args)
    for kind in ("shmem", "mpi"):
        library = next((library for library in found if library.kind == kind), None)
        if library:
            _list_cases(args, library)
    return OK


def _list_cases(args: argparse.Namespace, library: Library) -> None:
    built = build_library(args.bench, args.work, library, defines(library, probe(library, args.work)))
    print(f"\ncases of {library.name}, its calls, bytes")
    for program in filter(None, (built.cases, built.threads)):
        for name, how, sizes in launch.list_cases(library, program):
            print(f"  {name:<38} {how}{'  [' + sizes + ']' if sizes else ''}")


def act_run(args: argparse.Namespace) -> int:
    profile = chosen_profile(args)
    places = hosts.parse(args.hosts)
    if args.ssh and not places:
        raise Refused("--ssh: only with --hosts")
    found = [hosts.over(library, places, args.ssh) for library in chosen_libraries(args) + _kept_to_designs(args, profile)]
    saved = _first_state(args, profile)
    say = _say_to(sys.stderr)
    if not args.no_doctor and "doctor" not in saved:
        from . import doctor
        saved["doctor"] = doctor.examine(args.bench, args.work, cpus_of(args))
        for line in doctor.warnings(saved["doctor"]):
            say(f"! {line}")
    work = campaign.Campaign(args.bench, args.work, profile, found, args.output, cpus_of(args), say)
    work.prepare(saved)
    complete = work.run(saved, args.rounds or profile.rounds, _numbers(args.pes, "--pes", 1))
    alone = results.left_out(saved)
    if complete and not any(launch["records"] or launch["ending"] != "ok" for launch in saved["launches"]):
        raise Refused(f"{_of_two(alone)}; give -n 2" if alone else
                      f"{args.what}: no library here has such a case; see oshbench list")
    table = results.table(saved)
    _show(saved, table, args.format)
    _tell_troubles(saved, say)
    if alone:
        say(f"! left out at 1 PE: {_of_two(alone)}")
    say(f"written: {args.output}" + ("" if complete else " (not complete)"))
    return WORSE if results.wrong(saved) else OK if complete else 130


def _kept_to_designs(args: argparse.Namespace, profile: profiles.Profile) -> list[Library]:
    """Ours, where the profile compares designs; single-copy ends at the edge of a node."""
    if not profile.designs:
        return []
    return [variant for library in chosen_libraries(args) if library.is_ours for variant in designs.variants(library)
            if not (args.hosts and variant.design == "single-copy")]


def _say_to(stream):
    def say(line: str, end: str = "\n") -> None:
        if end == "\n" or stream.isatty():  # what is to be written over is of no use in a log
            print(line if stream.isatty() else line.rstrip(), end=end, file=stream, flush=True)
    return say


def chosen_profile(args: argparse.Namespace) -> profiles.Profile:
    if args.what in profiles.PROFILES:
        if args.sizes or args.args:
            raise Refused("--sizes, --args: a profile has its own; give it with a case, as: oshbench run put --sizes 8,64")
        return profiles.PROFILES[args.what]
    if args.args and not args.what.startswith("app."):
        raise Refused("--args: of mini-apps, as: oshbench run app.hpccg --args '64 64 64'")
    sizes = profiles.OMB_SIZES if args.sizes == "omb" or (args.format == "omb" and not args.sizes) else _numbers(
        args.sizes, "--sizes", 1)
    if all(catalogue.kind_of(case) is catalogue.UNKNOWN and not set(case) & set("*?[") for case in args.what.split(",")):
        raise Refused(f"{args.what}: neither a profile ({', '.join(profiles.PROFILES)}) nor a case; see oshbench list")
    return profiles.single(args.what, _numbers(args.pes, "--pes", 1) or (2,), sizes, args.rounds or 5, tuple(shlex.split(args.args)))


def _first_state(args: argparse.Namespace, profile: profiles.Profile) -> dict:
    command = " ".join(["oshbench", "run", args.what] + (["-n", args.pes] if args.pes else [])
                       + (["--hosts", args.hosts] if args.hosts else []) + (["--sizes", args.sizes] if args.sizes else [])
                       + (["--args", shlex.quote(args.args)] if args.args else []))
    if not args.resume:
        return campaign.begin(args.what, command, {"hosts": list(hosts.parse(args.hosts))})
    saved = results.load(args.output)
    if saved["profile"] != args.what:
        raise Refused(f"--resume: {args.output} holds a run of {saved['profile']}, not of {args.what}")
    if saved.get("hosts", []) != list(hosts.parse(args.hosts)):
        raise Refused(f"--resume: {args.output} holds a run on other hosts: --hosts {','.join(saved.get('hosts', []))!r}")
    return saved


def _of_two(cases: list[str]) -> str:
    shown = ", ".join(cases[:4]) + (f" and {len(cases) - 4} more" if len(cases) > 4 else "")
    return f"{shown} need{'' if len(cases) > 1 else 's'} two PEs"


def _tell_troubles(saved: dict, say) -> None:
    for library, how, count in results.troubles(saved):
        say(f"! {library}: {how} ({count} launch{'es' if count > 1 else ''})")
    for line in results.wrong(saved):
        say(f"! WRONG RESULT in {line}")


def _show(saved: dict, table: results.Table, form: str) -> None:
    print(formats.show(saved, table, form), end="")
    if form == "text":
        _tell_in_short(saved, table)


def _tell_in_short(saved: dict, table: results.Table) -> None:
    """The verdict of a reader who goes no further; the statistics need packages that the run did not."""
    plain = {name: rows for name, rows in designs.without_variants(saved, table).items() if rows}
    if len(plain) < 2:
        return
    try:
        needs.demand("report", "numpy", "scipy")
        from . import in_short
        told = in_short.sentences(plain, "oshen" if "oshen" in plain else next(iter(plain)))
    except needs.Missing:
        told = ["who is faster, and how sure that is: oshbench compare, or report (pip install scipy matplotlib jinja2)"]
    print("\n".join(["", "In short", *[textwrap.fill(f"* {line}", 110, subsequent_indent="  ") for line in told]]))


def act_show(args: argparse.Namespace) -> int:
    saved = results.load(args.file)
    _show(saved, results.table(saved), args.format)
    return OK


def act_import(args: argparse.Namespace) -> int:
    for file in args.file:
        if not file.exists():
            raise Refused(f"{file}: no such file")
    results.save(importers.read(args.form, args.file, args.name, args.pes), args.output)
    print(f"written: {args.output}")
    return OK


def act_compare(args: argparse.Namespace) -> int:
    needs.demand("compare", "numpy", "scipy")
    from . import contest
    print(contest.text(contest.between(args.base, args.new, args.cases), args.all), end="")
    return OK


def act_gate(args: argparse.Namespace) -> int:
    needs.demand("gate", "numpy", "scipy")
    from . import contest
    found = contest.between(args.base, args.new, args.cases)
    most = contest.share(args.max_regress)
    status, told = contest.gate(found, most)
    if args.junit:
        args.junit.write_text(contest.junit(found, most))
    print(contest.text(found, args.all) + told)
    return status


def act_report(args: argparse.Namespace) -> int:
    needs.demand("report", "numpy", "scipy", "matplotlib", "jinja2")
    from .report import page
    saved = results.load(args.file)
    output = args.output or args.file.with_suffix(".html")
    page.write(saved, output, args.base)
    print(f"written: {output}")
    return OK


def act_verify(args: argparse.Namespace) -> int:
    import runpy
    sys.argv = ["selftest.py", "--work", str(args.work / "verify")] + (["--peer"] if args.peer else [])
    folder = args.ours or _own_folder(args)
    sys.argv += ["--ours", str(folder)] if folder else []
    sys.path.insert(0, str(args.bench))
    try:
        runpy.run_path(str(args.bench / "selftest.py"), run_name="__main__")
    except SystemExit as ended:
        return int(ended.code or 0)
    return OK
