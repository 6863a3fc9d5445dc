"""Start-up and memory, from a program that reports time and memory at each stage of its life."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..common.process import run_bounded
from ..libraries.build import Programs
from ..libraries.launch import Launch


@dataclass(frozen=True)
class StageLine:
    """One line of one PE."""

    name: str
    pe: int
    at: float
    high_water_kb: int
    share_kb: int
    threads: int
    made_of: tuple[int, ...]  # anonymous, file and shared memory (kB), open files, mappings; zeros if not measured


def run(programs: Programs, pes: int, env: dict[str, str], timeout: float) -> Launch:
    if programs.stages is None:
        return Launch([], "", "not built", False)
    begin = time.time()
    clock = time.perf_counter()
    ending, said = run_bounded(programs.library.command(pes, programs.stages, []), env, timeout)
    seconds = time.perf_counter() - clock
    told = [line for line in map(_parse, said.splitlines()) if line]
    complete = {t.pe for t in told if t.name == "collective"} == set(range(pes))
    return Launch(records(told, pes, begin, seconds) if complete else [], "", ending, complete, said[-400:])


def _parse(line: str) -> StageLine | None:
    fields = line[line.find("stage|"):].split("|") if "stage|" in line else []
    if len(fields) < 14:
        return None
    return StageLine(fields[1], int(fields[2]), float(fields[4]), int(fields[5]), int(fields[7]), int(fields[8]),
                tuple(map(int, fields[9:14])))


def records(lines: list[StageLine], pes: int, begin: float, seconds: float) -> list[dict]:
    """Memory: the peak of the worst PE, and the mean proportional share. Times: of the last PE."""
    stages: dict[str, list[StageLine]] = {}
    for line in lines:
        stages.setdefault(line.name, []).append(line)
    whole = {name: lines for name, lines in stages.items() if len(lines) == pes}
    entries = []
    for name, lines in whole.items():
        entries.append(_record(f"memory.{name}.hwm", max(t.high_water_kb for t in lines), "kB", "VmHWM, worst PE", pes))
        if min(t.share_kb for t in lines) >= 0:
            share = sum(t.share_kb for t in lines) / pes
            entries.append(_record(f"memory.{name}.pss", share, "kB", "Pss, mean of PEs", pes))
        entries += _details(name, lines, pes)
    for name, since, until in (("init", "main", "init"), ("finalize", None, "finalize")):
        if until in whole:
            spans = [t.at - _before(stages, since, t) for t in whole[until]]
            entries.append(_record(f"start.{name}", 1e9 * max(spans), "ns", f"{name}, the last PE", pes))
    if "init" in whole:
        entries.append(_record("start.ready", 1e9 * (max(t.at for t in whole["init"]) - begin), "ns",
                               "launcher's exec to the last PE's return from init", pes))
    entries.append(_record("start.job", 1e9 * seconds, "ns", "the launcher from exec to exit", pes))
    return entries


PARTS = (("anon", "kB", "RssAnon"), ("file", "kB", "RssFile"), ("shared", "kB", "RssShmem"),
         ("files", "files", "open files"),
         ("mappings", "ranges", "lines of /proc/self/maps"))


def _details(name: str, lines: list[StageLine], pes: int) -> list[dict]:
    """The composition of memory at a stage, for the worst PE, if the program reported it."""
    if not all(any(line.made_of) for line in lines):
        return []
    entries = [_record(f"memory.{name}.{part}", max(line.made_of[i] for line in lines), unit, f"{how}, worst PE", pes)
               for i, (part, unit, how) in enumerate(PARTS)]
    return [*entries, _record(f"memory.{name}.threads", max(line.threads for line in lines), "threads",
                              "Threads, worst PE", pes)]


def _before(stages: dict[str, list[StageLine]], since: str | None, line: StageLine) -> float:
    """The time of this PE at the stage before."""
    own = [t.at for lines in stages.values() for t in lines if t.pe == line.pe and t.at < line.at]
    if since is None:
        return max(own)
    return next(t.at for t in stages[since] if t.pe == line.pe)


def _record(case: str, value: float, unit: str, how: str, pes: int) -> dict:
    return {"case": case, "how": how, "size": 0, "pes": pes, "count": 1, "ns": value, "unit": unit, "ok": True}
