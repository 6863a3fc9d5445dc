"""The libraries that can be compared: ours, the other OpenSHMEM and MPI libraries of this machine, and those named by
the user."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from . import mpis
from .installed import everywhere
from .library import OPEN_MPI_ENV, OPEN_MPI_RUN, Library


def ours(root: Path, bin_dir: str | Path | None) -> Library | None:
    """The newest build in `root`/build, unless a directory with oshcc and oshrun is given."""
    wrappers = (
        [Path(bin_dir) / "oshcc"] if bin_dir else sorted(root.glob("build/*/bin/oshcc"), key=_age)
    )
    for wrapper in wrappers:
        if wrapper.exists() and (wrapper.parent / "oshrun").exists():
            return Library("oshen", "shmem", shlex.quote(str(wrapper)), (str(wrapper.parent / "oshrun"), "-n", "{np}"))
    return None


def peers() -> list[Library]:
    """Libraries from Debian's packages, PATH, /opt, /usr/local, and Python environments."""
    found = []
    for name, kind, compilers, launchers in (
        ("ompi-shmem", "shmem", everywhere("oshcc"), ["oshrun"]),
        ("ompi", "mpi", ["mpicc.openmpi"], ["mpiexec.openmpi"]),
        ("mpich", "mpi", ["mpicc.mpich"], ["mpiexec.mpich"]),
    ):
        compiler = next((c for c in map(shutil.which, compilers) if c and (kind == "mpi" or _is_open_mpi(c))), None)
        launcher = next(filter(None, map(shutil.which, _beside(compiler, launchers))), None) if compiler else None
        if compiler and launcher:
            open_mpi = name.startswith("ompi")
            run = (launcher, *(OPEN_MPI_RUN if open_mpi else ()), "-n", "{np}")
            found.append(Library(name, kind, compiler, run, OPEN_MPI_ENV if open_mpi else {}))
    return found + mpis.find(found) + _other_shmems()


# Words in the vendor string or the folder of other libraries.
OTHER_SHMEMS = (("sandia", "sos"), ("osss", "osss-ucx"), ("oshmpi", "oshmpi"), ("cray", "cray"), ("mvapich", "mvapich"))


def _other_shmems() -> list[Library]:
    """Sandia OpenSHMEM, OSSS-UCX, OSHMPI and MVAPICH by their oshcc, Cray OpenSHMEMX by its cc. OSHMPI has no oshrun;
    its jobs are started by the mpiexec of its MPI."""
    found: dict[str, Library] = {}
    for compiler in everywhere("oshcc"):
        name = _known_name(compiler)
        launcher = _mpiexec_of(compiler) if name == "oshmpi" else Path(compiler).parent / "oshrun"
        if name and launcher.exists() and not _is_open_mpi(compiler):
            found.setdefault(name, Library(name, "shmem", compiler, (str(launcher), "-n", "{np}")))
    start = next(filter(None, map(shutil.which, ("srun", "aprun"))), None)
    if "CRAYPE_VERSION" in os.environ and shutil.which("cc") and start:
        found["cray"] = Library("cray", "shmem", "cc", (start, "-n", "{np}"))
    return list(found.values())


def _mpiexec_of(wrapper: str) -> Path:
    """The mpiexec beside the compiler that a script such as OSHMPI's oshcc calls, or that in PATH."""
    called = re.search(r'^mpicc="([^"]+)"', Path(wrapper).read_text(errors="replace"), re.M)
    compiler = shutil.which(called[1].split()[0]) if called else None
    beside = Path(compiler).parent / "mpiexec" if compiler else Path("mpiexec")
    return beside if beside.exists() else Path(shutil.which("mpiexec") or beside)


def _known_name(compiler: str) -> str | None:
    """From the vendor string in the header of the wrapper, or its folder."""
    source = "#include <shmem.h>\nvendor SHMEM_VENDOR_STRING\n"
    try:
        shown = subprocess.run([compiler, "-E", "-x", "c", "-"], input=source, capture_output=True, text=True,
                               check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = next((line for line in reversed(shown.stdout.splitlines()) if line.startswith("vendor")), "").lower()
    folder = str(Path(compiler).resolve().parent).lower()
    return next((name for word, name in OTHER_SHMEMS if word in text or word in folder), None)


def _beside(compiler: str, launchers: list[str]) -> list[str]:
    return [str(Path(compiler).parent / name) for name in launchers] + launchers



def _age(path: Path) -> float:
    return -path.stat().st_mtime


def _is_open_mpi(compiler: str) -> bool:
    try:
        shown = subprocess.run([compiler, "--showme:version"], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return "Open SHMEM" in shown.stdout + shown.stderr  # ours says OpenSHMEM
