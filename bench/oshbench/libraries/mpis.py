"""MPI libraries beside those of Debian: in PATH, /opt and /usr/local, and in Python environments, where Open MPI, MPICH
and Intel MPI are installed from their wheels. They are recognised by the version that their mpiexec tells."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from .installed import everywhere
from .library import OPEN_MPI_RUN, ROOT_ENV, Library

SECONDS = 20
VERSIONS = (  # family, and the pattern of its version in the output of mpiexec --version
    ("ompi", re.compile(r"\(Open(?:RTE| MPI)\) v?(\d[\w.]*)")),
    ("impi", re.compile(r"Intel\(R\) MPI Library.*?Version (\d[\w.]*)", re.S)),
    ("mpich", re.compile(r"HYDRA.*?Version:\s+(\d[\w.]*)", re.S)),
)


def find(known: list[Library]) -> list[Library]:
    """One for each family and version, named after both. Compilers of `known` libraries are left out."""
    taken = {Path(library.compiler).resolve() for library in known}
    found: dict[str, Library] = {}
    for compiler in everywhere("mpicc", environments()):
        launcher = Path(compiler).parent / "mpiexec"
        if Path(compiler).resolve() in taken or not launcher.exists():
            continue
        if library := _library(compiler, launcher):
            found.setdefault(library.name, library)
    return list(found.values())


def environments() -> list[Path]:
    """The folders of programs of Python environments: the present ones, and .venv* here and in the checkout."""
    given = [sys.prefix, os.environ.get("VIRTUAL_ENV", sys.prefix)]
    beside = [folder for root in (Path.cwd(), Path(__file__).resolve().parents[3])
              for folder in sorted(root.glob(".venv*"))]
    return [Path(folder) / "bin" for folder in dict.fromkeys([*map(Path, given), *beside])]


def family_of(launcher: Path) -> tuple[str, str] | None:
    """The family and the version of an MPI, by its launcher."""
    try:
        told = subprocess.run([str(launcher), "--version"], capture_output=True, text=True, check=False,
                              timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = told.stdout + told.stderr
    family = next(((name, match[1]) for name, pattern in VERSIONS if (match := pattern.search(text))), None)
    if family and family[0] == "mpich" and "mvapich" in str(launcher.resolve()).lower():
        return "mvapich", family[1]
    return family


def _library(compiler: str, launcher: Path) -> Library | None:
    known = family_of(launcher)
    if known is None:
        return None
    family, version = known
    run = (str(launcher), *(OPEN_MPI_RUN if family == "ompi" else ()), "-n", "{np}")
    if family == "impi":  # its wheel does not know its folder
        root = {"I_MPI_ROOT": str(launcher.parent.parent)}
        return Library(f"impi-{version}", "mpi", f"env I_MPI_ROOT={launcher.parent.parent} {compiler}", run, root)
    return Library(f"{family}-{version}", "mpi", compiler, run, ROOT_ENV if family == "ompi" else {})
