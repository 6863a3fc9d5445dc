"""A comparison: libraries side by side in one interleaved run. What compare.py and collectives.py share."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from oshbench import beside, launch, machine, render
from oshbench.build import BuildError, Programs, build_library, build_limits
from oshbench.launch import Effort
from oshbench.libraries import Library, find_ours, find_peers, parse_library
from oshbench.reach import LIMITS, Results
from oshbench.samples import Samples, Summary

BENCH = Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
RECORDS = ROOT / "docs" / "bench"
MOST_SPINNERS = 8


@dataclass(frozen=True)
class Plan:
    """What a comparison runs, from the command line."""

    rounds: int
    cpus: list[int]
    effort: Effort
    crowds: dict[int, Effort]  # more PEs than CPUs: what so many measure
    hello_pes: int  # 0: none
    timeout: float
    crowd_timeout: float = 40  # MPICH needs 30 ms for a barrier of 8 on 2 CPUs: what it has by then must do
    crowd_rounds: int = 2  # crowds (and 64 hellos) take longest: in the first rounds only


def arguments(description: str, cases: str, record: str) -> argparse.ArgumentParser:
    """Those of every comparison; `record` is the name of its files in docs/bench."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--only", action="append", default=[], help="a library by name; may be repeated")
    parser.add_argument("--ours", help="directory with our oshcc and oshrun (default: the newest build/*/bin)")
    parser.add_argument("--commit", help="what was measured as ours (default: git describe of this checkout)")
    parser.add_argument("--library", action="append", default=[], type=parse_library,
                        metavar="NAME=KIND:COMPILER:LAUNCHER", help="one more library; KIND is shmem or mpi")
    parser.add_argument("--cases", default=cases,
                        help="comma-separated shell patterns of cases, for example 'put*,get'")
    parser.add_argument("--cpus", default="0,1", help="the CPUs of the PEs (default 0,1)")
    parser.add_argument("--crowds", metavar="PES", default="8,32,128", type=_numbers,
                        help="more PEs than CPUs: how many (default 8,32,128; 0 for none)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench", help="where programs are built")
    parser.add_argument("--record", action="store_true", help=f"write to docs/bench/{record}.{{json,md}}")
    parser.add_argument("--machine", metavar="NAME",
                        help="with --record: another machine than the page's own, set beside it")
    parser.add_argument("--busy", action="store_true", help="record although others use the machine")
    parser.add_argument("--render", type=Path, metavar="JSON", help="only write the Markdown of this file anew")
    return parser


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def cpus_of(args: argparse.Namespace) -> list[int]:
    return _numbers(args.cpus)


def crowds_of(args: argparse.Namespace, efforts: dict[int, Effort]) -> dict[int, Effort]:
    """Of `efforts`, by the least number of PEs that they are for, that of each crowd which the command line asks for."""
    return {pes: efforts[max(least for least in efforts if least <= pes)] for pes in args.crowds if pes >= min(efforts)}


@dataclass(frozen=True)
class Report:
    """How one comparison is shown."""

    command: str
    target: Path  # the JSON file; its page lies beside it
    tables: Callable[[dict], list]  # of what was saved
    document: Callable[[dict], str]


def compare(args: argparse.Namespace, plan: Plan, report: Report) -> int:
    """Measures, prints, writes; or writes a page anew. An exit status."""
    if args.render:
        write_page(args.render, report)
        return 0
    if args.record and not args.busy and (why := machine.busy()):
        print(f"--record: {why}; record on a quiet machine, or give --busy and the page says so", file=sys.stderr)
        return 2
    try:
        limits = build_limits(BENCH, args.work)
        programs = [build_library(BENCH, args.work, library) for library in choose_libraries(args)]
    except BuildError as error:
        print(error, file=sys.stderr)
        return 2
    watch = machine.Watch()
    saved = measure(plan, limits, programs)
    saved |= {"busy": bool(args.record and args.busy) or disturbed(watch)}
    saved |= {"command": report.command, "ours": args.commit or machine.commit(ROOT)}
    report.target.write_text(json.dumps(saved, indent=1) + "\n")  # first of all: it took long
    render.print_tables(report.tables(saved))
    written = write_page(report.target, report)
    print(f"\nwritten: {os.path.relpath(report.target)} and {written.name}")
    results = results_of(saved)
    return 0 if all(s.ok for name in results for s in results[name].values()) else 1


