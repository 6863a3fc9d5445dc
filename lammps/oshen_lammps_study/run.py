"""One run of LAMMPS under oshen-lammps, and the times that it prints."""
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

PARTS = ("wall", "setup", "loop", "kspace", "comm", "fft", "remap")


class Failure(Exception):
    """A run that failed."""


def thermo(log):
    """The numbers of the thermodynamic output, without times."""
    numbers = []
    for line in log.splitlines():
        if line.startswith("------------ Step") or re.match(r"(TotEng|PotEng|E_dihed|E_coul|Volume)\s+=", line):
            numbers += [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", line.split("CPU")[0])]
    return numbers


def seconds(log, ranks):
    """Seconds: the loop, the mean of ranks in Kspace and Comm, the slowest rank in FFTs with their remaps and in
    remaps."""
    loop = re.search(r"^Loop time of (\S+) on", log, re.M)
    part = {name: re.search(rf"^{name}\s+\|\s*\S+\s*\|\s*(\S+)\s*\|", log, re.M) for name in ("Kspace", "Comm")}
    if not loop or not all(part.values()):
        raise Failure("LAMMPS wrote no timings")
    return {"loop": float(loop[1]), "kspace": float(part["Kspace"][1]), "comm": float(part["Comm"][1]),
            "fft": max(rank["transform_seconds"] for rank in ranks), "remap": max(rank["seconds"] for rank in ranks)}


def whole(wall, parts):
    """The parts of the loop, with the time of the whole program and its set-up: all but the loop."""
    return {"wall": wall, "setup": wall - parts["loop"]} | parts


class Runner:
    """Runs of one LAMMPS program. `limit` is the time for one run, in seconds."""

    def __init__(self, lmp, work, limit):
        self.lmp = lmp
        self.work = work
        self.limit = limit
        self.accelerator = Path(__file__).resolve().parents[3] / "bin" / "oshen-lammps"

    def start(self, ranks, mode, text):
        """The log, the report and the seconds of one run. Raises Failure if it did not succeed."""
        source, log, report = (self.work / name for name in ("in", "log", "report.json"))
        source.write_text(text)
        log.unlink(missing_ok=True)
        report.unlink(missing_ok=True)
        command = [sys.executable, self.accelerator, "-n", str(ranks), "--mode", mode, "--report", report, "--lmp",
                   self.lmp,
                   "--", "-in", source, "-log", log, "-screen", "none"]
        began = time.monotonic()
        try:
            done = subprocess.run(command, cwd=self.work, timeout=self.limit, capture_output=True, text=True,
                                  env={**os.environ, "OMP_NUM_THREADS": "1"})
        except subprocess.TimeoutExpired as slow:
            raise Failure(f"LAMMPS on {ranks} ranks did not end within {self.limit} s") from slow
        wall = time.monotonic() - began
        if done.returncode != 0 or not log.exists() or not report.exists():
            tail = (log.read_text() if log.exists() else "")[-500:]
            raise Failure(f"LAMMPS on {ranks} ranks ended with status "
                          f"{done.returncode}\n{tail}{done.stdout}{done.stderr}")
        return log.read_text(), json.loads(report.read_text()), wall

    def sample(self, ranks, mode, text):
        """Thermodynamic numbers, times and strategies of one run. Checks that the accelerator ran in this mode."""
        log, report, wall = self.start(ranks, mode, text)
        carried = sum(rank["carried"] + rank["transforms"] for rank in report["ranks"])
        if (carried > 0) != (mode != "off"):
            raise Failure(f"mode {mode}, but {carried} remaps and FFTs were carried")
        return thermo(log), whole(wall, seconds(log, report["ranks"])), report["strategies"]

    def version(self):
        """The version of LAMMPS, as it prints it."""
        log, *_ = self.start(1, "off", "print version\n")
        return re.search(r"^LAMMPS \((.*)\)", log, re.M)[1]

    def knows(self, modify):
        """Whether this version accepts the words for kspace_modify."""
        try:
            self.start(1, "off", "units real\natom_style charge\nregion b block 0 1 0 1 0 1\ncreate_box 1 b\n"
                                 f"kspace_style pppm 1e-4\nkspace_modify {modify}\n")
        except Failure:
            return False
        return True
