#!/usr/bin/env python3
"""The accelerator with the ABI of MPI 5: a program that calls the functions of LAMMPS, built once, runs with each MPI
that has this ABI.
"""
import argparse
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import termios
from pathlib import Path

from lammps_runs import CASES, case, expect
from patience import stretched

LIMIT = 100  # seconds for one run


class Runs:
    """Runs of the program under oshen-lammps."""

    def __init__(self, options):
        self.options = options
        self.environment = os.environ | {"OSHEN_EXCHANGE_CHOICES": "none", "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"}
        if options.intel:
            self.environment |= {"LD_LIBRARY_PATH": str(options.intel / "lib")}

    def command(self, *words):
        return [sys.executable, str(self.options.oshen_lammps), "-n", "3", *words, "--lmp", str(self.options.program)]

    def run(self, *words):
        return subprocess.run([*self.command(*words), "transforms"], env=self.environment, capture_output=True, text=True,
                              timeout=stretched(LIMIT))


@case
def whole(runs):
    """Remaps and transforms are those of the program; oshen-lammps finds the accelerator and the launcher."""
    report = Path("report.json")
    done = runs.run("--mode", "fft,check", "--report", str(report))
    name = "Intel(R) MPI Library" if runs.options.intel else "MPICH Version"
    expect(done.returncode == 0 and f"all right with {name}" in done.stdout, f"{done.returncode}\n{done.stdout}{done.stderr}")
    for rank in json.loads(report.read_text())["ranks"]:
        expect(rank["carried"] == rank["checked"] == 216 and rank["forwarded"] == 0, rank)
        expect(rank["transforms"] == rank["transforms_checked"] == 18 and rank["transforms_refused"] == 0, rank)
        expect(0 < rank["transform_error"] < 1e-13, rank)
    shown = subprocess.run([*runs.command("--show")], env=runs.environment, capture_output=True, text=True, check=True).stdout
    expect("/liboshen-lammps-abi.so " in shown, shown)
    prefix = runs.options.intel or runs.options.program_mpi
    expect(shown.startswith(f"{prefix}/bin/mpiexec -n 3 env "), shown)


@case
def best(runs):
    """Mode best compares both for each kind of transform."""
    done = runs.run("--mode", "best")
    expect(done.returncode == 0 and "all right" in done.stdout, f"{done.stdout}{done.stderr}")
    expect(len(re.findall(r"^oshen-lammps: best: FFT \d+ x \d+ x \d+ forward: ", done.stderr, re.M)) >= 2, done.stderr)


def on_a_terminal(runs, columns):
    """What the command writes to a terminal of so many columns."""
    process, terminal = pty.fork()
    if process == 0:
        termios.tcsetwinsize(1, (24, columns))
        command = runs.command("--mode", "fft,stats")
        os.execve(command[0], [*command, "transforms"], runs.environment)
    text = b""
    try:
        while block := os.read(terminal, 65536):
            text += block
    except OSError:  # the end of the output
        pass
    expect(os.waitpid(process, 0)[1] == 0, text.decode())
    return text.decode().replace("\r\n", "\n")


@case
def widths(runs):
    """Lines fit a terminal of 80 columns; on one of 200 and in a pipe each message is one line."""
    piped = runs.run("--mode", "fft,stats").stderr
    expect(re.search(r"^oshen-lammps: 216 remaps carried .{60,}\(slowest rank\)$", piped, re.M), piped)
    wide = on_a_terminal(runs, 200)
    expect(re.search(r"^oshen-lammps: 216 remaps carried .{60,}\(slowest rank\)$", wide, re.M), wide)
    lines = on_a_terminal(runs, 80).split("\n")
    first = next(n for n, line in enumerate(lines) if line.startswith("oshen-lammps: 216 remaps carried"))
    banner = lines[first:]
    expect(all(len(line) <= 80 for line in lines if line.startswith(("oshen-lammps", "    "))), lines)
    expect(banner[1].startswith("    ") and not banner[1].startswith("     "), banner)
    expect(len([line for line in banner if re.match(r"oshen-lammps:   (pack|wait|unpack) ", line)]) == 3, banner)
    refused = subprocess.run([*runs.command("--mpiexec", "no-such-launcher")], env=runs.environment, capture_output=True, text=True)
    expect(refused.returncode == 1 and len(refused.stderr.splitlines()) == 1, refused.stderr)


@case
def python(runs):
    """oshen.lammps names the ABI and loads its accelerator, before the MPI of a module lammps is used."""
    module = Path("module/lammps")
    module.mkdir(parents=True)
    (module / "__init__.py").write_text("")
    shutil.copy(runs.options.program.with_name("liblammps_stock_abi.so"), module / "liblammps.so")
    sources = Path(__file__).resolve().parents[2] / "python"
    environment = runs.environment | {"PYTHONPATH": f"{sources}:module", "OSHEN_LIBRARY": str(runs.options.libraries)}
    told = subprocess.run([sys.executable, "-m", "oshen.lammps"], env=environment, capture_output=True, text=True)
    expect(told.returncode == 0, told.stderr)
    expect(re.fullmatch(r"oshen\.lammps: .*/module/lammps/liblammps\.so uses the ABI of MPI 5, \S+/libmpi_abi\.so\S*; "
                        r"accelerator: \S+/liboshen-lammps-abi\.so\n", told.stdout), told.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--oshen-lammps", type=Path, required=True)
    parser.add_argument("--libraries", type=Path, required=True, help="folder of liboshen and of the accelerators")
    parser.add_argument("--program", type=Path, required=True, help="lammps_program.cpp, built by mpicxx_abi")
    parser.add_argument("--program-mpi", type=Path, required=True, help="the environment of this mpicxx_abi")
    parser.add_argument("--intel", type=Path, help="run with Intel's MPI of this environment")
    parser.add_argument("--work", type=Path, required=True, help="folder for the runs, emptied first")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    os.chdir(options.work)
    CASES[options.case](Runs(options))
    print(f"{options.case}: passed")


if __name__ == "__main__":
    main()
