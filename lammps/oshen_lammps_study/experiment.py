"""The experiments: points, each with all variants. A round measures all points, and all variants of a point back to
back."""
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from .inputs import Case, copies_for
from .run import Failure

TOLERANCE = 1e-6  # relative, of thermodynamic output, for variants that compute FFTs themselves


@dataclass(frozen=True)
class Experiment:
    name: str
    about: str
    cases: tuple  # of (ranks, Case)


def duration(steps):
    return f"{steps} step{'s' if steps != 1 else ''}"


def strong(ranks, steps, mesh, name):
    mesh_text = f"mesh {' x '.join(map(str, mesh))}" if mesh else "LAMMPS' own mesh"
    return Experiment(f"Strong scaling, {name}", f"32 000 atoms, {mesh_text}, {duration(steps)}",
                      tuple((n, Case(steps, mesh)) for n in ranks))


def weak(ranks, steps, mesh, name):
    mesh_text = f"mesh {' x '.join(map(str, mesh))} per rank" if mesh else "LAMMPS' own mesh"
    return Experiment(f"Weak scaling, {name}", f"32 000 atoms per rank, {mesh_text}, {duration(steps)}",
                      tuple((n, Case(steps, mesh, copies_for(n))) for n in ranks))


def distance(numbers, reference):
    """The largest relative difference of two thermodynamic outputs."""
    if len(numbers) != len(reference) or not numbers:
        return float("inf")
    return max(abs(a - b) / max(abs(a), abs(b), 1e-30) for a, b in zip(numbers, reference))


class Study:
    """All experiments with one LAMMPS. `say` is called with a line for each point of a round."""

    def __init__(self, runner, bench, variants, experiments, say):
        self.runner = runner
        self.bench = bench
        self.variants = variants
        self.say = say
        self.results = [{"name": e.name, "about": e.about, "points": [self.point(n, c) for n, c in e.cases]}
                        for e in experiments]
        self.cases = [[c for _, c in e.cases] for e in experiments]

    def point(self, ranks, case):
        ways = {w.name: {"mpi": w.is_mpi, "exact": w.exact, "samples": [], "strategies": "", "error": 0.0}
                for w in self.variants}
        return {"ranks": ranks, "atoms": case.atoms, "ways": ways, "thermo": None}

    def measure(self, rounds, minutes, least=1):
        """Measures up to `rounds` rounds, at least `least`, as long as there is time for another."""
        began, longest, done = time.monotonic(), 0.0, 0
        while done < rounds:
            start = time.monotonic()
            if done >= least and start - began + longest > minutes * 60:
                break
            for result, cases in zip(self.results, self.cases):
                for point, case in zip(result["points"], cases):
                    self.visit(result["name"], point, case, done)
            done += 1
            longest = max(longest, time.monotonic() - start)
        return done

    def visit(self, name, point, case, number):
        """Measures all variants of a point once. Each round starts with another variant."""
        at = number % len(self.variants)
        for variant in self.variants[at:] + self.variants[:at]:
            numbers, times, strategies = self.runner.sample(point["ranks"], variant.mode,
                                                            case.text(self.bench, variant.modify))
            entry = point["ways"][variant.name]
            entry["samples"].append(times)
            entry["strategies"] = strategies
            point["thermo"] = point["thermo"] or numbers
            entry["error"] = max(entry["error"], distance(numbers, point["thermo"]))
            if entry["error"] > (0 if variant.exact else TOLERANCE):
                raise Failure(f"{name}, {point['ranks']} ranks, {variant.name}: thermodynamic output differs by "
                              f"{entry['error']:.1e} from that of the first run")
        last = {w.name: point["ways"][w.name]["samples"][-1]["loop"] for w in self.variants}
        self.say(f"round {number + 1}, {name.lower()}, {point['ranks']} ranks: loop "
                 + ", ".join(f"{name} {t:.2f} s" for name, t in last.items()))


def machine():
    cpu = re.search(r"^model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(), re.M)
    return {"cpu": cpu[1] if cpu else "unknown", "cpus": len(os.sched_getaffinity(0)),
            "load": round(os.getloadavg()[0], 1), "date": time.strftime("%Y-%m-%d")}
