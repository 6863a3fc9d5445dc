"""Compiles the benchmark programs: the same sources and flags for every library of a kind. A file that a library cannot
compile is left out. Libraries with the same compiler share their objects."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shlex
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from ..cases.own import NO_CASES, OwnCases
from ..common.compiler import BuildError, cache_of, first_error, run_compiler
from .library import Library

STRICT = "-Werror=implicit-function-declaration"  # a misspelt call is an error of the compiler, not of the linker
FLAGS = ["-O2", "-std=gnu11", "-Wall", "-Wextra"]
SOURCES = {"shmem": "micro", "mpi": "mpi", "none": "limits", "sim": "sim"}
HEADERS = {"shmem": "shmem.h", "mpi": "mpi.h", "none": "rdma/fabric.h", "socket": "sys/socket.h"}
PROGRAMS_OF_THEIR_OWN = ("hello.c", "stages.c")


@dataclass(frozen=True)
class Programs:
    """The programs of one library."""

    library: Library
    cases: Path | None
    hello: Path | None
    threads: Path | None = None
    stages: Path | None = None
    missing: dict[str, str] = field(default_factory=dict)  # the reason for each source file that was left out
    rejected: dict[str, str] = field(default_factory=dict)  # what the compiler said of each file of a user's own


def build_library(bench: Path, work: Path, library: Library, defines: tuple[str, ...] = (),
                  own: OwnCases = NO_CASES) -> Programs:
    folder = work / library.name
    folder.mkdir(parents=True, exist_ok=True)
    make = Maker(bench / "programs", folder, cache_of(work), library.compiler, defines)
    sources = bench / "programs" / SOURCES[library.kind]
    if library.kind == "sim":
        return Programs(library, make.program("cases", [*make.common(), sources / "sim.c"], ["-lm"]), None)
    cases = [s for s in sorted(sources.glob("*.c")) if s.name not in PROGRAMS_OF_THEIR_OWN]
    if own.files:
        return _with_own(make, library, sources, cases, own)
    program = make.program_of_parts("cases", make.common(), cases)
    return Programs(
        library,
        program,
        make.program("hello", [sources / "hello.c"]),
        make.threads(library.kind),
        make.optional("stages", [sources / "stages.c"]),
        make.missing,
    )


def build_hello(bench: Path, work: Path, library: Library) -> Programs:
    """The smallest program alone."""
    folder = work / library.name
    folder.mkdir(parents=True, exist_ok=True)
    make = Maker(bench / "programs", folder, cache_of(work), library.compiler, ())
    return Programs(library, None, make.program("hello", [bench / "programs" / SOURCES[library.kind] / "hello.c"]))


def _with_own(make: Maker, library: Library, sources: Path, cases: list[Path], own: OwnCases) -> Programs:
    """A program of its own, so that a later run does not find these cases."""
    files = own.files.get(library.kind, ())
    parts = [sources / "main.c"] if own.alone else cases
    program = make.program_of_parts("cases-own", make.common(), [*parts, *files], sources)
    if own.alone:
        return Programs(library, program, None, rejected=make.rejected)
    return Programs(library, program, None, make.threads(library.kind), missing=make.missing, rejected=make.rejected)


def build_litmus(bench: Path, work: Path, library: Library, defines: tuple[str, ...]) -> Path:
    folder = work / library.name
    folder.mkdir(parents=True, exist_ok=True)
    make = Maker(bench / "programs", folder, cache_of(work), library.compiler, defines)
    return make.program("litmus", sorted((bench / "programs" / "litmus").glob("*.c")))


def build_limits(bench: Path, work: Path) -> Path:
    work.mkdir(parents=True, exist_ok=True)
    make = Maker(bench / "programs", work, cache_of(work), "cc", ())
    return make.program("limits", [*sorted((bench / "programs" / "limits").glob("*.c")), *make.common()])


@dataclass
class Maker:
    programs: Path  # the folder of all sources
    folder: Path  # of the linked programs
    objects: Path
    compiler: str
    defines: tuple[str, ...]
    missing: dict[str, str] = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)

    def common(self) -> list[Path]:
        return sorted((self.programs / "common").glob("*.c"))

    def program(self, name: str, sources: list[Path], libraries: list[str] | None = None) -> Path:
        objects = [self.object(source) for source in sources]
        return self.link(name, objects, libraries or [])

    def optional(self, name: str, sources: list[Path], libraries: list[str] | None = None) -> Path | None:
        if not all(source.exists() for source in sources):
            return None
        try:
            return self.program(name, sources, libraries)
        except BuildError as error:
            self.missing[name] = first_error(str(error))
            return None

    def threads(self, kind: str) -> Path | None:
        """None if this kind of library has no thread cases."""
        own = sorted((self.programs / "threads" / kind).glob("*.c"))
        shared = sorted((self.programs / "threads").glob("*.c"))
        return self.optional("threads", [*self.common(), *shared, *own]) if own else None

    def program_of_parts(self, name: str, needed: list[Path], parts: list[Path], cases: Path | None = None) -> Path:
        """Parts that do not compile are left out; main.c must. Parts outside of oshbench include cases.h of the folder
        `cases`."""
        objects = [self.object(source) for source in needed]
        for part in parts:
            is_own = not part.is_relative_to(self.programs)
            try:
                objects.append(self.object(part, [f"-I{cases}", STRICT] if is_own else []))
            except BuildError as error:
                if part.name == "main.c" and not is_own:
                    raise
                self.missing[part.name] = first_error(str(error))
                if is_own:
                    self.rejected[str(part)] = str(error).partition("\n")[2]
        return self.link(name, objects, [])

    def object(self, source: Path, more: list[str] | None = None) -> Path:
        return self.compiled(source, [*FLAGS, *self.defines, f"-I{self.programs / 'common'}", f"-I{source.parent}",
                                      f"-I{source.parent.parent}", *(more or [])])

    def compiled(self, source: Path, flags: list[str]) -> Path:
        """Compiles again only if the command or a source has changed."""
        command = [*shlex.split(self.compiler), *flags, "-c", str(source), "-o"]
        output = self.objects / f"{source.parent.name}-{source.stem}-{self._key(command, source)}.o"
        if not output.exists():
            self.objects.mkdir(parents=True, exist_ok=True)
            with open(f"{output}.lock", "wb") as lock:
                with contextlib.suppress(OSError):  # some file systems have no locks; each then compiles its own
                    fcntl.flock(lock, fcntl.LOCK_EX)
                if not output.exists():  # no other run or thread has compiled it meanwhile
                    self._compile(command, output)
        return output

    def _compile(self, command: list[str], output: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="new-", dir=self.objects) as folder:
            run_compiler([*command, f"{folder}/object.o"])
            os.replace(f"{folder}/object.o", output)

    def link(self, name: str, objects: list[Path], libraries: list[str]) -> Path:
        output = self.folder / name
        run_compiler([*shlex.split(self.compiler), *map(str, objects), "-o", str(output), "-pthread", *libraries])
        return output

    def _key(self, command: list[str], source: Path) -> str:
        """The compiler by its place and the headers of its OpenSHMEM, and the sources of oshbench without theirs: a
        copy of them has the same objects."""
        where = os.path.realpath(shutil.which(command[0]) or command[0])
        text = hashlib.sha256(f"{where} {' '.join(command).replace(str(self.programs), '')}".encode())
        of_library = Path(where).parent.parent.glob("include/*shmem*.h")
        for path in [source, *sorted(source.parent.glob("*.h")), *sorted(source.parent.glob("*.def")),
                     *sorted(self.programs.rglob("*.h")), *sorted(of_library)]:
            text.update(path.read_bytes())
        return text.hexdigest()[:12]


def build_preload(work: Path, library: Library, source: str) -> Path:
    """A shared object that replaces routines of `library`."""
    text, output = work / "preload.c", work / "preload.so"
    text.write_text(f"#define _GNU_SOURCE\n#include <{HEADERS[library.kind]}>\n#include <string.h>\n{source}\n")
    return build_shared(library, text, output)


def build_shared(library: Library, source: Path, output: Path) -> Path:
    output.parent.mkdir(parents=True, exist_ok=True)
    run_compiler([*shlex.split(library.compiler), "-O2", "-std=gnu11", "-shared", "-fPIC", str(source), "-o",
                  str(output), "-ldl"])
    return output
