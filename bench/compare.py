#!/usr/bin/env python3
"""Measures our library, the OpenSHMEM of Open MPI and the MPIs of this machine side by side, in one interleaved run."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from harness import launch, machine, render
from harness.build import BuildError, Programs, build_library, build_limits
from harness.launch import Effort
from harness.libraries import Library, find_ours, find_peers, parse_library
from harness.reach import LIMITS, OURS, Results, verdict, ROWS
from harness.samples import Samples, Summary

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
OVERSUBSCRIBED_CASES = "barrier_all,sync_all,p_wait,p_wait_pairs,sum"


@dataclass(frozen=True)
class Plan:
    """What a comparison runs, from the command line."""

    rounds: int
    cpus: list[int]
    effort: Effort
    oversubscribed: Effort | None  # 8 PEs on these CPUs
    hello_pes: int  # 0: none
    timeout: float
    crowd_timeout: float = 40  # MPICH needs 30 ms for a barrier of 8 on 2 CPUs: what it has by then must do
    crowd_rounds: int = 2  # crowds (8 PEs on two CPUs, 64 hellos) take longest: in the first rounds only


def main() -> int:
    args = parse_arguments()
    if args.render:
        saved = json.loads(args.render.read_text())
        args.render.with_suffix(".md").write_text(document(saved))
        return 0
    libraries = choose_libraries(args)
    plan = make_plan(args)
    try:
        limits = build_limits(BENCH, args.work)
        programs = [build_library(BENCH, args.work, library) for library in libraries]
    except BuildError as error:
        print(error, file=sys.stderr)
        return 2
    saved = measure(plan, limits, programs)
    saved |= {
        "command": " ".join(["python3", "bench/compare.py", *arguments_to_show()]),
        "ours": args.commit or machine.commit(ROOT),
    }
    results = results_of(saved)
    render.print_tables(render.tables(results, saved["memory"]))
    target = (
        BENCH.parent / "docs" / "bench" / "one-node.json"
        if args.record
        else args.work / "last.json"
    )
    target.write_text(json.dumps(saved, indent=1) + "\n")
    target.with_suffix(".md").write_text(document(saved))
    print(f"\nwritten: {os.path.relpath(target)} and {target.with_suffix('.md').name}")
    return 0 if all(s.ok for name in results for s in results[name].values()) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="three rounds, one size per case (about a minute)"
    )
    parser.add_argument(
        "--rounds", type=int, help="launches of every library (3 with --quick, else 7)"
    )
    parser.add_argument(
        "--only", action="append", default=[], help="a library by name; may be repeated"
    )
    parser.add_argument(
        "--ours", help="directory with our oshcc and oshrun (default: the newest build/*/bin)"
    )
    parser.add_argument(
        "--commit", help="what was measured as ours (default: git describe of this checkout)"
    )
    parser.add_argument(
        "--library",
        action="append",
        default=[],
        type=parse_library,
        metavar="NAME=KIND:COMPILER:LAUNCHER",
        help="one more library; KIND is shmem or mpi",
    )
    parser.add_argument(
        "--cases",
        default="*",
        help="comma-separated shell patterns of cases, for example 'put*,get'",
    )
    parser.add_argument("--cpus", default="0,1", help="the CPUs of the PEs (default 0,1)")
    parser.add_argument(
        "--hello", type=int, default=64, help="PEs of hello world, 0 for none (default 64)"
    )
    parser.add_argument(
        "--no-oversubscribed", action="store_true", help="leave out 8 PEs on two CPUs"
    )
    parser.add_argument("--timeout", type=float, default=180, help="seconds for one launch")
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build" / "bench", help="where programs are built"
    )
    parser.add_argument(
        "--record", action="store_true", help="write to docs/bench/one-node.{json,md}"
    )
    parser.add_argument(
        "--render", type=Path, metavar="JSON", help="only write the Markdown of this file anew"
    )
    return parser.parse_args()


def arguments_to_show() -> list[str]:
    """The command line for the document, without places that mean nothing elsewhere."""
    shown, skip = [], False
    for argument in sys.argv[1:]:
        if not skip and argument not in ("--ours", "--work", "--commit"):
            shown.append(argument)
        skip = argument in ("--ours", "--work", "--commit")
    return shown


def choose_libraries(args: argparse.Namespace) -> list[Library]:
    ours = find_ours(ROOT, args.ours)
    found = ([ours] if ours else []) + find_peers() + args.library
    chosen = [library for library in found if not args.only or library.name in args.only]
    if ours is None:
        print("no build of ours with oshcc and oshrun: peers only", file=sys.stderr)
    print("libraries: " + ", ".join(library.name for library in chosen))
    return chosen


def make_plan(args: argparse.Namespace) -> Plan:
    return Plan(
        rounds=args.rounds or (3 if args.quick else 7),
        cpus=[int(cpu) for cpu in args.cpus.split(",")],
        effort=Effort(cases=args.cases, quick=args.quick),
        oversubscribed=(
            None if args.no_oversubscribed else Effort(5, 5000, OVERSUBSCRIBED_CASES, True)
        ),
        hello_pes=args.hello,
        timeout=args.timeout,
    )


def measure(plan: Plan, limits: Path, programs: list[Programs]) -> dict:
    """Round after round, every other one backwards, so that no library always follows the same one."""
    samples, hellos, notes = Samples(), {p.library.name: [] for p in programs}, {}
    load_before = machine.load()
    for number in range(plan.rounds):
        order = programs if number % 2 == 0 else programs[::-1]
        print(f"round {number + 1}/{plan.rounds}, load {machine.load()}:", end="", flush=True)
        run = launch.run_cases([str(limits)], {}, plan.cpus, plan.effort, plan.timeout)
        samples.add(LIMITS, run.records)
        for program in order:
            measure_library(plan, program, samples, notes)
            if number < plan.crowd_rounds:
                measure_crowds(plan, program, samples, hellos, notes)
        print()
    for name, found in hellos.items():
        if found:
            samples.add(name, [hello_record(plan.hello_pes, hello.seconds) for hello in found])
    return {
        "machine": machine.facts(),
        "rounds": plan.rounds,
        "load": [load_before, machine.load()],
        "libraries": {p.library.name: notes.get(p.library.name, {}) for p in programs},
        "memory": memory_of(hellos, plan.hello_pes),
        "results": [
            {"library": name, "case": key[0], "size": key[1], "pes": key[2]} | summary.to_dict()
            for name, cases in samples.summaries().items()
            for key, summary in cases.items()
        ],
    }


def measure_library(plan: Plan, program: Programs, samples: Samples, notes: dict) -> None:
    print(f" {program.library.name}", end="", flush=True)
    measure_launch(program, 2, plan.cpus, plan.effort, plan.timeout, samples, notes)


def measure_crowds(
    plan: Plan, program: Programs, samples: Samples, hellos: dict, notes: dict
) -> None:
    """More PEs than CPUs."""
    name = program.library.name
    if plan.oversubscribed:
        measure_launch(
            program, 8, plan.cpus, plan.oversubscribed, plan.crowd_timeout, samples, notes
        )
    if plan.hello_pes:
        hello = launch.run_hello(program, plan.hello_pes, plan.timeout)
        hellos[name].append(hello) if hello else notes[name]["endings"].append("hello failed")


def measure_launch(
    program: Programs,
    pes: int,
    cpus: list[int],
    effort: Effort,
    timeout: float,
    samples: Samples,
    notes: dict,
) -> None:
    name = program.library.name
    note = notes.setdefault(name, {"version": "", "endings": []})
    command, env = launch.library_command(program, pes)
    run = launch.run_cases(command, env, cpus, effort, timeout)
    samples.add(name, run.records)
    note["version"] = run.program or note["version"]
    if run.ending != "ok" or not run.complete:
        note["endings"].append(
            f"{pes} PEs: {run.ending}" + ("" if run.complete else ", incomplete")
        )
        print("!", end="", flush=True)


def hello_record(pes: int, seconds: float) -> dict:
    return {
        "case": "hello",
        "how": "exec to exit",
        "size": 0,
        "pes": pes,
        "ns": seconds * 1e9,
        "switches": 0,
        "ok": True,
    }


def memory_of(hellos: dict[str, list], pes: int) -> dict[str, dict]:
    return {
        name: {
            "high_water_kb": max(h.high_water_kb for h in found),
            "share_kb": round(median(h.share_kb for h in found), 1),
            "pes": pes,
        }
        for name, found in hellos.items()
        if found
    }


def results_of(saved: dict) -> Results:
    results: Results = {}
    for entry in saved["results"]:
        fields = {k: v for k, v in entry.items() if k not in ("library", "case", "size", "pes")}
        results.setdefault(entry["library"], {})[entry["case"], entry["size"], entry["pes"]] = (
            Summary(**fields)
        )
    return results


def document(saved: dict) -> str:
    """The Markdown page of a comparison."""
    results = results_of(saved)
    facts = "\n".join(f"| {key} | {value} |" for key, value in saved["machine"].items())
    libraries = "\n".join(
        f"| {name} | {note.get('version', '')} | {'; '.join(sorted(set(note.get('endings', [])))) or 'ok'} |"
        for name, note in saved["libraries"].items()
    )
    reached = sum(verdict(row, results) == "reached" for row in ROWS) if OURS in results else 0
    return (
        "# One node\n\n"
        "Generated by `bench/compare.py` from the JSON file beside this page; do not edit. "
        "How it is measured: [bench/README.md](../../bench/README.md).\n\n"
        f"    {saved['command']}\n\n"
        f"{reached} of {len(ROWS)} goals reached; {saved['rounds']} interleaved launches of every library; our commit "
        f"{saved['ours']}; load average before and after: {saved['load'][0]}, {saved['load'][1]}.\n\n"
        f"| machine | |\n|---|---|\n{facts}\n\n"
        f"| library | version | how its launches ended |\n|---|---|---|\n{libraries}\n\n"
        + render.markdown(render.tables(results, saved["memory"]))
    )


if __name__ == "__main__":
    sys.exit(main())
