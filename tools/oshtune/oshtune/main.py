# SPDX-License-Identifier: BSD-3-Clause
"""The command line."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from . import decide, figure, points, progress, report, samples, sweep, tuning_file, verify
from .measurement import Measurement
from .tools import Across, Failed, Tools

DESCRIPTION = """Finds the fastest algorithms of the collectives on this machine. It measures them, writes a tuning file with the
fastest for each number of PEs and message size, measures again, and reports what was gained. A fresh file is used by every
program that is started with OSHEN_COLL_TUNING=FILE."""


USUAL_FACTOR = 5  # time of a measurement over that of its calls, because of barriers, initialisation and finalisation


def counts(text: str) -> list[int]:
    numbers = sorted({int(word) for word in text.split(",")})
    if not numbers or numbers[0] < 2:
        raise argparse.ArgumentTypeError("numbers of PEs, from 2 on, such as 2,8")
    return numbers


def nodes(text: str) -> Across:
    if not text.isdigit() or int(text) < 2:
        raise argparse.ArgumentTypeError("a number of nodes, from 2 on")
    return Across(int(text))


def parser(version: str = "") -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="oshtune", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"oshtune {version}", help="print the version")
    parser.add_argument("-n", "--np", type=counts, metavar="PES,PES...",
                        help="numbers of PEs to tune for; default: 2, one for each CPU, and four times as many")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE",
                        help="the tuning file; default: oshen-tuning.txt, with --quick that of this user and machine")
    parser.add_argument("--quick", action="store_true",
                        help="a few seconds for what differs most from machine to machine; kept for this user and "
                             "machine, and read by every program from then on")
    parser.add_argument("--brief", action="store_true", help="fewer sizes and rounds: less than a minute")
    parser.add_argument("--rounds", type=int, metavar="N", help="samples of each algorithm and size; default: 7")
    parser.add_argument("--collectives", type=lambda text: set(text.split(",")), default=set(), metavar="NAME,NAME...",
                        help="only these")
    parser.add_argument("--map", type=Path, metavar="FILE", help="draw the crossover map, as .svg or .html")
    parser.add_argument("--samples", type=Path, metavar="FILE", help="keep all samples, as JSON")
    parser.add_argument("--from", type=Path, dest="source", metavar="FILE",
                        help="decide and draw from kept samples; nothing is measured")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--hosts", type=Across.of_hosts, dest="across", metavar="HOST:PES,...",
                       help="measure over these hosts, as oshrun takes them; they see the folder of the output")
    where.add_argument("--nodes", type=nodes, dest="across", metavar="N",
                       help="measure over so many virtual nodes of this machine")
    parser.add_argument("-q", "--quiet", action="store_true", help="no lines about progress")
    return parser


def parse(arguments: list[str], version: str) -> argparse.Namespace:
    known = parser(version)
    options = known.parse_args(arguments)
    if options.quick and options.across:
        known.error("--quick is for what one machine's programs read; a network's tuning file has a name: -o FILE")
    return options


def default_counts(quick: bool, across: Across | None) -> list[int]:
    if across:
        slots = [int(host.partition(":")[2] or 1) for host in across.hosts.split(",")] if across.hosts else []
        return sorted({across.nodes, max(2 * across.nodes, sum(slots))})
    cpus = len(os.sched_getaffinity(0))
    return sorted({max(2, cpus), 4 * cpus} | (set() if quick else {2}))


def network_parameters(tools: Tools) -> dict[str, float]:
    """The parameters of the cost model for messages between nodes."""
    found = [tools.machine(tools.across.nodes) for _ in range(3)]
    least = {name: min(each[name] for each in found) for name in found[0]}
    return {"network-ns": least["hop-ns"], "network-message-ns": least["message-ns"],
            "network-byte-ns": least["copy-ns"]}


def cost_parameters(tools: Tools) -> dict[str, float]:
    """The parameters of the cost model: between two CPUs, and between two PEs that share a CPU."""
    if tools.across:
        return network_parameters(tools)
    cpus = os.sched_getaffinity(0)
    costs = {}
    if len(cpus) > 1:
        apart = [tools.machine(2) for _ in range(3)]
        costs["line-ns"] = min(each["hop-ns"] for each in apart)
        costs["copy-ns"] = min(each["copy-ns"] for each in apart)
    together = [tools.machine(2, {min(cpus)}) for _ in range(3)]
    costs["switch-ns"] = min(each["hop-ns"] for each in together)
    return costs


class Tuning:
    """One run of oshtune."""

    def __init__(self, options: argparse.Namespace, binaries: Path, source: Path):
        self.options, self.binaries, self.source = options, binaries, source
        self.rounds = options.rounds or (4 if options.quick or options.brief else 7)
        self.sizes = points.QUICK_SIZES if options.quick else points.BRIEF_SIZES if options.brief else points.SIZES
        self.collectives = options.collectives or (points.QUICK_COLLECTIVES if options.quick else set())
        self.output = options.output or (None if options.quick else Path("oshen-tuning.txt"))
        self.point_ms = 0.5 if options.quick else 2
        self.progress = progress.Progress(options.quiet, USUAL_FACTOR * self.point_ms / 1000)

    def teams(self, tools: Tools) -> list[points.Team]:
        wanted = self.options.np or default_counts(self.options.quick, tools.across)
        described = [(n, tools.info(n)) for n in wanted]
        count = tools.across.nodes if tools.across else 1
        return [points.Team(n, info["cpu_for_each"], info, count) for n, info in described]

    def check_names(self, tools: Tools) -> None:
        unknown = sorted(self.options.collectives - tools.collectives)
        if unknown:
            raise Failed(f"no such collective: {unknown[0]}; there are {', '.join(sorted(tools.collectives))}")

    def heading(self, made: Measurement) -> list[str]:
        return [f"Written by oshtune: {made.machine}.",
                f"Medians of {self.rounds} rounds; from the first PE's entry to the "
                "last PE's exit.", "collective, PEs, CPUs, up to, algorithm"]

    def write_file(self, found: list[points.Point], winners: tuning_file.Winners, costs: dict[str, float],
                   made: Measurement) -> None:
        wanted = found
        if self.options.quick:  # only changes need lines: otherwise the other files and the model decide
            new = {p.key for p in verify.changed(found, winners)}
            wanted = [p for p in found if p.key in new]
        text = tuning_file.text_of(wanted, winners, costs, self.heading(made), to_the_end=not self.options.quick)
        tuning_file.write(self.output, text)

    def place_for(self, team: points.Team) -> Path:
        """The path at which the library looks for this user's tuning file of this machine."""
        place = team.info["machine_file"]
        if place is None:
            raise Failed("no home directory to keep the file in; name one with -o FILE")
        return Path(place["path"])

    def wanted_points(self, teams: list[points.Team], collectives: set[str]) -> list[points.Point]:
        few = self.options.quick or self.options.brief
        most_bytes = points.BRIEF_MOST_BYTES if few else points.MOST_BYTES
        return [p for team in teams for p in points.points_of(team, self.sizes, collectives, self.collectives,
                                                              most_bytes)]

    def measure(self, tools: Tools) -> int:
        self.check_names(tools)
        made, teams = Measurement.now(self.rounds), self.teams(tools)
        self.output = self.output or self.place_for(teams[0])
        found = self.wanted_points(teams, tools.collectives)
        old = teams[0].info["tuning_file"]
        sweep.sweep(tools, found, self.rounds, self.progress)
        self.progress.say("measures the parameters of the cost model")
        costs = cost_parameters(tools)
        if self.options.samples:
            samples.save(self.options.samples, found, made, costs)
        winners = decide.decide(found)
        kept = Path(tools.work, "old.txt") if old else None
        if kept is not None:
            kept.write_text(Path(old).read_text())  # the new file may replace it
        self.write_file(found, winners, costs, made)
        gains = verify.compare(tools, found, winners, kept, self.output, self.rounds, self.progress)
        verify.take_back(gains, winners)
        self.write_file(found, winners, costs, made)
        tools.info(2, OSHEN_COLL_TUNING=str(self.output))  # the library can read it
        print(report.gains_text(gains, len(found)))
        self.finish(found, made)
        return 0

    def again(self) -> int:
        found, made, costs = samples.load(self.options.source)
        if self.output is None:
            raise Failed("--from decides anew from samples; --quick measures: give one of them")
        self.rounds = max(len(s) for p in found for s in p.samples.values())
        self.write_file(found, decide.decide(found), costs, made)
        self.finish(found, made)
        return 0

    def finish(self, found: list[points.Point], made: Measurement) -> None:
        print(report.crossover_text(found))
        print(f"tuning file: {self.output}")
        if self.options.map:
            figure.write_map(self.options.map, found, made)
            print(f"map: {self.options.map}")

    def run(self) -> int:
        if not self.options.source:
            self.progress.say("compiles what measures")
        if self.options.map:
            figure.load_style()  # fails now if Matplotlib is missing, not after minutes of measuring
        if self.options.source:
            return self.again()
        across = self.options.across
        shared = self.output.resolve().parent if across and across.hosts and self.output else None
        with tempfile.TemporaryDirectory(prefix="oshtune-", dir=shared) as work:
            return self.measure(Tools(self.binaries, self.source, Path(work), self.point_ms, across))


def main(arguments: list[str], binaries: Path, source: Path, version: str = "") -> int:
    try:
        return Tuning(parse(arguments, version), binaries, source).run()
    except Failed as error:
        print(f"oshtune: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
