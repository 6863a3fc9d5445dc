"""Our 3-D FFT, FFTW-MPI, and LAMMPS' fft_3d, the code that fftMPI grew out of. heFFTe takes part with `--with
heffte=FOLDER`, installed there for Open MPI by
    cmake -DHeffte_ENABLE_FFTW=ON -DMPI_CXX_COMPILER=mpicxx.openmpi -DCMAKE_INSTALL_PREFIX=FOLDER SOURCE
Another library needs a program beside programs/fft/heffte.cpp that ends with measure_mpi(), and a line in BY_HAND and
in EFFORTS.

A launch's value is that of the best of eight batches, from the start of the first process to the end of the last. About
each batch every process takes the beat of its CPU: the time of a little arithmetic in registers. The beat is slow if
another program, or another virtual machine, uses the core. Before and after each launch hop.c measures the distance of
two CPUs, which changes when the host moves a virtual machine's CPUs. Disturbed launches count only if there are no
others. More rounds follow, up to twice as many, until each program has enough undisturbed launches.

FFTW's wisdom is kept from round to round, ours and FFTW-MPI's. Our efforts are measured in the first round, with
nothing remembered."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from oshbench.libraries.launch import Effort, Launch
from oshbench.libraries.library import Library
from oshbench.measure.campaign import Campaign, Setup, Step
from oshbench.measure.profile import Part, Profile
from oshbench.report.grids import Grid
from oshbench.results.rows import LIMITS, Key, Row, Table
from oshbench.results.run import LaunchResult, Run

from ..page import Page

OURS = ("oshen, ordinary buffers", "oshen, symmetric buffers")
TRANSPOSED = ("oshen transposed, ordinary buffers", "oshen transposed, symmetric buffers")
FFTW_TRANSPOSED = ("FFTW-MPI slabs transposed", "FFTW-MPI blocks scrambled")
ROUTE, PLANNING, LIMIT = "route of ", "planning by ", "limit"  # prefixes of names in the output of a program
CUBE, LINE = "fft", "line"  # the programs of parts, and the cases of rows: a cube, and an array of one axis
STEADY = 1.15  # times the best: a slower beat means a disturbed CPU
NEAR = 1.5  # times the best: a longer hop means that the CPUs were moved
ENOUGH = 3  # undisturbed launches of a program
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}
PEERS = {"fftw_mpi": ("-lfftw3_mpi", "-lfftw3", "-lm"), "lammps_fft": ("-l:liblammps.so.0",)}
WITH_LINES = ("oshen", "fftw_mpi")  # programs that take `line`
BY_HAND = {"heffte": ("-lheffte", "-lfftw3", "-lfftw3f")}
# The effort of each for planning one-dimensional transforms, from its source.
EFFORTS = {
    OURS[0]: "OSHEN_FFT_MEASURE: FFTW_MEASURE, and FFTW_PATIENT for whole boxes up to 1 MiB",
    **dict.fromkeys([OURS[1], *TRANSPOSED], "the same"),
    "FFTW-MPI slabs": "FFTW_MEASURE",
    "FFTW-MPI blocks": "FFTW_MEASURE",
    **dict.fromkeys(FFTW_TRANSPOSED, "FFTW_MEASURE"),
    "LAMMPS fft_3d brick to brick": "FFTW_ESTIMATE",
    "heFFTe brick to brick": "FFTW_ESTIMATE",
}


class Fft(Campaign):
    def __init__(self, setup: Setup, profile: Profile, libraries: list[Library], output: Path) -> None:
        super().__init__(setup, profile, libraries, output)
        self.programs: dict[str, Path] = {}
        self.folder = setup.work / "fft"

    @classmethod
    def obstacle(cls, setup: Setup) -> str:
        built = setup.ours and (setup.ours / "bench-fft").exists()
        return "" if built else "no bench-fft here: ninja -C build/release bench-fft"

    @classmethod
    def contestants(cls, setup: Setup) -> list[Library]:
        mpiexec = ("mpiexec.openmpi", "--oversubscribe", "-n", "{np}")
        return [Library("oshen", "shmem", "", (str(setup.ours / "oshrun"), "-n", "{np}")),
                *(Library(name, "mpi", "mpicc.openmpi", mpiexec) for name in PEERS),
                *(Library(name, "mpi", "mpicxx.openmpi", mpiexec) for name in by_hand(setup.options.get("with", [])))]

    def prepare(self, run: Run) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        sources, prefixes = self.setup.bench / "programs/fft", by_hand(self.setup.options.get("with", []))
        self.programs["oshen"] = self.setup.ours / "bench-fft"
        for name, library in self.libraries.items():
            if name in PEERS:
                program, said = compile_one(library.compiler, sources / f"{name}.c", self.folder, PEERS[name])
                if program is None:
                    self.setup.say(f"  {name}: not compared: its library or Open MPI is not installed")
            elif name in prefixes:
                flags = (*flags_of(prefixes[name]), *BY_HAND[name])
                program, said = compile_one(library.compiler, sources / f"{name}.cpp", self.folder, flags)
                if program is None:  # the user asked for it
                    raise ValueError(f"--with {name}={prefixes[name]}: programs/fft/{name}.cpp does not compile with "
                                     f"it:\n{said}")
            else:
                continue
            if program:
                self.programs[name] = program
        compile_one("cc", sources / "hop.c", self.folder, ())

    def can(self, step: Step) -> bool:
        case = self.profile.parts[step.part].program
        return step.library in self.programs and (case == CUBE or step.library in WITH_LINES)

    def launch(self, step: Step) -> Launch:
        part = self.profile.parts[step.part]
        (n,) = part.effort.sizes
        words = [str(n), str(part.effort.batch_us / 1e6)]
        # For the rounds that follow: a file of theirs, a cache folder of ours.
        wisdom = (self.folder / f"wisdom.{step.library}.{part.program}.{n}.{step.pes}").absolute()
        words += [str(wisdom)] if step.library != "oshen" else []
        words += [LINE] if part.program == LINE else []
        library, program = self.libraries[step.library], self.programs[step.library]
        cache = {"XDG_CACHE_HOME": str(wisdom)}
        before = hop(self.folder)
        ending, said, planned = "ok", "", ""
        if step.library == "oshen" and step.round == 0:
            shutil.rmtree(wisdom, ignore_errors=True)
            ending, planned = run(library.command(step.pes, program, [*words, "efforts"]), part.timeout, cache)
        if ending == "ok":
            ending, said = run(library.command(step.pes, program, words), part.timeout, cache)
        said = planned + said
        far = max(before, hop(self.folder)) if step.pes > 1 else 0.0
        entries = records([json.loads(line) for line in said.splitlines() if line.startswith("{")], part.program, n,
                          step.pes, far)
        return Launch(entries, "", ending, ending == "ok" and bool(entries), said[-400:])

    def _keep(self, run: Run, step: Step, outcome: Launch, seconds: float, load: tuple[float, float]) -> None:
        for record in outcome.records:
            name = record["library"]
            run.libraries.setdefault(name, {"name": name, "kind": "fft", "version": EFFORTS.get(name, "")})
        super()._keep(run, step, outcome, seconds, load)
        mark_disturbed(run.launches)

    def wants_more(self, run: Run) -> bool:
        return run.rounds < 2 * self.rounds and not have_enough(run.launches)


def by_hand(options: list[str]) -> dict[str, Path]:
    """The folders of --with NAME=FOLDER."""
    prefixes = {}
    for text in options:
        name, _, prefix = text.partition("=")
        if name not in BY_HAND or not Path(prefix).is_dir():
            raise ValueError(f"--with {text}: NAME=FOLDER is expected, with one of {', '.join(BY_HAND)} as NAME")
        prefixes[name] = Path(prefix).resolve()
    return prefixes


def flags_of(prefix: Path) -> list[str]:
    """Compiler flags for an installation."""
    libraries = [folder for name in ("lib", "lib64") if (folder := prefix / name).is_dir()]
    return [f"-I{prefix / 'include'}", *(f"-L{lib}" for lib in libraries), *(f"-Wl,-rpath,{lib}" for lib in libraries)]


def compile_one(wrapper: str, source: Path, folder: Path, flags: tuple[str, ...]) -> tuple[Path | None, str]:
    """The program, or None, and the output of the compiler."""
    compiler, program = shutil.which(wrapper), folder / source.stem
    if compiler is None:
        return None, f"no {wrapper} here"
    done = subprocess.run([compiler, "-O2", str(source), "-o", str(program), *flags], capture_output=True, text=True,
                          check=False)
    return (program if done.returncode == 0 else None), done.stderr


def run(command: list[str], timeout: float, more: dict[str, str]) -> tuple[str, str]:
    """How the command ended, and its output; `more` variables are in its environment."""
    try:
        done = subprocess.run(command, env=os.environ | ENVIRONMENT | more, capture_output=True, text=True,
                              timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return "timeout", ""
    if done.returncode != 0:
        print(f"fft: {' '.join(command)}: exit {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
    return ("ok" if done.returncode == 0 else f"exit {done.returncode}"), done.stdout


def hop(folder: Path) -> float:
    """The distance of the CPUs in nanoseconds; 0 with one CPU."""
    program = folder / "hop"
    said = subprocess.run([str(program)], capture_output=True, text=True,
                          check=False).stdout.split() if program.exists() else []
    return float(said[0]) if said else 0.0


def records(told: list[dict], case: str, n: int, pes: int, far: float) -> list[dict]:
    """Records from the lines of a program: times, planning, the route of an earlier time, the limit."""
    by_library: dict[str, dict] = {}

    def add(suffix: str, library: str, line: dict, milliseconds: float) -> None:
        state = {"beat_us": line.get("beat_us", 0.0), "hop_ns": far}
        by_library[suffix + library] = {"case": case + suffix, "library": library, "how": "", "size": n, "pes": pes,
                                        "ns": 1e6 * milliseconds, "ok": True,
                                      "state": state}

    for line in told:
        name = line["name"]
        if name.startswith(PLANNING):
            for suffix, field in (("_plan", "plan_ms"), ("_planned", "run_ms")):
                add(f"{suffix}.{name.removeprefix(PLANNING)}", OURS[0], line, line[field])
        elif name.startswith(ROUTE):
            by_library[name.removeprefix(ROUTE)]["extra"] = {"passes": line["passes"], "route": line["route"]}
        elif name == LIMIT:
            add("_copy", LIMITS, line, line["copy_ms"])
            add("_lines", LIMITS, line, line["lines_ms"])
        else:
            add("", name, line, line["best_ms"])
    return list(by_library.values())


# ---- disturbed launches

class Usual(NamedTuple):
    """The undisturbed values of a machine."""

    beat_us: float
    hop_ns: float


def usual_of(launches: list[LaunchResult]) -> Usual:
    states = [entry["state"] for launch in launches for entry in launch.records if "state" in entry]
    return Usual(*(min((state[key] for state in states if state[key]), default=float("inf")) for key in Usual._fields))


def is_steady(state: dict, usual: Usual) -> bool:
    return state["beat_us"] <= STEADY * usual.beat_us and state["hop_ns"] <= NEAR * usual.hop_ns


def mark_disturbed(launches: list[LaunchResult]) -> None:
    usual = usual_of(launches)
    for launch in launches:
        for entry in launch.records:
            entry["disturbed"] = "state" in entry and not is_steady(entry["state"], usual)


def have_enough(launches: list[LaunchResult]) -> bool:
    """Whether every row has ENOUGH steady launches; efforts are measured in the first one only."""
    steady: dict[tuple, int] = {}
    for launch in launches:
        for entry in launch.records:
            if entry["case"] not in (CUBE, LINE):
                continue
            key = entry["library"], entry["case"], entry["size"], entry["pes"]
            steady[key] = steady.get(key, 0) + (not entry["disturbed"])
    return all(count >= ENOUGH for count in steady.values())


# ---- the page

def tables(_: Run, table: Table) -> list[Grid]:
    shown = [case for case in (CUBE, LINE) if names_of(table, case)]
    return [*(transforms(table, case) for case in shown), plans(table), *(efforts(table, case) for case in shown),
            *(routes(table, case) for case in shown)]


def title(text: str, case: str) -> str:
    return text + (", arrays of one axis" if case == LINE else "")


def names_of(table: Table, *cases: str) -> list[str]:
    measured = [name for name, rows in table.items() if any(key.case in cases for key in rows)]
    ours = [name for name in (*OURS, *TRANSPOSED) if name in measured]
    return [*ours, *sorted(set(measured) - set(ours))]


def points(table: Table, case: str) -> list[tuple[int, int]]:
    return sorted({(key.size, key.pes) for rows in table.values() for key in rows if key.case == case})


def size_text(case: str, n: int) -> str:
    if case == CUBE:
        return f"{n}³"
    return "2" + str(n.bit_length() - 1).translate(str.maketrans("0123456789",
                                                                 "⁰¹²³⁴⁵⁶⁷⁸⁹")) if n.bit_count() == 1 else str(n)


def milliseconds(row: Row | None) -> str:
    return f"{row.median / 1e6:.3g}" if row else "–"


def transforms(table: Table, case: str = CUBE) -> Grid:
    names = names_of(table, case)
    left = [name for name in TRANSPOSED if name in names]
    columns = ["N", "PEs", "steady launches", *names, "best other ÷ ordinary", "best other ÷ symmetric",
               *(f"FFTW transposed ÷ ours, {name.rpartition(', ')[2]}" for name in left)]
    rows = [[size_text(case, n), str(pes), *_transform({name: table[name].get(Key(case, n, pes)) for name in names},
                                                       left)]
            for n, pes in points(table, case)]
    return title("Milliseconds of a transform", case), columns, rows


def _transform(rows: dict[str, Row | None], left: list[str]) -> list[str]:
    shown = [row for row in rows.values() if row]
    steady, lost = sum(len(row.values) for row in shown if row.steady), sum(row.disturbed for row in shown)
    others = [row.median for name, row in rows.items() if row and name not in OURS + TRANSPOSED]
    best = min(others, default=None)
    transposed = next((row.median for name in FFTW_TRANSPOSED if (row := rows.get(name))), None)
    return [f"{steady} of {steady + lost}", *(milliseconds(row) for row in rows.values()),
            *(over(best, rows.get(name)) for name in OURS), *(over(transposed, rows[name]) for name in left)]


def over(theirs: float | None, ours: Row | None) -> str:
    return f"{theirs / ours.median:.2f}" if theirs and ours else "–"


def plans(table: Table) -> Grid:
    return "How each plans", ["library", "effort"], [[name, EFFORTS.get(name, "?")]
                                                     for name in names_of(table, CUBE, LINE)]


def efforts(table: Table, case: str = CUBE) -> Grid:
    """The planning time of our efforts, and the time of the transform."""
    rows = []
    for n, pes in points(table, case):
        own = {key.case: row for key, row in table.get(OURS[0], {}).items() if (key.size, key.pes) == (n, pes)}
        names = [key.removeprefix(f"{case}_plan.") for key in own if key.startswith(f"{case}_plan.")]
        rows += [[size_text(case, n), str(pes), name, *(milliseconds(own.get(f"{case}_{part}.{name}"))
                                                        for part in ("plan", "planned"))]
                 for name in names]
    return title("Our efforts: ordinary buffers, no plan remembered", case), ["N", "PEs", "effort", "ms to plan",
                                                                              "ms to transform"], rows


def routes(table: Table, case: str = CUBE) -> Grid:
    """The most frequent route for each kind of buffer, with its limit."""
    rows = []
    for n, pes in points(table, case):
        copy, lines = (table.get(LIMITS, {}).get(Key(case + part, n, pes)) for part in ("_copy", "_lines"))
        for name in (*OURS, *TRANSPOSED):
            row = table.get(name, {}).get(Key(case, n, pes))
            if copy and lines and row and row.extra:
                rows.append([size_text(case, n), str(pes),
                             name.removeprefix("oshen").strip(" ,").removesuffix(" buffers"), milliseconds(row),
                             limit_text(row.extra["passes"], copy.median / 1e6, lines.median / 1e6),
                             row.extra["route"]])
    return title("Routes and limits", case), ["N", "PEs", "buffers", "ms", "limit (passes × copy + lines)",
                                              "route"], rows


def limit_text(passes: float, copy: float, lines: float) -> str:
    return f"{passes * copy + lines:.3g} ({passes:g} × {copy:.3g} + {lines:.3g})"


ABOUT = (
    "Forward, complex double. A launch's value is that of the best of eight batches, from the first process's start "
    "to the last one's end. A launch is steady if a little arithmetic in registers took its usual time on every CPU "
    "during the best batch, and a cache line its usual time from one CPU to the other before and after; other "
    "launches count only where a program has no steady one.\n\n"
    "Ours and LAMMPS: bricks (1 × 1 × 1, 1 × 1 × 2, 1 × 2 × 2) back to the same bricks. FFTW-MPI: its own slabs, back "
    "to slabs, and left transposed, which is half the work between PEs. Ours is left transposed as FFTW's is, too; in "
    "ordinary memory, and in symmetric memory that is promised to be so (`buffers` of `oshen_fft_attr_t`).\n\n"
    "Arrays of one axis: ours in the blocks of `oshen_fft_line`, into natural order and left transposed (`columns`); "
    "FFTW-MPI in its own blocks, into natural order and left scrambled. The limit has two kinds of lines, the columns "
    "and the rows of the matrix.\n\nRoutes: `>` means that results go to where the next stage wants them, `<` that "
    "the next stage gathers them. The limit is what the same PEs need at the same time for as many plain copies of "
    "their parts as the route makes passes, plus the one-dimensional transforms in the "
    "cache. A copy writes to other lines than it reads; a pass in place does not, and may beat it. A route that "
    "begins with a mere copy begins with none where input and output are one buffer, as here in symmetric memory.\n\n"
    "heFFTe and fftMPI are not packaged by Debian 12; `--with heffte=FOLDER` takes one that was built by hand."
)
PROFILES = {
    "fft": Profile("the 3-D FFT beside FFTW-MPI and LAMMPS' own, and arrays of one axis", 5, (
        *(Part(CUBE, (1, 2, 4), Effort(batch_us=300_000, sizes=(n,)), 120) for n in (32, 64, 128)),
        Part(CUBE, (1, 2, 4), Effort(batch_us=300_000, sizes=(256,)), 900),
        Part(LINE, (1, 2, 4), Effort(batch_us=300_000, sizes=(1 << 24,)), 900),
    ), tables=tables, campaign=lambda: Fft),
}
PAGES = {"fft": Page("3-D FFT beside others", tables, ABOUT, "fft-notes.md", steady=True)}
