"""Cases of a user's own: C files outside of oshbench (`--cases`, `--mpi-cases`)."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from ..cases import catalogue, declarations
from ..cases.own import NO_CASES, OwnCases
from ..common.errors import Refused
from ..common.process import run_bounded
from ..libraries.build import Programs, build_library
from ..libraries.launch import LISTED_AFTER, read_list
from ..libraries.library import Library
from ..libraries.probe import defines, probe

OPTIONS = {"shmem": "--cases", "mpi": "--mpi-cases"}
MODELS = {"shmem": "OpenSHMEM", "mpi": "MPI"}
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def load(args: argparse.Namespace, candidates: list[Library]) -> OwnCases:
    """The cases of the files on the command line. They are compiled for the first library that can, to learn their
    names."""
    files = {kind: tuple(_existing(option, path) for path in given) for kind, option in OPTIONS.items()
             if (given := getattr(args, option[2:].replace("-", "_"), []))}
    if not files:
        return NO_CASES
    names = [name for kind, paths in files.items() for name in _names(args, kind, paths, candidates)]
    own = OwnCases(files, tuple(dict.fromkeys(names)), alone=not getattr(args, "what", ""))
    kinds = tuple(_kind_of(name, own) for name in own.names)
    catalogue.add(kinds)
    return OwnCases(files, own.names, kinds, own.alone)


def faults(own: OwnCases, kind: str) -> list[declarations.Fault]:
    return [fault for path in own.files.get(kind, ()) for fault in declarations.faults_of(path, kind)]


def _existing(option: str, path: Path) -> Path:
    if not path.is_file():
        raise Refused(f"{option} {path}: no such file")
    if path.suffix != ".c":
        raise Refused(f"{option} {path}: a C file is expected, with a name that ends in .c")
    return path.resolve()


def _names(args: argparse.Namespace, kind: str, paths: tuple[Path, ...], libraries: list[Library]) -> list[str]:
    shown = f"{OPTIONS[kind]} {' '.join(path.name for path in paths)}"
    candidates = [library for library in libraries if library.kind == kind]
    if not candidates:
        raise Refused(f"{shown}: no {MODELS[kind]} library is chosen; oshbench libs lists them")
    library, built = _first_build(args, candidates, OwnCases({kind: paths}, alone=True), shown)
    _, said = run_bounded(library.command(1, built.cases, ["--list"]), library.env, LISTED_AFTER)
    names = [name for name, _, _ in read_list(said)]
    if not names:
        raise Refused(f"{shown}: no cases are registered; BENCH_CASES(bench_any_pes, cases) is expected" +
                      (f"\n{said.strip()}" if said.strip() else ""))
    _check_names(shown, names)
    return names


def _first_build(args: argparse.Namespace, candidates: list[Library], own: OwnCases,
                 shown: str) -> tuple[Library, Programs]:
    """The first library that compiles all files; if there is none, what the first compiler said."""
    problems = []
    for library in candidates:
        notes = probe(library, args.work)
        if not notes["features"]:
            problems.append(f"{shown}: {library.name} does not work: {notes['ending']}")
            continue
        built = build_library(args.bench, args.work, library, defines(library, notes), own)
        if not built.rejected:
            return library, built
        problems.append(f"{shown}: does not compile for {library.name}\n" + "\n".join(built.rejected.values()).rstrip())
    raise Refused(problems[0])


def _check_names(shown: str, names: list[str]) -> None:
    for name, count in Counter(names).items():
        if not NAME.fullmatch(name):
            raise Refused(f"{shown}: case '{name}': letters, digits, '_', '.' and '-' are expected in a name")
        if count > 1:
            raise Refused(f"{shown}: case {name} is registered {count} times; give each case a name of its own")
        known = catalogue.built_in(name)
        if known or name.startswith("mt_"):
            raise Refused(f"{shown}: case {name}: oshbench has cases {known.pattern if known else 'mt_*'}; "
                          f"choose another name, for example my.{name}")


def _kind_of(name: str, own: OwnCases) -> dict:
    """The declared kind of the case, under its full name, so that a pattern describes no case of oshbench."""
    declared = [entry for paths in own.files.values() for path in paths for entry in declarations.kinds_of(path)]
    fitting = [entry for entry in declared if fnmatchcase(name, entry["pattern"])]
    if not fitting:
        return {"pattern": name, "axis": "own", "about": "a case of your own"}
    best = min(fitting, key=lambda entry: catalogue.vagueness(entry["pattern"]))
    if best["axis"] not in catalogue.AXES:
        raise Refused(f"BENCH_KINDS of case {name}: axis '{best['axis']}': one of {', '.join(catalogue.AXES)} is "
                      f"expected")
    return best | {"pattern": name}
