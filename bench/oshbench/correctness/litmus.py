"""Litmus tests of the memory model with every OpenSHMEM library: which outcomes were seen, and whether the standard
forbids them. The tests and their expected outcomes are bench/programs/litmus/shapes.def; a program in plain OpenSHMEM
runs them."""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from oshen_tables import lines

from ..common.compiler import BuildError, first_error
from ..common.errors import Refused
from ..common.process import run_bounded
from ..libraries.build import build_litmus
from ..libraries.library import Library
from ..libraries.probe import defines, probe
from ..measure import select

SECONDS = 3600  # for a job; a test without progress ends sooner (launch.STUCK_AFTER)
VERDICTS = {"forbidden": "forbidden", "silent": "not specified", "allowed": "allowed"}
MOST_NAMED = 12


@dataclass(frozen=True)
class Test:
    """A line of shapes.def."""

    name: str
    objects: str
    steps: str
    outcome: str
    verdict: str
    race: str  # ordered, races, or sometimes: only in rounds that do not see the flag
    why: str


@dataclass
class Seen:
    """The outcomes of a test with a library. `endings` are crashes and hangs."""

    rounds: int = 0
    in_question: int = 0
    strange: int = 0  # rounds with a value that no step writes
    outcomes: Counter = field(default_factory=Counter)
    endings: list[str] = field(default_factory=list)
    left_out: str = ""


@dataclass
class Result:
    library: Library
    version: str
    seen: dict[str, Seen]
    unusable: str = ""

    def problems(self, tests: list[Test]) -> list[str]:
        return [text for test in tests if test.name in self.seen for text in _problems(test, self.seen[test.name])]


def arguments(commands) -> None:
    command = commands.add_parser("litmus",
                                  help="test the memory model: which outcomes does a library show that the standard "
                                       "forbids?")
    command.add_argument("--list", action="store_true",
                         help="print the tests with their expected outcomes; run nothing")
    command.add_argument("-n", "--pes", default="2,4", help="numbers of PEs (%(default)s)")
    command.add_argument("--rounds", type=int, default=1000, help="rounds of each test and number of PEs (%(default)s)")
    command.add_argument("--seed", type=int, default=1, help="of the delays between the PEs (%(default)s)")
    command.add_argument("--only", default="", metavar="PREFIX",
                         help="only tests whose names begin with PREFIX, for example MP")
    command.add_argument("--all", action="store_true", help="also print how often each outcome was seen")
    command.add_argument("-o", "--output", type=Path, help="also write all counts as JSON")
    command.set_defaults(act=act)


def read_tests(bench: Path) -> list[Test]:
    text = (bench / "programs/litmus/shapes.def").read_text()
    found = []
    for entry in re.findall(r"^LITMUS\((.*?)\)\n(?=\n|LITMUS|//|\Z)", text, re.S | re.M):
        quoted = re.findall(r'"([^"]*)"', entry)
        verdict, race = re.search(r"\b(forbidden|silent|allowed),\s*(ordered|races|sometimes),", entry).groups()
        found.append(Test(*quoted[:4], verdict, race, quoted[4]))
    return found


def act(args: argparse.Namespace) -> int:
    tests = [test for test in read_tests(args.bench) if test.name.startswith(args.only)]
    if not tests:
        raise Refused(f"litmus: --only {args.only}: no test begins with it; see oshbench litmus --list")
    if args.list:
        rows = [["test", "objects", "steps", "outcome", "verdict", "why"], *map(_row, tests)]
        print("\n".join(lines([row[:-1] for row in rows], [row[-1] for row in rows], left=5)))
        return 0
    if args.rounds < 1:
        raise Refused(f"--rounds {args.rounds}: at least 1 is expected")
    pes = select.numbers(args.pes, "--pes", 2)
    libraries = [library for library in select.chosen_libraries(args) if library.kind == "shmem"]
    if not libraries:
        raise Refused("litmus: no OpenSHMEM library is chosen; oshbench libs lists them")
    results = [_result(args, library, pes) for library in libraries]
    print(_text(tests, results, pes, args), end="")
    if args.output:
        args.output.write_text(json.dumps(_as_json(results, pes, args), indent=1) + "\n")
        print(f"written: {args.output}")
    return 1 if any(result.problems(tests) for result in results) else 2 if any(result.unusable
                                                                                for result in results) else 0


def _row(test: Test) -> list[str]:
    return [test.name, test.objects, test.steps, test.outcome, VERDICTS[test.verdict], test.why]


# ---- runs

def _result(args: argparse.Namespace, library: Library, pes: tuple[int, ...]) -> Result:
    notes = probe(library, args.work)
    if not notes["features"]:
        return Result(library, notes["version"], {}, notes["ending"])
    try:
        program = build_litmus(args.bench, args.work, library, defines(library, notes))
    except BuildError as error:
        return Result(library, notes["version"], {}, f"does not compile: {first_error(str(error))}")
    result = Result(library, notes["version"], {})
    for n in pes:
        _run_all(args, library, program, n, result.seen)
    return result


