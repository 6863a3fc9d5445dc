# SPDX-License-Identifier: BSD-3-Clause
"""Programs in which `oshcc --races` has nothing to report, except where they say so: how each is built and run."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import mini_apps
from oshbench.correctness import litmus as oshbench_litmus
from oshbench.libraries.probe import SHMEM_FEATURES


ROOT = mini_apps.ROOT

FLAGS = ["--races", "-w", "-O1", "-std=gnu11"]
NOT_SILENT = {  # with the reason
    "hangs.md: spin.c": "the page shows a loop that does not wait by a call",
    "every-ordering.md: notice.c": "the page shows a put without a fence",
}
FAIL_OR_HANG = "hangs"  # the page has programs that do not end by themselves
PROGRAMS = ("jobs/linking/two.c", "jobs/linking/statics.c", "packages/embedded/ring.c", "tools/oshtrace/talk.c",
            "stress/scale/every_collective.c", "stress/scale/graph.c", "stress/scale/many_rounds.c",
            "jobs/memory_checkers/heap_use.c", "nodes/neighbours.c", "exchange/sink.c",
            "packages/exchange/everybody.c", "gates/abi/profiling.c", "jobs/programs/ring.c")
# A PE that computes reads the flag that ends the case by a load: the case measures a PE that is outside of the library.
CASES_THAT_RACE = "put_to_computing,add_to_computing"


@dataclass
class Program:
    """`build` is a command. `words` are what oshrun starts. `pes` overrides the numbers of PEs of the test."""

    name: str
    build: list = field(default_factory=list)
    words: list = field(default_factory=list)
    options: list = field(default_factory=list)  # of oshrun
    pes: tuple[int, ...] = ()
    reports: bool | None = False  # None: it may or may not


def apps(tools: Path, folder: Path) -> list[Program]:
    """Every synchronisation of the mini-apps."""
    sources = mini_apps.sources_of_apps()
    return [Program(app, mini_apps.compile_command(app, ROOT / "apps", sources, tools / "oshcc", folder / app),
                    [folder / app, *mini_apps.RUNS[app].split(), "--sync", "all"]) for app in mini_apps.RUNS]


def fortran(tools: Path, folder: Path) -> list[Program]:
    """Tests that end by themselves, and the examples of the pages."""
    tests = ROOT / "tests/languages/fortran"
    names = ("allocate", "atomics", "collectives", "contexts", "extensions", "old_fixed", "old_free", "old_lock", "rma", "signals",
             "teams", "threads", "waits")
    sources = sorted(path for name in names for path in tests.glob(f"{name}.f*"))
    for page in sorted((ROOT / "docs").glob("*/*.md")):
        for name, text in re.findall(r"^```fortran\n! (\w+\.f90)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            sources.append(folder / f"{page.stem}_{name}")
            sources[-1].write_text(text)
    return [Program(source.name, [tools / "oshfort", "--races", "-O1", source, "-o", f"{folder / source.name}.out", "-J", folder],
                    [f"{folder / source.name}.out"]) for source in sources]


def litmus(tools: Path, folder: Path) -> list[Program]:
    """Each litmus test. Those whose accesses race must be reported. The first one builds the program of all."""
    program = folder / "litmus"
    build = [tools / "oshcc", *FLAGS, *sorted((ROOT / "bench/programs/litmus").glob("*.c")), "-o", program, "-pthread"]
    expected = {"ordered": False, "sometimes": None, "races": True}
    return [Program(f"litmus {test.name}", build, [program, 20, 1, "--apart", "--only", test.name], pes=(4,),
                    reports=expected[test.race]) for test in oshbench_litmus.read_tests(ROOT / "bench")]


def bench(tools: Path, folder: Path) -> list[Program]:
    """The cases of oshbench, a source file at a time. Their barriers are outside of the library, and here also inside."""
    programs = ROOT / "bench/programs"
    flags = [*FLAGS, "-DBENCH_MEET_BY_LIBRARY", *(f"-DBENCH_HAS_{name.upper()}=1" for name, *_ in SHMEM_FEATURES),
             f"-I{programs / 'common'}", f"-I{programs / 'micro'}"]
    shared = [*(programs / "common").glob("*.c"), programs / "micro/main.c"]
    page = folder / "page"
    page.touch()
    found = []
    for source in sorted((programs / "micro").glob("*.c")):
        if source.name in ("main.c", "hello.c", "stages.c"):
            continue
        out = folder / f"bench-{source.stem}"
        arguments = ["--page", page, "--out", folder / "records", "--cpus", "0,1", "--batches", "1", "--batch-us", "1", "--quick",
                     "--without", CASES_THAT_RACE]
        found.append(Program(f"bench {source.name}", [tools / "oshcc", *flags, *shared, source, "-o", out, "-lm", "-pthread"],
                             [out, *arguments], pes=(2, 3)))
    return found


def c(tools: Path, folder: Path) -> list[Program]:
    """The C examples of the pages, with their number of PEs, and test programs that communicate."""
    found = []
    for page in sorted((ROOT / "docs").glob("*/*.md")):
        text = page.read_text()
        for name, code in re.findall(r"^```c\n// (\w+\.c)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            title = f"{page.name}: {name}"
            if "int main" not in code or "mpi.h" in code or (page.stem == FAIL_OR_HANG and title not in NOT_SILENT):
                continue
            source = folder / f"{page.stem}_{name}"
            source.write_text(code)
            run = re.search(rf"oshrun -n (\d+)[^\n]* \./{source.stem.removeprefix(page.stem + '_')}\b", text)
            found.append(_of_c(tools, folder, title, source, (int(run[1]),) if run else (), title in NOT_SILENT))
    return found + [_of_c(tools, folder, name, ROOT / "tests" / name, (), False) for name in PROGRAMS]


def _of_c(tools: Path, folder: Path, title: str, source: Path, pes: tuple[int, ...], reports: bool) -> Program:
    out = folder / f"{source.name}.out"
    libraries = ["-loshen-exchange", "-lstdc++", "-lm", "-pthread"]
    return Program(title, [tools / "oshcc", *FLAGS, source, "-o", out, *libraries], [out], pes=pes, reports=reports)


def python(tools: Path, folder: Path) -> list[Program]:
    """Only calls are seen, for NumPy makes the loads and stores."""
    interpreter = ROOT / ".venv/bin/python"
    if not interpreter.exists():
        return []
    library = tools.parent / "lib/liboshen-races.so"
    env = {"PYTHONPATH": ROOT / "python", "OSHEN_LIBRARY": library, "LD_PRELOAD": library, "PYTHONDONTWRITEBYTECODE": 1,
           "OMP_NUM_THREADS": 1}
    options = [word for name, value in env.items() for word in ("-x", f"{name}={value}")]
    tests = [ROOT / f"tests/languages/python/{name}_test.py" for name in ("shmem", "exchange", "fft", "mistakes")]
    programs = [[test] for test in tests] + [[ROOT / "python/examples/heat.py", folder / "heat.png"]]
    return [Program(f"python {words[0].name}", [], [interpreter, *words], options) for words in programs]


KINDS = {"apps": apps, "fortran": fortran, "litmus": litmus, "bench": bench, "c": c, "python": python}


def failures_of(program: Program, tools: Path, pes: list[int], folder: Path, built: set[str]) -> int:
    """How many runs reported where they must not, did not where they must, or failed. Builds a program once."""
    output = str(program.words[0])
    if program.build and output not in built:
        subprocess.run(program.build, check=True, stdout=subprocess.DEVNULL)
        built.add(output)
    failures = 0
    for n in program.pes or pes:
        if (folder / "page").exists():  # of bench: zeros
            os.truncate(folder / "page", 0)
            os.truncate(folder / "page", 16 << 20)
        command = [tools / "oshrun", "--timeout", "100", "-n", n, *program.options, *program.words]
        job = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        reported = "oshen: race on " in job.stdout
        wrong = reported != program.reports if program.reports is not None else False
        if wrong or (job.returncode != 0 and not reported):
            print(f"{program.name} on {n} PEs: status {job.returncode}, {'a report' if reported else 'no report'}\n{job.stdout}")
            failures += 1
    return failures
