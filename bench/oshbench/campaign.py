"""A run: all launches of a profile, interleaved, kept as they come. Ended by Ctrl-C it keeps what was measured, and
--resume goes on from there."""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from . import apps, launch, machine, results, stages
from .build import BuildError, Programs, build_limits, build_library, first_error
from .launch import Launch
from .libraries import Library
from .probe import defines, probe
from .profiles import Part, Profile


@dataclass(frozen=True)
class Step:
    """One launch."""

    round: int
    part: int
    pes: int
    library: str

    @property
    def name(self) -> str:
        return f"{self.round}/{self.part}/{self.pes}/{self.library}"


def steps(profile: Profile, rounds: int, libraries: list[str], pes: tuple[int, ...] = ()) -> list[Step]:
    """Round by round; in each, part by part, every library in turn. The order is turned round every other round, and
    begins with another library each time, so that nobody always follows the same one."""
    found = []
    for number in range(rounds):
        for index, part in enumerate(profile.parts):
            if part.rounds is not None and number >= part.rounds:
                continue
            for count in pes or part.pes:
                shift = (number + index) % max(1, len(libraries))
                order = libraries[shift:] + libraries[:shift]
                found += [Step(number, index, count or os.cpu_count() or 1, name)
                          for name in (order if number % 2 == 0 else order[::-1])]
    return found


