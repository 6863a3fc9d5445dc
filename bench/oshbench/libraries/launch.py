"""Starts benchmark programs with a time limit, and reads their records, also after a crash."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .build import Programs
from .libraries import Library

MOST_CRASHES = 8  # of one launch, before it is given up
# Seconds without a new record after which a program hangs. No size of a case takes as long.
STUCK_AFTER = float(os.environ.get("OSHBENCH_HANG", "60"))
LISTED_AFTER = 15  # seconds
PAGE_BYTES = 16 << 20  # at least sizeof(bench_page); the programs check it


@dataclass(frozen=True)
class Effort:
    """The amount of work of a launch."""

    batches: int = 15
    batch_us: int = 300
    cases: str = "*"
    quick: bool = True
    sizes: tuple[int, ...] = ()  # replace the sizes of the cases

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
    """One execution of a program: its records and its ending."""

    records: list[dict]
    program: str
    ending: str  # "ok", "exit N", "signal N", "hang", "timeout", "interrupted"
    complete: bool  # all cases were run, even if the exit failed
    said: str = ""  # the end of its output
    reached: int = 0  # the number of the last case, and its name
    case: str = ""
    left_out: list[str] = field(default_factory=list)  # cases that need two processes


def run_cases(
    command: list[str],
    env: dict[str, str],
    cpus: list[int],
    effort: Effort,
    timeout: float,
    without: set[str] | None = None,
    shared: Path | None = None,
) -> Launch:
    """Runs `command`, and again from the next case on after a crash or a hang. All records are kept. `timeout` applies to each
    start. Cases in `without` are skipped; cases that hang are added to it, so that the next round skips them. `shared` is a
    folder that all hosts share, for processes on several hosts."""
    without = set() if without is None else without
    left_out = frozenset(without)  # fixed for this launch, because cases are numbered
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
    """One start, with a new page."""
    with _page_and_records(shared) as (page, out):
        args = [
            "--page",
            page,
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


@contextlib.contextmanager
def _page_and_records(shared: Path | None) -> Iterator[tuple[str, Path]]:
    """Memory without names, which the processes of one start open through /proc: nothing is left behind, however this process ends.
    Processes on several hosts have no page, and their records are in the folder that all hosts share."""
    with contextlib.ExitStack() as stack:
        if shared is None:
            yield str(_unnamed(stack, "page", PAGE_BYTES)), _unnamed(stack, "records", 0)
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="oshen-bench-", dir=shared))
            yield "hosts", Path(folder) / "records"


def _unnamed(stack: contextlib.ExitStack, purpose: str, size: int) -> Path:
    descriptor = os.memfd_create(f"oshen-bench-{purpose}")
    stack.callback(os.close, descriptor)
    os.truncate(descriptor, size)
    return Path(f"/proc/{os.getpid()}/fd/{descriptor}")


def run_hello(programs: Programs, pes: int, timeout: float) -> Launch:
    """Times hello world from exec to exit, and reads the memory of its PEs. It counts only if every PE has reported."""
    library = programs.library
    begin = time.perf_counter()
    ending, said = run_bounded(library.command(pes, programs.hello, []), library.env, timeout)
    seconds = time.perf_counter() - begin
    told = re.findall(r"hello from (\d+) of (\d+), VmHWM (\d+) kB, PSS (\d+) kB", said)
    complete = sorted(int(t[0]) for t in told) == list(range(pes)) and all(int(t[1]) == pes for t in told)
    if ending == "timeout" or not complete:
        return Launch([], "", ending if ending != "ok" else "not every PE said hello", False, said[-400:])
    front = {"size": 0, "pes": pes, "ok": True}
    records = [{"case": "hello", "how": "exec to exit", "ns": 1e9 * seconds} | front,
               {"case": "memory.hello.hwm", "how": "VmHWM, worst PE", "unit": "kB", "ns": max(int(t[2]) for t in told)} | front,
               {"case": "memory.hello.pss", "how": "Pss, mean of PEs", "unit": "kB", "ns": sum(int(t[3]) for t in told) / pes} | front]
    return Launch(records, "", ending, True, said[-400:])


def list_cases(library: Library, program: Path) -> list[tuple[str, str, str]]:
    """Name, calls and sizes of the cases of a program. A library that hangs at its end has printed them before."""
    _, said = run_bounded(library.command(1, program, ["--list"]), library.env, LISTED_AFTER)
    return read_list(said)


def read_list(said: str) -> list[tuple[str, str, str]]:
    lines = [line.split("\t") for line in said.splitlines()]
    return [(fields[0], fields[1], fields[2]) for fields in lines if len(fields) == 3]


@functools.cache
def silent_input() -> int:
    """An input that never ends. Hydra forwards the end of its input to rank 0, and dies of SIGPIPE if that process has ended by then."""
    reader, _writer = os.pipe()  # the writer stays open
    return reader


def run_bounded(
    command: list[str], env: dict[str, str], timeout: float, records: Path | None = None
) -> tuple[str, str]:
    """How the command ended, and its output. All its processes are in one session and end with it. It hangs if the file `records`
    does not grow for STUCK_AFTER seconds."""
    child = subprocess.Popen(
        command,
        env=os.environ | env,
        stdin=silent_input(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=end_with_us(),
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
    """A program has stopped writing records."""


def _watch(child: subprocess.Popen, timeout: float, records: Path | None) -> str:
    """The output of the process after its end."""
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


_LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def end_with_us() -> Callable[[], None]:
    """For the child, before it executes a program: if this process is killed, the launcher gets SIGTERM and ends its processes."""
    parent = os.getpid()

    def attach() -> None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it was killed before the call
            os._exit(1)

    return attach


def _kill_session(session: int) -> None:
    """Launchers put processes into other process groups. Hydra 5 puts them into other sessions too, but ends them itself."""
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and os.getsid(int(folder.name)) == session:
                os.kill(int(folder.name), signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


def _descendants(launcher: int) -> set[int]:
    """The launcher and the processes that it started, also in other sessions."""
    parents = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit():
                parents[int(folder.name)] = int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    found, new = set(), {launcher}
    while new:
        found |= new
        new = {process for process, parent in parents.items() if parent in new}
    return found


MPICH_FILE = re.compile(r"/dev/shm/mpich_(?:shm|vci)_\w+$", re.MULTILINE)


def _files_of_mpich(launcher: int) -> set[str]:
    """The files in /dev/shm that MPICH 5 has from MPI_Init to MPI_Finalize. A name belongs to one job."""
    found: set[str] = set()
    for process in _descendants(launcher):
        with contextlib.suppress(OSError):
            found.update(MPICH_FILE.findall(Path(f"/proc/{process}/maps").read_text(errors="replace")))
    return found


def _end_session(child: subprocess.Popen) -> str:
    """Ends the launcher, which may end its processes, then the rest of the session, and removes files that MPICH did not."""
    files = _files_of_mpich(child.pid)
    child.terminate()
    output = _said(child, 15)
    _kill_session(child.pid)
    output = _said(child, 5) if output is None else output
    child.wait()
    for file in files:
        Path(file).unlink(missing_ok=True)
    return output or ""


def _said(child: subprocess.Popen, seconds: float) -> str | None:
    """The whole output, once all writers have ended; None after `seconds`."""
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
            continue  # a line cut off by a crash
        if "case" in record and record.get("ns", 0) is not None:  # null: not a number
            records.append(record)
        if "left_out" in record:
            left_out.append(record["left_out"])
        if "at" in record:
            reached, case = record["at"], record["name"]
        program = record.get("program", program)
        complete = complete or record.get("end", False)
    return Launch(records, program, ending, complete, reached=reached, case=case, left_out=left_out)