def disturbed(watch: machine.Watch) -> bool:
    """Says so, if others used the machine during a run."""
    why = watch.disturbed()
    if why:
        print(f"{why}: what is written says that the machine was busy", file=sys.stderr)
    return bool(why)


def record_path(args: argparse.Namespace, stem: str) -> Path:
    return RECORDS / beside.record_name(stem, args.machine)


def write_page(record: Path, report: Report) -> Path:
    """The page to which a record belongs, with what other machines have recorded. Returns its path."""
    own = beside.own_record(record)
    saved = json.loads((own if own.exists() else record).read_text())
    rows = beside.tables([(each, results_of(each)) for each in [saved, *beside.others(own)]])
    more = "\n" + render.markdown(rows) if rows else ""
    target = own.with_suffix(".md")
    target.write_text(report.document(saved) + more)
    if own.parent == RECORDS:
        from . import others_page  # which reads records as this module does
        others_page.write(RECORDS)
    return target


def page(saved: dict, title: str, about: str, goals: str, tables: list) -> str:
    """A Markdown page: where and how it was measured, then the tables."""
    facts = "\n".join(f"| {key} | {value} |" for key, value in saved["machine"].items())
    libraries = "\n".join(
        f"| {name} | {note.get('version', '')} | {'; '.join(sorted(set(note.get('endings', [])))) or 'ok'} |"
        for name, note in saved["libraries"].items()
    )
    warning = "**The machine was busy with other work.**\n\n" if saved.get("busy") else ""
    crowds = any(entry["pes"] > 2 and entry["library"].startswith(render.SPINNERS) for entry in saved.get("results", []))
    mark = f"{render.SPINNING}\n\n" if crowds else ""
    return (
        f"# {title}\n\nMeasured on: {machine.name(saved['machine'])}.\n\n{about}\n\n{warning}    {saved['command']}\n\n"
        f"{goals}; {saved['rounds']} interleaved launches of every library; our commit "
        f"{saved['ours']}; load average before and after: {saved['load'][0]}, {saved['load'][1]}.\n\n"
        f"| machine | |\n|---|---|\n{facts}\n\n"
        f"| library | version | how its launches ended |\n|---|---|---|\n{libraries}\n\n{mark}" + render.markdown(tables)
    )


def choose_libraries(args: argparse.Namespace) -> list[Library]:
    ours = find_ours(ROOT, args.ours)
    found = ([ours] if ours else []) + find_peers() + args.library
    chosen = [library for library in found if not args.only or library.name in args.only]
    if ours is None:
        print("no build of ours with oshcc and oshrun: peers only", file=sys.stderr)
    print("libraries: " + ", ".join(library.name for library in chosen))
    return chosen


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
    """More PEs than CPUs. Who spins while it waits is left out where every wait would be a time slice of many."""
    name = program.library.name
    for pes, effort in plan.crowds.items():
        if pes <= MOST_SPINNERS or not name.startswith(render.SPINNERS):
            measure_launch(program, pes, plan.cpus, effort, plan.crowd_timeout, samples, notes)
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
    hangs = note.setdefault("hangs", {})  # by PEs; the cases of an earlier round
    without = set(hangs.get(str(pes), []))
    run = launch.run_cases(command, env, cpus, effort, timeout, without)
    if without:
        hangs[str(pes)] = sorted(without)
    if run.ending == "interrupted":
        raise KeyboardInterrupt
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
