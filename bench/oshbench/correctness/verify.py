"""Proves that the benchmarks notice a library that does not do its work. For each fault that the programs declare, a
shared object with the broken routine is loaded before the library. The cases that use the routine must then fail;
without it they
must pass."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from ..cases import declarations
from ..cases.declarations import Fault
from ..common.compiler import BuildError
from ..libraries.build import Programs, build_library, build_preload
from ..libraries.launch import Effort, list_cases, run_cases
from ..libraries.library import Library
from ..libraries.probe import defines, probe
from ..measure import own_cases
from ..measure.own_cases import OwnCases


LIMIT = 180  # seconds of one launch; on a loaded machine all cases took 56


@dataclass(frozen=True)
class Subject:
    """A library with its cases. A `peer` may lack routines and cases; ours must have them all."""

    library: Library
    built: Programs
    there: tuple[str, ...]
    peer: bool


def verify(bench: Path, work: Path, library: Library, peer: bool, own: OwnCases) -> bool:
    """Whether every fault is noticed, and no case fails without one; with cases of a user's own, those alone."""
    built = build_library(bench, work, library, defines(library, probe(library, work)), own)
    there = tuple(name for program in filter(None, (built.cases, built.threads)) for name, _,
                  _ in list_cases(library, program))
    subject = Subject(library, built, there, peer)
    faults = own_cases.faults(own, library.kind) if own.files else declared(library, "cases")
    print(f"{library.name}, {len(faults)} faults")
    every = sorted({case for fault in faults for case in _cases(subject, fault)} | (set(there) if own.files else set()))
    right = _all_right(subject, [case for case in every if not _threaded(case)], "no fault")
    right &= _all_right(subject, [case for case in every if _threaded(case)], "no fault, threads")
    for fault in faults:
        right &= _notices(subject, fault, work / library.name)
    return right


def declared(library: Library, program: str) -> list[Fault]:
    return [fault for fault in declarations.faults() if fault.kind == library.kind and fault.program == program]


def _threaded(case: str) -> bool:
    return case.startswith("mt_")


def _cases(subject: Subject, fault: Fault) -> list[str]:
    """The matching cases. A pattern without a case stays for ours, and counts as not noticed."""
    found = []
    for pattern in fault.cases:
        matching = [name for name in subject.there if fnmatchcase(name, pattern)]
        found += matching or ([] if subject.peer else [pattern])
    return list(dict.fromkeys(found))


def _all_right(subject: Subject, cases: list[str], title: str) -> bool:
    return not cases or report(title, _outcome(subject, cases, None), [], cases)


def _notices(subject: Subject, fault: Fault, folder: Path) -> bool:
    cases = _cases(subject, fault)
    if not cases:
        print(f"--  {fault.name}: this library has none of these cases")
        return True
    try:
        preload = build_preload(folder, subject.library, fault.source)
    except BuildError:
        if not subject.peer:
            raise
        print(f"--  {fault.name}: this library has no such routine")
        return True
    outcome = _outcome(subject, cases, preload, fault.pes)
    return report(f"{fault.name}: {', '.join(fault.cases)}", outcome, cases, [])


def _outcome(subject: Subject, cases: list[str], preload: Path | None, pes: int = 2) -> dict[str, bool]:
    """For each case that ran, whether all its batches were right."""
    program = subject.built.threads if _threaded(cases[0]) else subject.built.cases
    front = ["env", f"LD_PRELOAD={preload}"] if preload else ["env"]
    command = subject.library.command(pes, front[0], [*front[1:], str(program)])
    effort = Effort(batches=2, batch_us=100, cases=",".join(cases), sizes=(8, 1024))
    run = run_cases(command, subject.library.env, sorted(os.sched_getaffinity(0))[:2], effort, LIMIT)
    right: dict[str, bool] = {}
    for record in run.records:
        right[record["case"]] = right.get(record["case"], True) and record["ok"]
    return right


def report(title: str, outcomes: dict[str, bool], must_fail: list[str], must_pass: list[str]) -> bool:
    """A case that did not run counts as not noticed."""
    unnoticed = [case for case in must_fail if outcomes.get(case, True)]
    broken = [case for case in must_pass if not outcomes.get(case, False)]
    problem = f"  NOT NOTICED by {', '.join(unnoticed)}" if unnoticed else ""
    problem += f"  FAILED: {', '.join(broken)}" if broken else ""
    print(f"{'BAD' if problem else 'ok '} {title}{problem}", flush=True)
    return not problem
