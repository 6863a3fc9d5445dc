"""A run: all launches of a profile, interleaved. Every launch is saved at once. After Ctrl-C, --resume continues the
run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..cases.own import NO_CASES, OwnCases
from ..common import interrupts
from ..common.compiler import BuildError, first_error
from ..libraries import launch
from ..libraries.build import Programs, build_library, build_limits
from ..libraries.launch import Launch
from ..libraries.library import Library
from ..libraries.probe import defines, probe
from ..libraries.spinning import spins
from ..machine import placement, properties
from ..machine.load import Watch, load_average
from ..results.rows import LIMITS, compact
from ..results.run import LaunchResult, Run
from . import apps, start_up
from .profile import Part, Profile


@dataclass(frozen=True)
class Setup:
    """The setting of a run. `options` are options of single profiles, from the command line."""

    bench: Path
    work: Path
    cpus: list[int]
    say: Callable = print
    ours: Path | None = None  # the folder of our oshcc and oshrun
    options: dict = field(default_factory=dict)
    own: OwnCases = NO_CASES


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


def steps(profile: Profile, rounds: range, libraries: Callable[[Part], list[str]],
          pes: tuple[int, ...] = ()) -> list[Step]:
    """Round by round, part by part, every library in turn. The order is reversed every other round and begins with
    another library each time, so that no library always follows the same one."""
    in_order = []
    for number in rounds:
        for index, part in enumerate(profile.parts):
            if part.rounds is not None and number >= part.rounds:
                continue
            names = libraries(part)
            for count in part.pes if part.fixed else pes or part.pes:
                shift = (number + index) % max(1, len(names))
                order = names[shift:] + names[:shift]
                in_order += [Step(number, index, count or os.cpu_count() or 1, name)
                             for name in (order if number % 2 == 0 else order[::-1])]
    return in_order


class Campaign:
    """Launches and saves. A profile with its own programs derives from this class and overrides obstacle, contestants,
    prepare, can and launch."""

    def __init__(self, setup: Setup, profile: Profile, libraries: list[Library], output: Path) -> None:
        self.setup, self.profile, self.output = setup, profile, output
        self.libraries = {library.name: library for library in libraries}
        self.rounds = 0

    @classmethod
    def obstacle(cls, setup: Setup) -> str:
        """The reason why this profile cannot be measured here; empty if it can."""
        return ""

    @classmethod
    def contestants(cls, setup: Setup) -> list[Library] | None:
        """The libraries that take part; None for those of this machine."""
        return None

    def prepare(self, run: Run) -> None:
        """Compiles, and describes the libraries in `run.libraries`."""

    def can(self, step: Step) -> bool:
        return True

    def launch(self, step: Step) -> Launch:
        raise NotImplementedError

    def wants_more(self, run: Run) -> bool:
        """Whether another round is needed."""
        return False

    def taking_part(self, part: Part) -> list[str]:
        return list(self.libraries)

    def run(self, run: Run, rounds: int, pes: tuple[int, ...] = ()) -> bool:
        """Whether the run is complete. All launches so far are in `run` and in the file."""
        run.rounds = self.rounds = rounds
        run.load = [run.load[0] if run.load else load_average(), load_average()]
        complete = self._take_all(run, range(rounds), pes)
        while complete and self.wants_more(run):
            complete = self._take_all(run, range(run.rounds, run.rounds + 1), pes)
            run.rounds += 1
        run.finished = complete
        run.load[1] = load_average()
        run.save(self.output)
        self.setup.say(" " * 78, end="\r")
        return complete

    def _take_all(self, run: Run, rounds: range, pes: tuple[int, ...]) -> bool:
        done = {launch.step for launch in run.launches}
        todo = [step for step in steps(self.profile, rounds, self.taking_part, pes) if step.name not in done
                and self.can(step)]
        begin = time.monotonic()
        try:
            for number, step in enumerate(todo):
                interrupts.check()
                self._take(run, step, number, len(todo), begin)
        except KeyboardInterrupt:
            run.save(self.output)
            kept = len(run.launches) - len(done)
            self.setup.say(f"\ninterrupted: {kept} of {len(todo)} launches are kept; continue with --resume")
            return False
        return True

    def _take(self, run: Run, step: Step, number: int, total: int, begin: float) -> None:
        """One launch."""
        self._progress(number, total, step, begin)
        began, watch = time.monotonic(), Watch()
        launched = self.launch(step)
        if launched.ending.endswith("interrupted"):  # an interrupted launch is not kept
            raise KeyboardInterrupt
        self._keep(run, step, launched, time.monotonic() - began, watch.shares())

    def _keep(self, run: Run, step: Step, outcome: Launch, seconds: float, load: tuple[float, float]) -> None:
        part = self.profile.parts[step.part]
        run.launches.append(LaunchResult(
            step.name, step.round, step.library, part.program, step.pes, outcome.ending, outcome.complete,
            round(seconds, 2), others=round(load[0], 3), steal=round(load[1], 3), said=outcome.said
            if outcome.ending != "ok" else "", records=compact(outcome.records), left_out=outcome.left_out))
        run.save(self.output)
        if outcome.ending != "ok" or not outcome.complete:
            kept = f"{len(outcome.records)} results kept" if outcome.records else "no results"
            self.setup.say(f"  {step.library}, {step.pes} PEs, {part.program}: {outcome.ending}; {kept}" + " " * 30)

    def _progress(self, number: int, total: int, step: Step, begin: float) -> None:
        elapsed = time.monotonic() - begin
        left = f", {_time(elapsed / number * (total - number))} left" if number else ""
        line = f"[{number + 1}/{total}] round {step.round + 1}, {self.profile.parts[step.part].program}, " \
               f"{step.pes} PEs, {step.library}{left}"
        self.setup.say(f"{line:<78}", end="\r" if sys.stderr.isatty() else "\n")


class LibraryCampaign(Campaign):
    """Every library of this machine, with our programs compiled by its own compiler."""

    def __init__(self, setup: Setup, profile: Profile, libraries: list[Library], output: Path) -> None:
        super().__init__(setup, profile, libraries, output)
        self.programs: dict[str, Programs] = {}
        self.limits: Path | None = None
        self.hung: dict[tuple, set[str]] = {}  # cases in which a library hung, by library, program, PEs

    def prepare(self, run: Run) -> None:
        """Probes every library and compiles for it, one library per CPU at a time."""
        self.setup.say(f"  probing and building: {', '.join(self.libraries)}", end="\r")
        run.placement = placement.description(self.setup.cpus,
                                              next((library.hosts for library in self.libraries.values()),
                                                             ()))
        originals = {name: library for name, library in self.libraries.items() if not library.variant_of}
        probed = {name: probe(library, self.setup.work) for name, library in originals.items()}
        with ThreadPoolExecutor(len(self.setup.cpus)) as pool:
            built = dict(zip(originals, pool.map(self._build, originals.values(), probed.values())))
        for name, library in self.libraries.items():
            like = library.variant_of or name
            if like != name and like in self.programs:  # the same programs, at other settings
                self.programs[name] = replace(self.programs[like], library=library)
            run.libraries[name] = run.libraries.get(name, {}) | library.to_dict() | probed[like] | built[like]
            told = f"; NOT USABLE: {built[like]['unusable']}" if "unusable" in built[like] else ""
            for text in self.programs[like].rejected.values() if like == name and name in self.programs else ():
                told += f"; without a file of your own, which does not compile:\n{text.rstrip()}"
            line = f"  {name}: {probed[like]['version'] or '?'}{told}"
            self.setup.say(f"{line:<78}")
        if any(part.program == "limits" for part in self.profile.parts):
            self.limits = build_limits(self.setup.bench, self.setup.work)
            run.libraries[LIMITS] = {"name": LIMITS, "kind": "none", "version": "no library"}

    def build_programs(self, library: Library, macros: tuple[str, ...]) -> Programs:
        return build_library(self.setup.bench, self.setup.work, library, macros, self.setup.own)

    def _build(self, library: Library, notes: dict) -> dict:
        """The missing programs, or the reason why the library cannot be used."""
        try:
            if not notes["features"] and library.kind != "sim":
                raise BuildError(notes["ending"])
            self.programs[library.name] = self.build_programs(library, defines(library, notes))
            return {"missing": self.programs[library.name].missing}
        except BuildError as error:
            return {"unusable": first_error(str(error))}

    def taking_part(self, part: Part) -> list[str]:
        return [LIMITS] if part.program == "limits" else [name for name in self.libraries if name in self.programs]

    def can(self, step: Step) -> bool:
        """The simulated library has only cases."""
        part = self.profile.parts[step.part]
        if part.program == "limits":
            return self.limits is not None
        if not part.spinners and spins(step.library, step.pes):
            return False
        programs = self.programs[step.library]
        if part.program.startswith("app:"):
            return programs.library.kind != "sim"
        return {"cases": programs.cases, "threads": programs.threads, "threads-single": programs.threads,
                "stages": programs.stages, "hello": programs.hello}[part.program] is not None

    def launch(self, step: Step) -> Launch:
        part = self.profile.parts[step.part]
        if part.program == "limits":
            return launch.run_cases([str(self.limits)], {}, self.setup.cpus, part.effort, part.timeout)
        programs = self.programs[step.library]
        library = programs.library
        env = library.env | {"OSHBENCH_LAUNCH": f"{step.name}"}
        if part.program == "stages":
            return start_up.run(programs, step.pes, env, part.timeout)
        if part.program == "hello":
            return launch.run_hello(programs, step.pes, part.timeout)
        if part.program.startswith("app:"):
            job = apps.Job(part.program[4:], step.pes, part.args, self.setup.cpus, part.timeout, step.round)
            return apps.run(self.setup.bench, self.setup.work, library, job, env)
        return self._run_cases(step, part, programs, env)

    def _run_cases(self, step: Step, part: Part, programs: Programs, env: dict[str, str]) -> Launch:
        program = programs.cases if part.program == "cases" else programs.threads
        hung = self.hung.setdefault((step.library, part.program, step.pes), set())
        words = [program] if part.program != "threads-single" else ["env", "BENCH_THREAD_LEVEL=single", program]
        command = programs.library.command(step.pes, words[0], [str(word) for word in words[1:]])
        shared = self.setup.work if programs.library.hosts else None
        return launch.run_cases(command, env, self.setup.cpus, part.effort, part.timeout, hung, shared)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def begin(profile: str, command: str, ours: str = "?", hosts: tuple[str, ...] = ()) -> Run:
    """A run without launches."""
    return Run(profile, command, properties.facts(), date=time.strftime("%Y-%m-%d"), ours=ours, hosts=list(hosts))
