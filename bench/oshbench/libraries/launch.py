"""Starts benchmark programs with a time limit, and reads their records, also after a crash."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..common.process import run_bounded
from .build import Programs
from .library import Library

MOST_CRASHES = 8  # of one launch, before it is given up
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
    """Runs `command`, and again from the next case on after a crash or a hang. All records are kept. `timeout` applies
    to each start. Cases in `without` are skipped; cases that hang are added to it, so that the next round skips them.
    `shared` is a folder that all hosts share, for processes on several hosts."""
    without = set() if without is None else without
    left_out = frozenset(without)  # fixed for this launch, because cases are numbered
    whole = Launch([], "", "ok", False)
    crashes: list[str] = []
    first = 0
    while True:
        part = _run_once(command, env, cpus, effort, timeout, first, left_out, shared)
        whole.records += part.records
        whole.left_out += part.left_out
        whole.program, whole.said, whole.complete = part.program or whole.program, part.said, part.complete
        died = part.ending.startswith(("signal", "exit", "hang")) and not part.complete
        if part.ending == "hang" and part.case:
            without.add(part.case)
        if died and part.reached > first:
            crashes.append(f"{part.ending} in {part.case}")
            first = part.reached
            if len(crashes) < MOST_CRASHES:
                continue
        whole.ending = "; ".join(crashes + ([part.ending] if part.ending != "ok" and not (died and crashes)
                                            else [])) or "ok"
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
    launched = _read(lines, ending)
    launched.said = said[-400:]
    return launched


@contextlib.contextmanager
def _page_and_records(shared: Path | None) -> Iterator[tuple[str, Path]]:
    """Memory without names, which the processes of one start open through /proc: nothing is left behind, however this
    process ends. Processes on several hosts have no page, and their records are in the folder that all hosts share."""
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
               {"case": "memory.hello.hwm", "how": "VmHWM, worst PE", "unit": "kB", "ns": max(int(t[2]) for t in told)}
               | front,
               {"case": "memory.hello.pss", "how": "Pss, mean of PEs", "unit": "kB",
                "ns": sum(int(t[3]) for t in told) / pes} | front]
    return Launch(records, "", ending, True, said[-400:])


def list_cases(library: Library, program: Path) -> list[tuple[str, str, str]]:
    """Name, calls and sizes of the cases of a program. A library that hangs at its end has printed them before."""
    _, said = run_bounded(library.command(1, program, ["--list"]), library.env, LISTED_AFTER)
    return read_list(said)


def read_list(said: str) -> list[tuple[str, str, str]]:
    lines = [line.split("\t") for line in said.splitlines()]
    return [(fields[0], fields[1], fields[2]) for fields in lines if len(fields) == 3]


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
