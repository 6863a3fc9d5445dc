"""Starts benchmark programs, bounded in time, and reads what they wrote, also after a crash."""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from .build import Programs
from .libraries import Library

MOST_CRASHES = 8  # of one launch, after which it is left
# Seconds between two records: no size of a case takes that long, even with many PEs on a CPU.
STUCK_AFTER = float(os.environ.get("OSHBENCH_HANG", "60"))
LISTED_AFTER = 15  # seconds
PAGE_BYTES = 16 << 20  # more than sizeof(bench_page), which the programs check


@dataclass(frozen=True)
class Effort:
    """How long a launch measures."""

    batches: int = 15
    batch_us: int = 300
    cases: str = "*"
    quick: bool = True
    sizes: tuple[int, ...] = ()  # instead of the cases' own

    def arguments(self) -> list[str]:
        args = [
            "--batches",
            str(self.batches),
            "--batch-us",
            str(self.batch_us),
            "--cases",
            self.cases,
        ]
        if self.sizes:
            args += ["--sizes", ",".join(map(str, self.sizes))]
        return args + (["--quick"] if self.quick else [])


@dataclass
class Launch:
    """One run of a program: its records, and how it ended."""

    records: list[dict]
    program: str
    ending: str  # "ok", "exit N", "signal N", "hang", "timeout", "interrupted"
    complete: bool  # all cases were run, whatever happened at exit
    said: str = ""  # the end of what it printed
    reached: int = 0  # the number of the last case that began, and its name
    case: str = ""
    left_out: list[str] = field(default_factory=list)  # cases that need another process and had none


@dataclass
class Hello:
    """One run of hello world."""

    seconds: float
    high_water_kb: int
    share_kb: float  # mean proportional set size of a PE


def run_cases(
    command: list[str],
    env: dict[str, str],
    cpus: list[int],
    effort: Effort,
    timeout: float,
    without: set[str] | None = None,
    shared: Path | None = None,
) -> Launch:
    """Runs `command`, and again from the next case on when one crashes or hangs. Records from before are kept. `timeout`
    is for each start. Cases in `without` are not run; those that hang come into it, so that the next round is spared. With
    `shared`, a folder that all hosts have, its processes are on several."""
    without = set() if without is None else without
    left_out = frozenset(without)  # of this launch: its cases are numbered
    whole = Launch([], "", "ok", False)
    crashes: list[str] = []
    first = 0
    while True:
        found = _run_once(command, env, cpus, effort, timeout, first, left_out, shared)
        whole.records += found.records
        whole.left_out += found.left_out
        whole.program, whole.said, whole.complete = found.program or whole.program, found.said, found.complete
        died = found.ending.startswith(("signal", "exit", "hang")) and not found.complete
        if found.ending == "hang" and found.case:
            without.add(found.case)
        if died and found.reached > first:
            crashes.append(f"{found.ending} in {found.case}")
            first = found.reached
            if len(crashes) < MOST_CRASHES:
                continue
        whole.ending = "; ".join(crashes + ([found.ending] if found.ending != "ok" and not (died and crashes) else [])) or "ok"
        return whole


def _run_once(
    command: list[str],
    env: dict[str, str],
    cpus: list[int],
    effort: Effort,
    timeout: float,
    first: int,
    without: frozenset[str],
    shared: Path | None,
) -> Launch:
    """With a fresh page."""
    shm = shared or ("/dev/shm" if os.path.isdir("/dev/shm") else None)
    with tempfile.TemporaryDirectory(prefix="oshen-bench-", dir=shm) as folder:
        page, out = Path(folder) / "page", Path(folder) / "records"
        if shared is None:
            with open(page, "wb") as file:
                file.truncate(PAGE_BYTES)
        args = [
            "--page",
            "hosts" if shared else str(page),
            "--out",
            str(out),
            "--cpus",
            ",".join(map(str, cpus)),
            *effort.arguments(),
            *(["--from", str(first)] if first else []),
            *(["--without", ",".join(sorted(without))] if without else []),
        ]
        ending, said = run_bounded(command + args, env, timeout, out)
        lines = out.read_text().splitlines() if out.exists() else []
    found = _read(lines, ending)
    found.said = said[-400:]
    return found


