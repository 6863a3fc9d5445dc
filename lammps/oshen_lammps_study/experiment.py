"""The experiments: points, each with all ways; rounds over all of them, each round with all ways back to back."""
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from .inputs import Case, copies_for
from .run import Failure

TOLERANCE = 1e-6  # of thermodynamic output, relative, for ways that do arithmetic of their own


@dataclass(frozen=True)
class Experiment:
    name: str
    about: str
    cases: tuple  # of (ranks, Case)


def strong(ranks, steps, mesh, name):
    what = f"mesh {' x '.join(map(str, mesh))}" if mesh else "LAMMPS' own mesh"
    return Experiment(f"Strong scaling, {name}", f"32 000 atoms, {what}, {steps} steps",
                      tuple((n, Case(steps, mesh)) for n in ranks))


def weak(ranks, steps, mesh, name):
    what = f"mesh {' x '.join(map(str, mesh))} per rank" if mesh else "LAMMPS' own mesh"
    return Experiment(f"Weak scaling, {name}", f"32 000 atoms per rank, {what}, {steps} steps",
                      tuple((n, Case(steps, mesh, copies_for(n))) for n in ranks))


def distance(numbers, reference):
    """The largest relative difference of two thermodynamic outputs."""
    if len(numbers) != len(reference) or not numbers:
        return float("inf")
    return max(abs(a - b) / max(abs(a), abs(b), 1e-30) for a, b in zip(numbers, reference))


class Study:
    """All experiments with one LAMMPS. `say` is called with a line for each point of a round."""

    def __init__(self, runner, bench, ways, experiments, say):
        self.runner = runner
        self.bench = bench
        self.ways = ways
        self.say = say
        self.results = [{"name": e.name, "about": e.about, "points": [self.point(n, c) for n, c in e.cases]}
                        for e in experiments]
        self.cases = [[c for _, c in e.cases] for e in experiments]

    def point(self, ranks, case):
        ways = {w.name: {"mpi": w.is_mpi, "exact": w.exact, "samples": [], "strategies": "", "error": 0.0} for w in self.ways}
        return {"ranks": ranks, "atoms": case.atoms, "ways": ways, "thermo": None}

    def measure(self, rounds, minutes):
        """Up to so many rounds while there is time for another, at least one."""
        began, longest, done = time.monotonic(), 0.0, 0
        while done < rounds:
            start = time.monotonic()
            if done > 0 and start - began + longest > minutes * 60:
                break
            for result, cases in zip(self.results, self.cases):
                for point, case in zip(result["points"], cases):
                    self.visit(result["name"], point, case, done)
            done += 1
            longest = max(longest, time.monotonic() - start)
        return done

    def visit(self, name, point, case, number):
        """All ways once, each round beginning with another."""
        at = number % len(self.ways)
        for way in self.ways[at:] + self.ways[:at]:
            numbers, times, strategies = self.runner.sample(point["ranks"], way.mode, case.text(self.bench, way.modify))
            entry = point["ways"][way.name]
            entry["samples"].append(times)
            entry["strategies"] = strategies
            point["thermo"] = point["thermo"] or numbers
            entry["error"] = max(entry["error"], distance(numbers, point["thermo"]))
            if entry["error"] > (0 if way.exact else TOLERANCE):
                raise Failure(f"{name}, {point['ranks']} ranks, {way.name}: thermodynamic output differs by "
                              f"{entry['error']:.1e} from that of the first run")
        last = {w.name: point["ways"][w.name]["samples"][-1]["loop"] for w in self.ways}
        self.say(f"round {number + 1}, {name.lower()}, {point['ranks']} ranks: loop "
                 + ", ".join(f"{way} {t:.2f} s" for way, t in last.items()))


def machine():
    cpu = re.search(r"^model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(), re.M)
    return {"cpu": cpu[1] if cpu else "unknown", "cpus": len(os.sched_getaffinity(0)),
            "load": round(os.getloadavg()[0], 1), "date": time.strftime("%Y-%m-%d")}
