"""The choices of a command line: libraries, CPUs, profile."""

from __future__ import annotations

import argparse
import os
import shlex
from dataclasses import replace
from pathlib import Path

from ..cases import catalogue
from ..common.errors import Refused
from ..libraries import added, find
from ..libraries.library import Library, parse_library
from . import profiles
from .profile import Part, Profile
from .profiles.suites import OMB_SIZES


def default_work() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "oshbench"


def cpus_of(args: argparse.Namespace) -> list[int]:
    usable = sorted(os.sched_getaffinity(0))
    chosen = numbers(args.cpus, "--cpus") if args.cpus else usable[:64]
    if not set(chosen) <= set(usable):
        raise Refused(f"--cpus {args.cpus}: of these only {','.join(map(str, usable))} may be used")
    return list(chosen)


def numbers(text: str, option: str, least: int = 0) -> tuple[int, ...]:
    try:
        values = tuple(int(word) for word in text.split(",") if word)
    except ValueError:
        raise Refused(f"{option} {text}: numbers and commas are expected") from None
    if any(number < least for number in values):
        raise Refused(f"{option} {text}: at least {least} is expected")
    return values


def find_ours(args: argparse.Namespace) -> Library | None:
    return find.ours(args.bench.parent, args.ours or own_folder(args))


def all_libraries(args: argparse.Namespace) -> list[Library]:
    ours = find_ours(args)
    found = {library.name: library for library in find.peers()}
    found |= {library.name: library for library in added.named()}
    found |= {library.name: library for library in map(parse_library, args.library)}
    return ([ours] if ours else []) + list(found.values())


def own_folder(args: argparse.Namespace) -> Path | None:
    """The folder of oshbench, if oshcc is beside it."""
    return args.binaries if args.binaries and (args.binaries / "oshcc").exists() else None


def chosen_libraries(args: argparse.Namespace) -> list[Library]:
    chosen = pick(args, all_libraries(args))
    if not chosen:
        raise Refused("no OpenSHMEM and no MPI found; name one: --library NAME=shmem:CC:'RUN -n {np}'")
    return chosen


def pick(args: argparse.Namespace, candidates: list[Library]) -> list[Library]:
    """The libraries named by -L."""
    wanted = [name for name in args.libraries.split(",") if name]
    known = {library.name for library in candidates}
    if lacking := [name for name in wanted if name not in known]:
        raise Refused(f"-L {','.join(lacking)}: no such library; there are {', '.join(sorted(known)) or 'none'}")
    return [library for library in candidates if not wanted or library.name in wanted]


def chosen_profile(args: argparse.Namespace) -> Profile:
    known = args.extension.profiles()
    if args.what in known:
        return _narrowed(known[args.what], args)
    if args.args and not args.what.startswith("app."):
        raise Refused("--args: only for mini-apps, for example oshbench run app.hpccg --args '64 64 64'")
    args.extension.check(args, None)
    sizes = OMB_SIZES if args.sizes == "omb" or (args.format == "omb" and not args.sizes) \
        else numbers(args.sizes, "--sizes", 1)
    if all(catalogue.kind_of(case) is catalogue.UNKNOWN and not set(case) & set("*?[")
           for case in args.what.split(",")):
        raise Refused(f"{args.what}: neither a profile ({', '.join(known)}) nor a case; see oshbench list")
    return profiles.single(args.what, numbers(args.pes, "--pes", 1) or (2,), sizes, args.rounds or 5,
                           tuple(shlex.split(args.args)))


def _narrowed(profile: Profile, args: argparse.Namespace) -> Profile:
    """The profile restricted by --sizes (only with its own programs) and --quick."""
    if args.args or args.sizes and not profile.campaign:
        raise Refused("--sizes, --args: a profile has its own; use them with a case, for example oshbench run put "
                      "--sizes 8,64")
    parts = profile.parts
    if args.sizes:
        wanted = set(numbers(args.sizes, "--sizes", 1))
        parts = tuple(part for part in parts if set(part.effort.sizes) <= wanted)
    if not parts:
        raise Refused(f"--sizes {args.sizes}: {args.what} has "
                      f"{', '.join(str(n) for part in profile.parts for n in part.effort.sizes) or 'none'}")
    return replace(profile, parts=tuple(_quick(part) if args.quick else part for part in parts))


def _quick(part: Part) -> Part:
    return replace(part, effort=replace(part.effort, quick=True, sizes=part.effort.sizes[:1]))