def run_hello(programs: Programs, pes: int, timeout: float) -> Hello | None:
    """From exec to exit; None unless every PE has said hello."""
    library = programs.library
    begin = time.perf_counter()
    ending, output = run_bounded(library.command(pes, programs.hello, []), library.env, timeout)
    seconds = time.perf_counter() - begin
    told = re.findall(r"hello from (\d+) of (\d+), VmHWM (\d+) kB, PSS (\d+) kB", output)
    if (
        ending == "timeout"
        or sorted(int(t[0]) for t in told) != list(range(pes))
        or any(int(t[1]) != pes for t in told)
    ):
        return None
    return Hello(seconds, max(int(t[2]) for t in told), sum(int(t[3]) for t in told) / pes)


def list_cases(library: Library, program: Path) -> list[tuple[str, str, str]]:
    """Name, calls, sizes of what a program has. A library that does not come to its end has told them before."""
    _, said = run_bounded(library.command(1, program, ["--list"]), library.env, LISTED_AFTER)
    lines = [line.split("\t") for line in said.splitlines()]
    return [(fields[0], fields[1], fields[2]) for fields in lines if len(fields) == 3]


def run_bounded(
    command: list[str], env: dict[str, str], timeout: float, records: Path | None = None
) -> tuple[str, str]:
    """How it ended, and what it printed. All that it started is in its session and ends with it. It hangs when
    `records` has begun and then stood still for STUCK_AFTER seconds."""
    child = subprocess.Popen(
        command,
        env=os.environ | env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=end_with_us,
    )
    try:
        output = _watch(child, timeout, records)
    except subprocess.TimeoutExpired:
        return "timeout", _end_session(child)
    except Stuck:
        return "hang", _end_session(child)
    except KeyboardInterrupt:
        return "interrupted", _end_session(child)
    if child.returncode == 0:
        return "ok", output
    return (
        f"signal {-child.returncode}" if child.returncode < 0 else f"exit {child.returncode}"
    ), output


class Stuck(Exception):
    """A program writes nothing any more."""


def _watch(child: subprocess.Popen, timeout: float, records: Path | None) -> str:
    """What it printed, when it has ended."""
    end, size, grew = time.monotonic() + timeout, -1, time.monotonic()
    while True:
        try:
            return child.communicate(timeout=min(2.0, max(0.0, end - time.monotonic())))[0]
        except subprocess.TimeoutExpired:
            if time.monotonic() >= end:
                raise
        if records is None:
            continue
        now = records.stat().st_size if records.exists() else 0
        if now != size:
            size, grew = now, time.monotonic()
        elif size > 0 and time.monotonic() - grew > STUCK_AFTER:
            raise Stuck


def library_command(programs: Programs, pes: int) -> tuple[list[str], dict[str, str]]:
    library: Library = programs.library
    return library.command(pes, programs.cases, []), library.env


_LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def end_with_us() -> None:
    """In the child: a launcher whose oshbench is killed is told to end, and ends its processes."""
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _kill_session(session: int) -> None:
    """Launchers put their processes into groups of their own, but not into other sessions."""
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and os.getsid(int(folder.name)) == session:
                os.kill(int(folder.name), signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def _end_session(child: subprocess.Popen) -> str:
    """First the launcher may end its own, then the rest of the session goes."""
    child.terminate()
    output = _said(child, 15)
    _kill_session(child.pid)
    output = _said(child, 5) if output is None else output
    child.wait()
    return output or ""


def _said(child: subprocess.Popen, seconds: float) -> str | None:
    """All that it has printed, when nobody can print any more."""
    try:
        return child.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        return None


def _read(lines: list[str], ending: str) -> Launch:
    records, left_out, program, complete, reached, case = [], [], "", False, 0, ""
    for line in lines:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue  # the line that a crash cut off
        if "case" in record:
            records.append(record)
        if "left_out" in record:
            left_out.append(record["left_out"])
        if "at" in record:
            reached, case = record["at"], record["name"]
        program = record.get("program", program)
        complete = complete or record.get("end", False)
    return Launch(records, program, ending, complete, reached=reached, case=case, left_out=left_out)
