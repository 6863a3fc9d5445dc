"""Proves that the mini-apps notice a library with a fault. A shared object is loaded before the library
(programs/faults/shmem.c); in one run one call is faulty. The app must then say WRONG, or name the message that is
impossible. A run with the same object and no fault tells how many calls of each sort there are, so that a fault can be
planted in each of them."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..common.compiler import BuildError, first_error
from ..common.errors import Refused
from ..common.process import run_bounded
from ..libraries.build import build_shared
from ..libraries.library import Library
from ..measure import apps

# The kinds of faults, by the sort of the calls in which they happen.
KINDS = {
    "put": ("drop_put", "short_put", "stale_put", "shift_put", "double_put", "late_put", "skip_barrier"),
    "signal": ("early_signal",),
    "get": ("drop_get", "stale_get", "shift_get"),
    "atomic": ("drop_atomic", "double_atomic"),
    "alltoall": ("drop_alltoall", "stale_alltoall", "shift_alltoall", "double_alltoall"),
}
# Kinds that need a flag after the data, or a barrier.
ONLY_IN = {"late_put": ("fence+flag", "counter"), "skip_barrier": ("barrier", "quiet+sync")}
LEAST = 64  # bytes of a faulty call: the head of a message
# plain moves single words. With --sync counter the threads of prk_p2p send chunks of 40 bytes.
LEAST_OF = {"plain": 0, "prk_p2p.threads": 32}
LEAST_OWN = 16  # in the strategies of remap3d, which have no heads: an element. Flags have 8 bytes
HALO = ("barrier", "quiet+sync", "fence+flag", "signal", "pscw", "counter", "get-pull", "coll")
PES, SECONDS = 2, 120
PLACES = 4

# Small sizes, in which each PE sends more than once to the same place. A point separates an app from another use of it.
SIZES = {
    "heat_image": "33 17 30",
    "daxpy": "101 --steps 20 --scaling strong",
    "hpccg": "16 16 16 --steps 34 --scaling strong",
    "hpccg.early": "20 17 31 --steps 12 --scaling strong",
    "minife": "8",
    "minife.early": "21 --steps 7",
    "minimd": "6 --steps 40",
    "minimd.eam": "6 --potential eam --steps 22",
    "remap3d": "9 10 11 --steps 3",
    "gups": "13 --steps 2",
    "isx": "3001 --steps 5",
    "prk_stencil": "21 --steps 5",
    "prk_p2p": "20 7 --steps 1",
    "prk_p2p.threads": "20 7 --steps 1 --threads 2",
    "prk_transpose": "21 --steps 5",
    "bale_histogram": "100 20000",
    "bale_histogram.threads": "100 20000 --threads 2",
    "bale_gather": "100 10000 --steps 2",
    "bale_gather.threads": "100 10000 --steps 2 --threads 2",
    "bale_permute": "1501 5 --steps 2",
    "bale_transpose": "3000 5 --steps 2",
    "bale_toposort": "61 2",
    "bale_toposort.threads": "61 2 --threads 2",
    "bale_triangles": "60 5",
}

NOTICED, CHANGED_NOTHING, NOT_REACHED, NOT_BUILT = "noticed", "changed no data", "not reached", "not built"
FINE = (NOTICED, CHANGED_NOTHING, NOT_REACHED, NOT_BUILT)
WAYS = {
    "the app says WRONG": (1, re.compile(r"^result   WRONG$", re.M)),
    "the app names the message": (4, re.compile(r"^(halo|minimd): PE \d", re.M)),
    "the library ends the job": (1, re.compile(r"ended the job with status 1\b")),
}
HEADER = ("app", "synchronisation", "fault", "place", "result")
COLUMNS = "{:<16} {:<16} {:<16} {:>14}  {}"


@dataclass(frozen=True)
class Plan:
    """The faults to plant. Empty tuples stand for all."""

    names: tuple[str, ...] = ()
    syncs: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    places: int = PLACES  # calls of each sort, from the first to the last; 1: one in the middle
    args: str = ""  # instead of the small size


@dataclass(frozen=True)
class Subject:
    """An app that is built for a library."""

    name: str
    library: Library
    program: Path
    preload: Path
    args: tuple[str, ...]

    def run(self, sync: str, fault: str) -> tuple[str, str]:
        """How the job ended, and its output. Without `fault` the library is as it is."""
        front = [f"LD_PRELOAD={self.preload}", f"FAULT={fault}"] if fault else []
        command = self.library.command(PES, "env", [*front, str(self.program), *self.args, "--sync", sync])
        ending, said = run_bounded(command, self.library.env | {"OSHEN_DEADLOCK": "1"}, SECONDS)
        if ending == "interrupted":
            raise KeyboardInterrupt
        return ending, said


@dataclass
class Table:
    """Prints a row for each fault, and counts the results."""

    results: Counter[str] = field(default_factory=Counter)

    def row(self, name: str, sync: str, kind: str, place: str, result: str) -> None:
        print(COLUMNS.format(name, sync, kind, place, result).rstrip(), flush=True)

    def add(self, name: str, sync: str, kind: str, place: str, result: str) -> None:
        self.results[result.partition(":")[0]] += 1
        self.row(name, sync, kind, place, result)

    @property
    def right(self) -> bool:
        return self.results[NOTICED] > 0 and all(result in FINE for result in self.results)


def verify(bench: Path, work: Path, library: Library, plan: Plan) -> bool:
    """Whether every fault in each app and each synchronisation is noticed, and at least one is."""
    table, folder = Table(), work / library.name
    print(f"{library.name}\n" + COLUMNS.format(*HEADER))
    try:
        preload = build_shared(library, bench / "programs/faults/shmem.c", folder / "faults.so")
    except BuildError as error:
        print(f"{library.name}: the library with faults does not compile: {first_error(str(error))}\n")
        return False
    for name in plan.names or tuple(SIZES):
        _verify_app(bench, work, Subject(name, library, folder, preload, tuple(shlex.split(plan.args or SIZES[name]))),
                    plan, table)
    told = ", ".join(f"{count} {result}" for result, count in table.results.items())
    print(f"{library.name}, {table.results.total()} faults: {told or 'none'}\n")
    return table.right


def _verify_app(bench: Path, work: Path, subject: Subject, plan: Plan, table: Table) -> None:
    program, problem = apps.build(bench, work, subject.library, subject.name.partition(".")[0])
    if program is None:  # another library may lack routines; ours must have them all
        return table.add(subject.name, "", "", "", f"{'FAILED' if subject.library.is_ours else NOT_BUILT}: {problem}")
    subject = Subject(subject.name, subject.library, program, subject.preload, subject.args)
    ending, said = subject.run("all", "")
    syncs = [match["sync"] for match in filter(None, map(apps.LINE.match, said.splitlines()))]
    if not _passed(ending, said) or not syncs:
        return table.add(subject.name, "all", "no fault", "", f"FAILED: {_ending_and_last_line(ending, said)}")
    for sync in syncs:
        if not plan.syncs or sync in plan.syncs:
            _verify_sync(subject, sync, plan, table)
    return None


def _verify_sync(subject: Subject, sync: str, plan: Plan, table: Table) -> None:
    """A synchronisation in which no fault was noticed counts as not noticed: nothing shows that it is checked."""
    usual = LEAST if sync in HALO else LEAST_OF.get(sync, LEAST_OWN)
    least = LEAST_OF.get(subject.name, usual)
    ending, said = subject.run(sync, f"count:0:{least}")
    if not _passed(ending, said):
        return table.add(subject.name, sync, "no fault", "", f"FAILED: {_ending_and_last_line(ending, said)}")
    calls = {sort: int(count) for sort, count in re.findall(r"^calls (\w+) (\d+)$", said, re.M)}
    before, planted = table.results[NOTICED], 0
    for kind, place, all_places in _places(calls, sync, plan):
        result = outcome(*subject.run(sync, f"{kind}:{place}:{least}"))
        table.add(subject.name, sync, kind, f"{place} of {all_places}", result)
        planted += 1
    if not plan.kinds and table.results[NOTICED] == before:
        table.add(subject.name, sync, "every kind", "", f"NOT NOTICED: none of {planted} faults changed the result")
    return None


def _places(calls: dict[str, int], sync: str, plan: Plan) -> Iterator[tuple[str, int, int]]:
    """Kind, number of the faulty call, and number of all calls, for each fault."""
    for sort, kinds in KINDS.items():
        for kind in kinds:
            if sync not in ONLY_IN.get(kind, (sync,)) or (plan.kinds and kind not in plan.kinds):
                continue
            for place in spread(calls.get(sort, 0), plan.places):
                yield kind, place, calls[sort]


def spread(calls: int, places: int) -> list[int]:
    """Numbers of calls, evenly from the first to the last. One place is at two thirds, because an app runs twice."""
    if places == 1 or calls < 2:
        return [1 + 2 * (calls - 1) // 3] if calls else []
    return sorted({1 + round(i * (calls - 1) / (places - 1)) for i in range(places)})


def outcome(ending: str, said: str) -> str:
    """The result of a run with a fault."""
    happened = set(re.findall(r"^fault: changed (data|nothing)$", said, re.M))
    if _passed(ending, said):
        return "NOT NOTICED: the result is right" if "data" in happened else CHANGED_NOTHING if happened \
            else NOT_REACHED
    for way, (status, words) in WAYS.items():
        if ending == f"exit {status}" and words.search(said):
            return f"{NOTICED}: {way}" if happened else f"FAILED: {way}, and there was no fault"
    return f"NOT NOTICED: {_ending_and_last_line(ending, said)}"


def _passed(ending: str, said: str) -> bool:
    verdict = re.search(r"^result   (\w+)$", said, re.M)
    return (ending, verdict and verdict[1]) in (("ok", "right"), (f"exit {apps.UNCHECKED}", "unchecked"))


def _ending_and_last_line(ending: str, said: str) -> str:
    lines = said.strip().splitlines()
    return f"{ending}; {' '.join(lines[-1].split())[:100] if lines else 'no output'}"


def checked(plan: Plan) -> Plan:
    """The plan, if it names what there is."""
    known = {kind for kinds in KINDS.values() for kind in kinds}
    for option, given, there in (("--apps", plan.names, SIZES.keys()), ("--faults", plan.kinds, known)):
        if lacking := [name for name in given if name not in there]:
            raise Refused(f"{option} {' '.join(lacking)}: one of these is expected: {', '.join(sorted(there))}")
    if plan.places < 1:
        raise Refused(f"--places {plan.places}: at least 1 is expected")
    if plan.args and len(plan.names) != 1:
        raise Refused("--args: name the app that they are for, for example oshbench verify --apps hpccg --args '20 17 "
                      "31'")
    return plan