def _run_all(args: argparse.Namespace, library: Library, program: Path, pes: int, seen: dict[str, Seen]) -> None:
    """Runs the tests; after a crash or a hang again from the next test on."""
    first = 0
    with tempfile.TemporaryDirectory(prefix="oshbench-litmus-", dir=args.work) as folder:
        while True:
            out = Path(folder) / f"from-{first}"
            if sys.stderr.isatty():
                print(f"{library.name}: {pes} PEs\r", end="", file=sys.stderr, flush=True)
            words = [str(args.rounds), str(args.seed), "--out", str(out), "--from", str(first), "--only", args.only]
            ending, said = run_bounded(library.command(pes, program, words), library.env, SECONDS, out)
            if ending == "interrupted":
                raise KeyboardInterrupt
            reached = _read(out.read_text().splitlines() if out.exists() else [], pes, seen)
            if reached is None:
                return
            number, name = reached
            if not name:
                raise Refused(f"litmus: {library.name} with {pes} PEs: {ending}: {said.strip()[-300:]}")
            seen.setdefault(name, Seen()).endings.append(f"{ending} with {pes} PEs")
            first = number + 1


def _read(lines: list[str], pes: int, seen: dict[str, Seen]) -> tuple[int, str] | None:
    """Adds the counts of one job. Returns None if it ran all tests, else the number and the name of the last one."""
    number, name = 0, ""
    for line in lines:
        kind, *words = line.split("\t")
        if kind == "end":
            return None
        if kind == "at":
            number, name = int(words[0]), words[1]
            seen.setdefault(name, Seen())
        if kind == "left":
            seen[words[0]].left_out = f"{words[1]} than {pes}" if words[1].endswith("PEs") else words[1]
        if kind == "seen" and len(words) == 7:
            of_test = seen[words[0]]
            of_test.in_question += int(words[3])
            of_test.rounds += int(words[4])
            of_test.strange += int(words[5])
            for part in words[6].split(","):
                outcome, _, count = part.rpartition(":")
                of_test.outcomes[outcome] += int(count)
    return number, name


# ---- results

def _problems(test: Test, seen: Seen) -> list[str]:
    problems = [f"{test.name}: {ending}" for ending in seen.endings]
    if test.verdict == "forbidden" and seen.in_question:
        problems.append(f"{test.name}: '{test.outcome}' in {seen.in_question} of {seen.rounds} rounds, forbidden by "
                        f"{test.why}")
    if seen.strange:
        problems.append(f"{test.name}: a value that no PE wrote in {seen.strange} of {seen.rounds} rounds")
    return problems


def _cell(seen: Seen | None) -> str:
    if seen is None:
        return "-"
    if seen.endings:
        return seen.endings[0].partition(" with")[0]
    return f"{seen.in_question} of {seen.rounds}" if seen.rounds else "-"


def _text(tests: list[Test], results: list[Result], pes: tuple[int, ...], args: argparse.Namespace) -> str:
    usable = [result for result in results if not result.unusable]
    rows = [["test", "outcome", "verdict", *[result.library.name for result in usable]]]
    for test in tests:
        rows.append([test.name, test.outcome, VERDICTS[test.verdict], *[_cell(result.seen.get(test.name))
                                                                        for result in usable]])
        if args.all:
            rows += _all_outcomes(test, usable)
    out = [f"{' and '.join(map(str, pes))} PEs, {args.rounds} rounds of each test, seed {args.seed}", "",
           *lines(rows, keys=2, left=3), ""]
    for result in results:
        out += _summary(tests, result)
    return "\n".join(out) + "\n"


def _all_outcomes(test: Test, usable: list[Result]) -> list[list[str]]:
    every = sorted({outcome for result in usable if test.name in result.seen
                    for outcome in result.seen[test.name].outcomes})
    return [["", outcome, "", *[str(result.seen[test.name].outcomes[outcome]) if test.name in result.seen else "-"
                                for result in usable]]
            for outcome in every]


def _summary(tests: list[Test], result: Result) -> list[str]:
    name = f"{result.library.name} ({result.version})"
    if result.unusable:
        return [f"{result.library.name}: NOT USABLE: {result.unusable}"]
    problems = result.problems(tests)
    ran = [test for test in tests if result.seen.get(test.name, Seen()).rounds]
    weak = [test for test in ran if test.verdict != "forbidden"]
    shown = sum(bool(result.seen[test.name].in_question) for test in weak)
    told = [f"{name}: {len(problems)} {'failure' if len(problems) == 1 else 'failures'} in {len(ran)} tests; "
             f"outcomes that are not forbidden were seen in {shown} of {len(weak)}"]
    told += [f"  ! {problem}" for problem in problems[:MOST_NAMED]]
    if len(problems) > MOST_NAMED:
        told.append(f"  ! and {len(problems) - MOST_NAMED} more")
    left = Counter(seen.left_out for seen in result.seen.values() if not seen.rounds and seen.left_out)
    return told + [f"  {count} left out: {reason}" for reason, count in left.items()]


def _as_json(results: list[Result], pes: tuple[int, ...], args: argparse.Namespace) -> dict:
    return {"pes": list(pes), "rounds": args.rounds, "seed": args.seed,
            "libraries": {result.library.name: {"version": result.version, "unusable": result.unusable,
                                                "tests": {name: vars(seen) for name, seen in result.seen.items()}}
                          for result in results}}
