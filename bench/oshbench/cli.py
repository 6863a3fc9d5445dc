"""oshbench: compare the OpenSHMEM and MPI libraries of this machine."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from oshen_tables import lines, paragraph

from .common import interrupts, needs
from .common.compiler import BuildError
from .common.errors import Refused
from .correctness import litmus
from .libraries import added, find, launch
from .libraries.build import build_library
from .libraries.library import Library, make_library
from .libraries.probe import FEATURES, defines, probe
from .measure import importers, own_cases, run_command, select
from .measure.extension import Extension
from .report import formats
from .results.run import Unreadable, load_run

DESCRIPTION = "Compares the OpenSHMEM and MPI libraries of this machine."
REFUSED, WORSE, OK = 2, run_command.WORSE, run_command.OK


def main(arguments: list[str], binaries: Path | None, bench: Path, version: str = "", extension: Extension
         | None = None) -> int:
    """An exit status: 0 done, 1 wrong results or a regression, 2 not done."""
    extension = extension or Extension()
    args = parser(version, extension).parse_args(arguments)
    args.bench, args.binaries, args.extension = bench, binaries, extension
    interrupts.catch()
    try:
        return args.act(args)
    except (Refused, BuildError, Unreadable, importers.NotRecognised, needs.Missing, ValueError) as problem:
        print(f"oshbench: {problem}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("\noshbench: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


def parser(version: str = "", extension: Extension | None = None) -> argparse.ArgumentParser:
    extension = extension or Extension()
    top = argparse.ArgumentParser(prog="oshbench", description=DESCRIPTION)
    top.add_argument("--version", action="version", version=f"oshbench {version}", help="print the version")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _doctor_arguments(commands)
    _libs_arguments(commands)
    _run_arguments(commands, extension)
    _compare_arguments(commands)
    _report_arguments(commands)
    extension.add_commands(commands)
    return top


def _whole_path(text: str) -> Path:
    """Also right for processes that start in another folder, as those of other hosts do."""
    return Path(text).absolute()


def _common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--work", type=_whole_path, default=str(select.default_work()),
                         help="folder for compiled programs (%(default)s)")
    command.add_argument("--cpus", help="CPUs of the PEs, for example 0,1 (default: all usable CPUs)")


def _choice(command: argparse.ArgumentParser) -> None:
    command.add_argument("-L", "--libraries", default="", metavar="A,B",
                         help="use only these libraries (oshbench libs lists them)")
    command.add_argument("--library", action="append", default=[], metavar="NAME=KIND:CC:RUN",
                         help="add a library: KIND is shmem or mpi, CC its compiler, RUN its launcher with {np} "
                              "processes")
    command.add_argument("--ours", type=_whole_path, help="folder of our oshcc and oshrun (default: that of oshbench)")


def _doctor_arguments(commands) -> None:
    command = commands.add_parser("doctor", help="examine the machine: cores, noise, clock, other load")
    _common(command)
    _choice(command)
    command.set_defaults(act=act_doctor)


def _libs_arguments(commands) -> None:
    command = commands.add_parser("libs", help="list the libraries and their features")
    _common(command)
    _choice(command)
    command.add_argument("--add", metavar="NAME", help="add a library permanently, with --kind, --cc, --run, --env")
    command.add_argument("--kind", choices=["shmem", "mpi"], default="shmem", help="its interface (default: shmem)")
    command.add_argument("--cc", help="its compiler")
    command.add_argument("--run", help="its launcher, for example 'oshrun -n {np}'")
    command.add_argument("--env", action="append", default=[], metavar="NAME=VALUE",
                         help="a setting for its measurements")
    command.add_argument("--forget", metavar="NAME", help="remove an added library")
    command.set_defaults(act=act_libs)
    command = commands.add_parser("list", help="list profiles and cases")
    _common(command)
    _choice(command)
    command.set_defaults(act=act_list)


def _run_arguments(commands, extension: Extension) -> None:
    command = commands.add_parser("run", help="measure a profile or cases with every library, interleaved")
    command.add_argument("what", nargs="?", default="",
                         help="a profile, or cases such as put,amo.add.*; oshbench list names them (default: those of "
                              "--cases)")
    _own_arguments(command)
    _common(command)
    _choice(command)
    command.add_argument("-n", "--pes", default="", metavar="2,4", help="numbers of PEs instead of the profile's")
    command.add_argument("--hosts", default="", metavar="H1,H2",
                         help="distribute the PEs of every library evenly over these hosts")
    command.add_argument("--ssh", default="", metavar="PROGRAM", help="with --hosts: a replacement for ssh")
    command.add_argument("-r", "--rounds", type=int, help="launches of each library")
    command.add_argument("--sizes", default="", metavar="8,4096", help="sizes in bytes. 'omb': 1 to 1 MiB")
    command.add_argument("-a", "--args", default="", metavar="WORDS",
                         help="sizes and options of a mini-app, for example '64 64 64 --threads 2'")
    command.add_argument("--quick", action="store_true", help="measure only the first size of every case of a profile")
    command.add_argument("-o", "--output", type=Path, help="file of the run (default: oshbench.json)")
    command.add_argument("--resume", action="store_true", help="continue the run in the file")
    command.add_argument("--format", choices=formats.FORMATS, default="text", help="format of the printed result")
    command.add_argument("--no-doctor", action="store_true", help="do not examine the machine first")
    extension.add_options(command)
    command.set_defaults(act=run_command.act_run)
    command = commands.add_parser("show", help="print a run")
    command.add_argument("file", type=Path, help="a run")
    command.add_argument("--format", choices=formats.FORMATS, default="text",
                         help="format of the printed run (default: text)")
    command.set_defaults(act=run_command.act_show)
    command = commands.add_parser("import", help="convert the output of OMB or RMA-MT into a run")
    command.add_argument("form", choices=importers.FORMATS, help="the program that printed it")
    command.add_argument("file", type=Path, nargs="+", help="one file per repetition")
    command.add_argument("--name", default="imported", help="name of the library")
    command.add_argument("-n", "--pes", type=int, default=2, help="number of its PEs (default: %(default)s)")
    command.add_argument("-o", "--output", type=Path, default=Path("imported.json"),
                         help="file of the run (default: %(default)s)")
    command.set_defaults(act=act_import)


def _own_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--cases", action="append", default=[], type=Path, metavar="FILE.c",
                         help="add the OpenSHMEM cases of your own file")
    command.add_argument("--mpi-cases", action="append", default=[], type=Path, metavar="FILE.c",
                         help="add the MPI cases of your own file")


def _compare_arguments(commands) -> None:
    for name, act, about in (("compare", act_compare, "compare two libraries of one run, or two runs"),
                             ("gate", act_gate, "for CI: exit status 1 if the new run is slower")):
        command = commands.add_parser(name, help=about)
        command.add_argument("base", help="a file, or FILE:LIBRARY")
        command.add_argument("new", help="a file, FILE:LIBRARY, or a library of the first file")
        command.add_argument("--cases", default="*", help="only cases that match these patterns")
        command.add_argument("--all", action="store_true", help="also print rows without a difference")
        if name == "gate":
            command.add_argument("--max-regress", default="5%", help="largest regression that passes (%(default)s)")
            command.add_argument("--junit", type=Path, metavar="FILE",
                                 help="also write the verdicts as a JUnit test suite")
        command.set_defaults(act=act)


def _report_arguments(commands) -> None:
    command = commands.add_parser("report", help="write an HTML report of a run")
    command.add_argument("file", type=Path, help="a run")
    command.add_argument("-o", "--output", type=Path, help="default: the file's name with .html")
    command.add_argument("--base", help="library that the others are compared with (default: oshen, else the first)")
    command.set_defaults(act=act_report)
    command = commands.add_parser("verify",
                                  help="plant faults in a library that its cases, or the mini-apps, must notice")
    _common(command)
    _choice(command)
    command.add_argument("--peer", action="store_true", help="use Open MPI's library instead of ours")
    _own_arguments(command)
    _app_fault_arguments(command)
    command.set_defaults(act=act_verify)
    litmus.arguments(commands)
    _common(commands.choices["litmus"])
    _choice(commands.choices["litmus"])


def _app_fault_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--apps", nargs="*", metavar="APP",
                         help="instead, faults that the mini-apps must notice, with every OpenSHMEM library that is "
                              "found (default: all apps)")
    command.add_argument("--sync", default="", metavar="A,B", help="with --apps: only these kinds of synchronisation")
    command.add_argument("--faults", default="", metavar="A,B",
                         help="with --apps: only these kinds of faults, for example drop_put,shift_put")
    command.add_argument("--places", type=int, metavar="N",
                         help="with --apps: plant each fault in N calls, from the first to the last; 1: in one "
                              "between them (default: 4)")
    command.add_argument("-a", "--args", default="", metavar="WORDS",
                         help="with --apps APP: sizes and options instead of the small ones")


# ---- commands

def act_doctor(args: argparse.Namespace) -> int:
    from .machine import doctor
    print(doctor.text(doctor.examine(args.bench, args.work, select.cpus_of(args))))
    names = ", ".join(library.name for library in select.all_libraries(args))
    print("", *paragraph(f"{names} (oshbench libs shows their features)", " " * 14, first="libraries     "), sep="\n")
    return OK


def act_libs(args: argparse.Namespace) -> int:
    if args.forget:
        if not added.forget(args.forget):
            raise Refused(f"--forget {args.forget}: no library of this name was added")
        return OK
    if args.add:
        if not args.cc or not args.run:
            raise Refused("--add needs --cc and --run, for example --cc /opt/sos/bin/oshcc --run '/opt/sos/bin/oshrun "
                          "-n {np}'")
        env = dict(pair.partition("=")[::2] for pair in args.env)
        added.remember(make_library(args.add, args.kind, args.cc, args.run, env))
    libraries = select.chosen_libraries(args)
    notes = {}
    for library in libraries:
        print(f"{library.name}: probing\r", end="", file=sys.stderr, flush=True)
        notes[library.name] = probe(library, args.work)
        note = notes[library.name]
        spec = f", {'OpenSHMEM' if library.kind == 'shmem' else 'MPI'} {note['spec']}" if note["spec"] else ""
        ending = "" if note["ending"] == "ok" else f"  ! {note['ending']}"
        print(f"{library.name:<12} {note['version'] or 'does not work'}{spec}  [{library.compiler}]{ending}")
        for name, setting in library.env.items():
            print(f"{'':<12} {name}={setting}")
    for kind in ("shmem", "mpi"):
        _print_matrix(kind, [library for library in libraries if library.kind == kind], notes)
    return OK


def _print_matrix(kind: str, candidates: list[Library], notes: dict[str, dict]) -> None:
    if not candidates:
        return
    rows = [["", "since", *[library.name for library in candidates]]]
    for name, title, since, _ in (*FEATURES[kind], ("thread_multiple", "many threads at once", "", "")):
        rows.append([title, since, *["yes" if notes[lib.name]["features"].get(name) else "no" for lib in candidates]])
    if kind == "shmem":
        for name, title in (("ptr_heap", "shmem_ptr of the heap"), ("ptr_static", "shmem_ptr of static data")):
            rows.append([title, "", *["yes" if notes[lib.name]["features"].get(name) else "no" for lib in candidates]])
    print()
    print("\n".join(lines(rows, keys=2)))


def act_list(args: argparse.Namespace) -> int:
    print("profiles")
    for name, profile in args.extension.profiles().items():
        print("\n".join(paragraph(f"{profile.about} ({profile.rounds} rounds)", " " * 21, first=f"  {name:<18} ")))
    for name, members in args.extension.groups().items():
        print("\n".join(paragraph(", ".join(members), " " * 21, first=f"  {name:<18} ")))
    libraries = select.chosen_libraries(args)
    for kind in ("shmem", "mpi"):
        library = next((library for library in libraries if library.kind == kind), None)
        if library:
            _list_cases(args, library)
    return OK


def _list_cases(args: argparse.Namespace, library: Library) -> None:
    built = build_library(args.bench, args.work, library, defines(library, probe(library, args.work)))
    print(f"\ncases of {library.name}, its calls, bytes")
    for program in filter(None, (built.cases, built.threads)):
        for name, how, sizes in launch.list_cases(library, program):
            words = f"{how if how != name else ''}{'  [' + sizes + ']' if sizes else ''}".strip()
            print("\n".join(paragraph(words, " " * 41, first=f"  {name:<38} ") if len(name) <= 38 else
                            [f"  {name}", *paragraph(words, " " * 41)]))


def act_import(args: argparse.Namespace) -> int:
    for file in args.file:
        if not file.exists():
            raise Refused(f"{file}: no such file")
    importers.read(args.form, args.file, args.name, args.pes).save(args.output)
    print(f"written: {args.output}")
    return OK


def act_compare(args: argparse.Namespace) -> int:
    needs.demand("compare", "numpy", "scipy")
    from .report import verdicts
    from .statistics import pairing
    print(verdicts.text(pairing.between(args.base, args.new, args.cases), args.all), end="")
    return OK


def act_gate(args: argparse.Namespace) -> int:
    needs.demand("gate", "numpy", "scipy")
    from .report import verdicts
    from .statistics import pairing
    pair = pairing.between(args.base, args.new, args.cases)
    most = verdicts.share(args.max_regress)
    status, sentence = verdicts.gate(pair, most)
    if args.junit:
        args.junit.write_text(verdicts.junit(pair, most))
    print(verdicts.text(pair, args.all) + sentence)
    return status


def act_report(args: argparse.Namespace) -> int:
    needs.demand("report", "numpy", "scipy", "matplotlib", "jinja2")
    from .report import page
    run = load_run(args.file)
    output = args.output or args.file.with_suffix(".html")
    page.write(run, output, args.base)
    print(f"written: {output}")
    return OK


def act_verify(args: argparse.Namespace) -> int:
    if args.apps is not None:
        return _verify_apps(args)
    if lacking := [option for option in ("libraries", "library", "sync", "faults", "places", "args")
                   if getattr(args, option)]:
        raise Refused(f"verify: --{lacking[0]}: only with --apps")
    peers = find.peers()
    own = next((peer for peer in peers if peer.kind == "shmem"), None) if args.peer else \
        find.ours(args.bench.parent, args.ours or select.own_folder(args))
    if own is None:
        raise Refused("verify: no OpenSHMEM library found")
    an_mpi = [] if args.peer else [peer for peer in peers if peer.kind == "mpi"][:1]
    args.work = args.work / "verify"
    cases = own_cases.load(args, [own, *an_mpi])
    right = [_verify_library(args, library, cases) for library in (own, *an_mpi) if cases.can(library.kind)]
    return OK if all(right) else WORSE


def _verify_library(args: argparse.Namespace, library: Library, cases: own_cases.OwnCases) -> bool:
    from .correctness import verify
    right = verify.verify(args.bench, args.work, library, args.peer, cases)
    return right if cases.files else right & args.extension.verify(args.bench, args.work, library, args.peer)


def _verify_apps(args: argparse.Namespace) -> int:
    from .correctness import app_faults
    if args.peer or args.cases or args.mpi_cases:
        raise Refused("verify --apps: without --peer, --cases and --mpi-cases; -L chooses libraries")
    words = (tuple(word for word in text.split(",") if word) for text in (args.sync, args.faults))
    plan = app_faults.checked(app_faults.Plan(tuple(args.apps), *words, app_faults.PLACES if args.places is None
                                              else args.places, args.args))
    libraries = [library for library in select.chosen_libraries(args) if library.kind == "shmem"]
    if not libraries:
        raise Refused("verify --apps: no OpenSHMEM library is chosen; oshbench libs lists them")
    right = [app_faults.verify(args.bench, args.work / "verify", library, plan) for library in libraries]
    return OK if all(right) else WORSE
