"""What the tests with LAMMPS share: their cases, and runs of stock LAMMPS under oshen-lammps with their results."""
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import lammps_inputs
from patience import stretched

LIMIT = 170  # seconds for one run of LAMMPS
CASES = {}  # of the test that imports this module, by name


def case(function):
    """Marks a case of a test."""
    CASES[function.__name__] = function
    return function


def expect(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


class Lammps:
    """Runs of one LAMMPS program in one folder."""

    def __init__(self, options):
        self.options = options
        self.data = options.bench / "data.rhodo"
        self.input = (options.bench / "in.rhodo").read_text()
        self.runs = 0
        Path("water.data").write_text(lammps_inputs.water_data())
        Path("salt.map").write_text(lammps_inputs.lattice_map())

    def edit(self, steps=5, kspace=None, extra="", style=None):
        """The rhodopsin input, shortened, with thermo output of every step."""
        text = self.input.replace("data.rhodo", str(self.data))
        text = re.sub(r"^thermo\s.*", "thermo 1", text, flags=re.M)
        if style:
            text = re.sub(r"^kspace_style.*", f"kspace_style {style}", text, flags=re.M)
        if kspace:
            text = re.sub(r"^(kspace_style.*)", rf"\1\nkspace_modify {kspace}", text, flags=re.M)
        return re.sub(r"^run\s.*", f"{extra}\nrun {steps}", text, flags=re.M)

    def run(self, ranks, text, mode="on", arguments=(), environment=None, succeeds=True):
        """One run: its output and error text, thermo lines, and report."""
        self.runs += 1
        name = f"run{self.runs}"
        Path(f"{name}.in").write_text(text)
        command = [sys.executable, str(self.options.oshen_lammps), "-n", str(ranks), "--mode", mode,
                   "--report", f"{name}.json", "--lmp", str(self.options.lmp), "-in", f"{name}.in",
                   "-log", f"{name}.log", *arguments]
        return self.start(command, name, environment, succeeds)

    def start(self, command, name, environment=None, succeeds=True):
        started = time.monotonic()
        done = subprocess.run(command, env=self.environment() | (environment or {}), capture_output=True, text=True, timeout=stretched(LIMIT))
        print(f"{name}: {time.monotonic() - started:.1f} s, status {done.returncode}")
        if (done.returncode == 0) != succeeds:
            print(done.stdout[-3000:], done.stderr[-3000:])
            expect(False, f"{name} ended with status {done.returncode}")
        report = Path(f"{name}.json")
        return Run(done, thermo(Path(f"{name}.log")), json.loads(report.read_text()) if report.exists() else None)

    def environment(self):
        """Ranks that wait leave their CPU to others."""
        return os.environ | {"OMP_NUM_THREADS": "1", "OSHEN_EXCHANGE_CHOICES": "none", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                             "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                             "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"}

    def inputs(self):
        """The small inputs whose style this build has, by name."""
        command = [sys.executable, str(self.options.oshen_lammps), "--mode", "off", "--lmp", str(self.options.lmp)]
        words = set(self.start([*command, "--", "-h"], "help").output.split())
        return {name: text for name, (style, text) in lammps_inputs.CASES.items() if style in words}


class Run:
    def __init__(self, done, lines, report):
        self.output = done.stdout
        self.errors = done.stderr
        self.thermo = lines
        self.report = report

    def total(self, field):
        return sum(rank[field] for rank in self.report["ranks"])

    def most(self, field):
        return max(rank[field] for rank in self.report["ranks"])


def thermo(log):
    """The numbers that LAMMPS prints for each step, without the times."""
    if not log.exists():
        return []
    lines = []
    for line in log.read_text().splitlines():
        if line.startswith("------------ Step"):
            lines.append(line.split("CPU")[0])
        elif re.match(r"(TotEng|PotEng|E_dihed|E_coul|Volume)\s+=", line):
            lines.append(line)
    return lines


def checked(lammps, ranks, text, mode="check", **more):
    """Runs in a mode with check; every remap must have been compared."""
    run = lammps.run(ranks, text, mode, **more)
    expect(run.most("carried") > 0 and run.total("checked") == run.total("carried"), f"not all compared: {run.errors}")
    expect(run.total("transforms") == run.total("transforms_checked"), f"not all FFTs compared: {run.errors}")
    expect(run.total("forwarded") == 0, "some remaps were left to MPI")
    expect("all equal bit for bit" in run.errors, f"no such banner: {run.errors}")
    return run