class Campaign:
    """Builds, launches, saves."""

    def __init__(self, bench: Path, work: Path, profile: Profile, libraries: list[Library], output: Path, cpus: list[int],
                 say=print) -> None:
        self.bench, self.work, self.profile, self.output, self.cpus, self.say = bench, work, profile, output, cpus, say
        self.libraries = {library.name: library for library in libraries}
        self.programs: dict[str, Programs] = {}
        self.spent: list[float] = []
        self.hung: dict[tuple, set[str]] = {}  # cases in which a library hung, by library, program, PEs

    def prepare(self, saved: dict) -> None:
        """Asks every library what it can do, and compiles for it: for as many at once as there are CPUs."""
        self.say(f"  probing and building: {', '.join(self.libraries)}", end="\r")
        originals = {name: library for name, library in self.libraries.items() if not library.variant_of}
        found = {name: probe(library, self.work) for name, library in originals.items()}
        with ThreadPoolExecutor(len(self.cpus)) as pool:
            built = dict(zip(originals, pool.map(self._build, originals.values(), found.values())))
        for name, library in self.libraries.items():
            like = library.variant_of or name
            if like != name and like in self.programs:  # the same programs, at other settings
                self.programs[name] = replace(self.programs[like], library=library)
            saved["libraries"][name] = saved["libraries"].get(name, {}) | library.to_dict() | found[like] | built[like]
            told = f"; NOT USABLE: {built[like]['unusable']}" if "unusable" in built[like] else ""
            line = f"  {name}: {found[like]['version'] or '?'}{told}"
            self.say(f"{line:<78}")

    def _build(self, library: Library, found: dict) -> dict:
        """What is missing, or why it cannot be used."""
        try:
            if not found["features"] and library.kind != "sim":
                raise BuildError(found["ending"])
            self.programs[library.name] = build_library(self.bench, self.work, library, defines(library, found))
            return {"missing": self.programs[library.name].missing}
        except BuildError as error:
            return {"unusable": first_error(str(error))}

    def run(self, saved: dict, rounds: int, pes: tuple[int, ...] = ()) -> bool:
        """Whether all was measured; what was is in `saved` and in the file."""
        done = {entry["step"] for entry in saved["launches"]}
        usable = [name for name in self.libraries if name in self.programs]
        todo = [step for step in steps(self.profile, rounds, usable, pes) if step.name not in done and self._can(step)]
        saved["rounds"] = rounds
        saved["load"] = [saved.get("load", [machine.load()])[0], machine.load()]
        begin = time.monotonic()
        for number, step in enumerate(todo):
            try:
                interrupted = not self._take(saved, step, number, len(todo), begin)
            except KeyboardInterrupt:
                interrupted = True
            if interrupted:
                results.save(saved, self.output)
                self.say(f"\ninterrupted: {number} of {len(todo)} launches are kept; go on with --resume")
                return False
        saved["finished"] = True
        saved["load"][1] = machine.load()
        results.save(saved, self.output)
        self.say(" " * 78, end="\r")
        return True

    def _can(self, step: Step) -> bool:
        """The simulated library has nothing but cases."""
        programs, program = self.programs[step.library], self.profile.parts[step.part].program
        if program.startswith("app:"):
            return programs.library.kind != "sim"
        return {"cases": programs.cases, "threads": programs.threads, "threads-single": programs.threads,
                "stages": programs.stages}[program] is not None

    def _take(self, saved: dict, step: Step, number: int, total: int, begin: float) -> bool:
        """One launch; False if the user has ended it."""
        self._progress(number, total, step, begin)
        began = time.monotonic()
        found = self._launch(step)
        if found.ending.endswith("interrupted"):  # half a launch is none: it would be one of another length
            return False
        self._keep(saved, step, found, time.monotonic() - began)
        return True

    def _keep(self, saved: dict, step: Step, found: Launch, seconds: float) -> None:
        part = self.profile.parts[step.part]
        saved["launches"].append({
            "step": step.name, "round": step.round, "library": step.library, "program": part.program, "pes": step.pes,
            "ending": found.ending, "complete": found.complete, "seconds": round(seconds, 2),
            "said": found.said if found.ending != "ok" else "", "records": results.compact(found.records),
        } | ({"left_out": found.left_out} if found.left_out else {}))
        results.save(saved, self.output)
        if found.ending != "ok" or not found.complete:
            kept = f"{len(found.records)} results kept" if found.records else "no results"
            self.say(f"  {step.library}, {step.pes} PEs, {part.program}: {found.ending}; {kept}" + " " * 30)

    def _launch(self, step: Step) -> Launch:
        part, programs = self.profile.parts[step.part], self.programs[step.library]
        library = programs.library
        env = library.env | {"OSHBENCH_LAUNCH": f"{step.name}"}
        if part.program == "stages":
            return stages.run(programs, step.pes, env, part.timeout)
        if part.program.startswith("app:"):
            return apps.run(self.bench, self.work, library, part.program[4:], step.pes, part.args, env, part.timeout)
        program = programs.cases if part.program == "cases" else programs.threads
        if program is None:
            return Launch([], "", "not built", False)
        hung = self.hung.setdefault((step.library, part.program, step.pes), set())
        words = [program] if part.program != "threads-single" else ["env", "BENCH_THREAD_LEVEL=single", program]
        command = library.command(step.pes, words[0], [str(word) for word in words[1:]])
        shared = self.work if library.hosts else None
        return launch.run_cases(command, env, self.cpus, part.effort, part.timeout, hung, shared)

    def _progress(self, number: int, total: int, step: Step, begin: float) -> None:
        elapsed = time.monotonic() - begin
        left = f", {_time(elapsed / number * (total - number))} left" if number else ""
        line = f"[{number + 1}/{total}] round {step.round + 1}, {self.profile.parts[step.part].program}, " \
               f"{step.pes} PEs, {step.library}{left}"
        self.say(f"{line:<78}", end="\r" if sys.stderr.isatty() else "\n")


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def begin(profile: str, command: str, seed: dict | None = None) -> dict:
    return {"schema": results.SCHEMA, "profile": profile, "command": command, "date": time.strftime("%Y-%m-%d"),
            "machine": machine.facts(), "libraries": {}, "launches": [], "finished": False} | (seed or {})


def limits(bench: Path, work: Path, cpus: list[int]) -> Launch:
    """The machine without any library."""
    effort = launch.Effort(7, 200, "*", True)
    return launch.run_cases([str(build_limits(bench, work))], {}, cpus, effort, 60)
