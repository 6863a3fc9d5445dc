"""The mini-apps, compiled for every library from the sources in apps/, and the parser of their output."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from ..cases.app_names import case_of, threads_of
from ..common.compiler import BuildError, cache_of, first_error
from ..common.process import run_bounded
from ..libraries.build import Maker
from ..libraries.launch import Launch
from ..libraries.library import Library
from ..machine import placement

LINE = re.compile(r"^(?P<sync>\S+)\s+(?P<seconds>[\d.]+) s\s+(?P<merit>\S+) (?P<unit>\S+)\s+(?P<phases>.*?)\s+"
                  r"(?P<checksum>[0-9a-f]{16}) (?P<verdict>right|unchecked|WRONG)$")
UNCHECKED = 5  # the exit status of a run whose answer is not known: it stopped before it had converged
FLAGS = ["-std=c11", "-O3", "-D_POSIX_C_SOURCE=200809L", "-pthread"]


def folder(bench: Path) -> Path:
    return bench.resolve().parent / "apps"


def names(bench: Path) -> list[str]:
    return sorted(name for name in _sources(bench) if name != "halo" and not name.endswith(("_shmem", "_mpi")))


@dataclass(frozen=True)
class Job:
    """One start of an app."""

    app: str
    pes: int
    args: tuple[str, ...]
    cpus: list[int]  # of all PEs
    timeout: float
    round: int = 0  # each round begins with another synchronisation


def run(bench: Path, work: Path, library: Library, job: Job, env: dict[str, str]) -> Launch:
    program, problem = build(bench, work, library, job.app)
    if program is None:
        return Launch([], "", f"does not compile: {problem}", False)
    command = placement.command(library, job.pes, program, [*job.args, "--sync", "all", "--rotate", str(job.round)],
                                job.cpus, threads_of(job.args))
    ending, said = run_bounded(command, env, job.timeout)
    entries = records(job.app, job.pes, job.args, said)
    if ending == f"exit {UNCHECKED}":
        ending = "results unchecked: too few --steps to converge"
    return Launch(entries, "", ending, bool(entries), said[-400:])


def records(app: str, pes: int, args: tuple[str, ...], said: str) -> list[dict]:
    """One record for each synchronisation."""
    entries, name = [], case_of(app, "{}", args)
    for match in filter(None, map(LINE.match, said.splitlines())):
        phases = {name: int(share) for name, share in re.findall(r"(\w+) (\d+)%", match["phases"])}
        entries.append({
            "case": name.format(match["sync"]), "how": " ".join([app, *args]), "size": 0, "pes": pes, "count": 1,
            "ns": 1e9 * float(match["seconds"]), "ok": match["verdict"] != "WRONG",
            "extra": {"merit": float(match["merit"]), "merit_unit": match["unit"], "phases": phases},
        })
    return entries


def build(bench: Path, work: Path, library: Library, app: str) -> tuple[Path | None, str]:
    """The program, or the reason why it could not be built."""
    sources = _sources(bench)
    if app not in sources:
        return None, f"no such app; there are {', '.join(names(bench))}"
    output = work / library.name / f"app-{app}"
    inputs = [*folder(bench).rglob("*.[ch]"), *_static_libraries(library)]
    if output.exists() and all(output.stat().st_mtime > file.stat().st_mtime for file in inputs):
        return output, ""
    output.parent.mkdir(parents=True, exist_ok=True)
    make, problem = Maker(folder(bench), output.parent, cache_of(work), library.compiler, ()), ""
    for own, libraries in _own_ways(sources, app, library.kind):
        files = dict.fromkeys((*sources[app], *own, *sources["halo"], f"halo/{library.kind}.c",
                               f"halo/{library.kind}_words.c"))
        try:
            objects = [make.compiled(folder(bench) / name, [*FLAGS, f"-I{folder(bench)}"]) for name in files]
            return make.link(output.name, objects, ["-lm", *libraries]), ""
        except BuildError as error:
            problem = problem or first_error(str(error))
    return None, problem


def _static_libraries(library: Library) -> list[Path]:
    """Our exchange library, which remap3d contains."""
    compiler = shutil.which(shlex.split(library.compiler)[0]) if library.is_ours else None
    if compiler is None:
        return []
    return [file for folder in ("lib*", "lib/*")
            for file in Path(compiler).parents[1].glob(f"{folder}/liboshen-exchange.*")]


def _own_ways(sources: dict[str, list[str]], app: str, kind: str) -> list[tuple[list[str], list[str]]]:
    """The sources of an app for one transport, with their libraries. remap3d without our exchange library has none."""
    own = sources.get(f"{app}_{kind}", [])
    if app == "remap3d" and kind == "shmem":
        return [(own, ["-loshen-exchange", "-lstdc++"]), (["remap_none.c"], [])]
    return [(own, [])]


def _sources(bench: Path) -> dict[str, list[str]]:
    """From the build: set(NAME_sources a.c b.c), set(NAME_TRANSPORT_sources c.c)."""
    text = (folder(bench) / "CMakeLists.txt").read_text()
    return {name: files.split() for name, files in re.findall(r"^set\((\w+)_sources\s+([^)]+)\)", text, re.M)}
