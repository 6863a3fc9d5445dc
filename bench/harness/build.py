"""Compiles the benchmark programs: the same sources and flags for every library of a kind."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from .libraries import Library

FLAGS = ["-O2", "-std=gnu11", "-Wall", "-Wextra"]
SOURCES = {"shmem": "micro", "mpi": "mpi", "none": "limits"}


class BuildError(RuntimeError):
    """A program does not compile."""


@dataclass(frozen=True)
class Programs:
    """What was built for one library."""

    library: Library
    cases: Path
    hello: Path


def build_library(bench: Path, work: Path, library: Library) -> Programs:
    folder = work / library.name
    folder.mkdir(parents=True, exist_ok=True)
    sources = bench / SOURCES[library.kind]
    common = sorted((bench / "common").glob("*.c"))
    cases = [s for s in sorted(sources.glob("*.c")) if s.name != "hello.c"]
    return Programs(
        library,
        _compile(bench, library.compiler, cases + common, folder / "cases"),
        _compile(bench, library.compiler, [sources / "hello.c"], folder / "hello"),
    )


def build_limits(bench: Path, work: Path) -> Path:
    work.mkdir(parents=True, exist_ok=True)
    sources = sorted((bench / "limits").glob("*.c")) + sorted((bench / "common").glob("*.c"))
    return _compile(bench, "cc", sources, work / "limits")


def _compile(bench: Path, compiler: str, sources: list[Path], output: Path) -> Path:
    command = [compiler, *FLAGS, f"-I{bench / 'common'}", *map(str, sources), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stderr}")
    return output


def build_preload(work: Path, library: Library, source: str) -> Path:
    """A shared object that replaces routines of `library`."""
    text, output = work / "preload.c", work / "preload.so"
    text.write_text(f"#include <shmem.h>\n#include <string.h>\n{source}\n")
    command = [library.compiler, "-O2", "-shared", "-fPIC", str(text), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stderr}")
    return output
