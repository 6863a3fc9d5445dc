#!/usr/bin/env python3
"""Every mini-app on 1, 2, 3, 4 and 8 PEs with 1 and 2 threads, with and without delays, with every synchronisation.

  coverage.py BIN [--mpi FOLDER "LAUNCHER ..."] ... [--state FILE] [--only PATTERN] ... [--seconds N] [--table]

BIN has oshrun and the programs, FOLDER the programs of one MPI. Within one transport, all checksums of an app of fixed size
must be equal; they may depend on the number of PEs if the app rounds sums. FILE lists the jobs that have passed. They are
run again only if the program or our library is newer, so that an interrupted sweep can be continued.
"""
from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path


@dataclass(frozen=True)
class App:
    """Arguments of an app, and whether its checksum is the same for all numbers of PEs."""

    arguments: str
    one_checksum: bool


# Names of programs; a point separates the program from a variant of its use.
APPS = {
    "heat_image": App("64 64 20", True),
    "daxpy": App("10007 --scaling strong --steps 10", True),
    "hpccg": App("16 16 16 --scaling strong --steps 34", False),
    "minife": App("8", False),
    "minimd": App("8 --steps 40", False),
    "minimd.full": App("8 --lists full --steps 40", False),
    "minimd.eam": App("6 --potential eam --steps 22", False),
    "remap3d": App("20 16 24 --steps 2", True),
    "prk_stencil": App("101 --steps 10", True),
    "prk_p2p": App("30 8 --steps 1", True),
    "prk_transpose": App("65 --steps 10", True),
    "bale_histogram": App("1000 10000", False),
    "bale_gather": App("1000 10000", False),
    "bale_permute": App("2000 5", True),
    "bale_transpose": App("2000 5", True),
    "bale_toposort": App("300 3", True),
    "bale_triangles": App("30 5", True),
    "gups": App("14", True),
    "isx": App("65536 --steps 3", False),
}
PES, THREADS, DELAYS = (1, 2, 3, 4, 8), (1, 2), (0, 3)


@dataclass(frozen=True)
class Transport:
    """The launcher for the programs of a folder, and the files that invalidate results when they change."""

    name: str
    launcher: tuple[str, ...]
    folder: Path
    libraries: tuple[Path, ...] = ()

    def built(self, program: str) -> int:
        return max(file.stat().st_mtime_ns for file in (self.folder / program, *self.libraries))


@dataclass(frozen=True)
class Job:
    transport: Transport
    app: str
    pes: int
    threads: int
    delay: int

    @property
    def name(self) -> str:
        return f"{self.transport.name}/{self.app}/{self.pes}/t{self.threads}" + ("/late" if self.delay else "")

    @property
    def program(self) -> str:
        return self.app.partition(".")[0]

    @property
    def command(self) -> list[str]:
        late = ["--delay", str(self.delay)] if self.delay else []
        return [*self.transport.launcher, "-n", str(self.pes), str(self.transport.folder / self.program), *APPS[self.app].arguments.split(),
                "--sync", "all", "--threads", str(self.threads), *late]


class Wrong(RuntimeError):
    """A failed run, with its output."""


def run(job: Job, seconds: float) -> dict:
    """Runs a job; returns the entry that the state gets if the result is right."""
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    built, began = job.transport.built(job.program), time.monotonic()
    process = subprocess.Popen(job.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env=environment, start_new_session=True)
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Wrong(f"{job.name}: not ready in {seconds:.0f} s: {' '.join(job.command)}") from None
    finally:
        if process.returncode is None:
            end(process)
    if process.returncode != 0 or not re.search(r"^result   right$", said, re.M):
        raise Wrong(f"{job.name}: status {process.returncode} of {' '.join(job.command)}\n{said}")
    syncs = re.findall(r"^(\S+) +[\d.]+ s .* right$", said, re.M)
    return {"checksum": re.search(r"^checksum (\w+)$", said, re.M).group(1), "syncs": syncs, "built": built,
            "seconds": round(time.monotonic() - began, 1)}


def end(process: subprocess.Popen) -> None:
    """Asks the launcher to end its processes, then kills the rest of its session."""
    process.terminate()
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def jobs(transports: list[Transport], only: list[str]) -> list[Job]:
    found = [Job(*each) for each in itertools.product(transports, APPS, PES, THREADS, DELAYS)]
    return [job for job in found if not only or any(fnmatchcase(job.name, pattern) for pattern in only)]


def sweep(todo: list[Job], state: dict[str, dict], keep: Path | None, seconds: float) -> list[str]:
    """Runs all jobs that have not passed; returns the failures."""
    failures = []
    for number, job in enumerate(todo, 1):
        if state.get(job.name, {}).get("built") == job.transport.built(job.program):
            continue
        print(f"[{number}/{len(todo)}] {job.name}", end="", flush=True)
        try:
            state[job.name] = run(job, seconds)
            print(f": {state[job.name]['seconds']} s", flush=True)
        except Wrong as problem:
            state.pop(job.name, None)
            failures.append(str(problem))
            print(f": FAILED: {str(problem).splitlines()[0]}", flush=True)
        if keep:
            save(state, keep)
    return failures


def save(state: dict[str, dict], file: Path) -> None:
    """Writes the state atomically."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(state, indent=0) + "\n")
    part.replace(file)


def checksums_that_differ(todo: list[Job], state: dict[str, dict]) -> list[str]:
    found: dict[tuple, dict[str, str]] = {}
    for job in todo:
        if job.name in state:
            key = job.transport.name, job.app, 0 if APPS[job.app].one_checksum else job.pes
            found.setdefault(key, {})[state[job.name]["checksum"]] = job.name
    return [f"{transport}/{app}: checksums differ: {sums}" for (transport, app, _), sums in found.items() if len(sums) > 1]


def table(todo: list[Job], state: dict[str, dict]) -> str:
    """The number of right jobs, the number of synchronisations and the time, for each transport."""
    lines = []
    for name in dict.fromkeys(job.transport.name for job in todo):
        own = [job for job in todo if job.transport.name == name]
        passed = [state[job.name] for job in own if job.name in state]
        runs = sum(len(each["syncs"]) for each in passed)
        lines.append(f"{name}: {len(passed)} of {len(own)} jobs right, {runs} runs of one synchronisation each, "
                     f"{sum(each['seconds'] for each in passed) / 60:.0f} minutes")
    return "\n".join(lines)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("--mpi", nargs=2, action="append", default=[], metavar=("FOLDER", "LAUNCHER"))
    parser.add_argument("--state", type=Path, help="where is kept what has passed")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN",
                        help="jobs by name: TRANSPORT/APP/PES/tTHREADS[/late], as 'mpich/isx/*'")
    parser.add_argument("--seconds", type=float, default=600, help="for a job (default 600)")
    parser.add_argument("--table", action="store_true", help="only say what has passed")
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    ours = tuple((options.bin.parent / "lib").glob("liboshen*.so.*.*"))
    transports = [Transport("oshen", (str(options.bin / "oshrun"), "--timeout", f"{options.seconds:.0f}"), options.bin, ours)]
    transports += [Transport(Path(folder).name, tuple(launcher.split()), Path(folder)) for folder, launcher in options.mpi]
    todo = jobs(transports, options.only)
    state = json.loads(options.state.read_text()) if options.state and options.state.exists() else {}
    failures = [] if options.table else sweep(todo, state, options.state, options.seconds)
    failures += checksums_that_differ(todo, state)
    print(table(todo, state))
    print("\n".join(failures) or ("" if options.table else "apps: all right"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
