"""The libraries that can be compared: ours, the OpenSHMEM of Open MPI, and the MPIs of this machine."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

OPEN_MPI_ENV = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_osc": "^rdma",  # Debian 12's 4.1.4 crashes at exit with it
}
OPEN_MPI_RUN = ["--oversubscribe", "--bind-to", "none"]  # the programs pin themselves


@dataclass(frozen=True)
class Library:
    """A library under test. `kind` is "shmem" or "mpi": which sources it compiles."""

    name: str
    kind: str
    compiler: str
    launcher: str
    launcher_args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)

    @property
    def is_ours(self) -> bool:
        return self.name == "oshen"

    def command(self, pes: int, program: Path, args: list[str]) -> list[str]:
        return [self.launcher, *self.launcher_args, "-n", str(pes), str(program), *args]


def find_ours(root: Path, bin_dir: str | None) -> Library | None:
    """The newest build in `root`/build, unless a directory with oshcc and oshrun is given."""
    wrappers = (
        [Path(bin_dir) / "oshcc"] if bin_dir else sorted(root.glob("build/*/bin/oshcc"), key=_age)
    )
    for wrapper in wrappers:
        if wrapper.exists() and (wrapper.parent / "oshrun").exists():
            return Library("oshen", "shmem", str(wrapper), str(wrapper.parent / "oshrun"))
    return None


def find_peers() -> list[Library]:
    """What Debian's packages install, where they are installed."""
    candidates = [
        ("ompi-shmem", "shmem", ["oshcc"], ["oshrun"]),
        ("ompi", "mpi", ["mpicc.openmpi"], ["mpiexec.openmpi"]),
        ("mpich", "mpi", ["mpicc.mpich"], ["mpiexec.mpich"]),
    ]
    found = []
    for name, kind, compilers, launchers in candidates:
        compiler = next(filter(None, map(shutil.which, compilers)), None)
        launcher = next(filter(None, map(shutil.which, launchers)), None)
        if compiler and launcher and (name != "ompi-shmem" or _is_open_mpi(compiler)):
            open_mpi = name.startswith("ompi")
            args = tuple(OPEN_MPI_RUN) if open_mpi else ()
            found.append(
                Library(name, kind, compiler, launcher, args, OPEN_MPI_ENV if open_mpi else {})
            )
    return found


def parse_library(text: str) -> Library:
    """From the command line: NAME=KIND:COMPILER:LAUNCHER, for example sos=shmem:/opt/sos/bin/oshcc:/opt/sos/bin/oshrun."""
    name, _, rest = text.partition("=")
    kind, compiler, launcher = rest.split(":")
    if kind not in ("shmem", "mpi"):
        raise ValueError(f"{text}: the kind is shmem or mpi")
    return Library(name, kind, compiler, launcher)


def _age(path: Path) -> float:
    return -path.stat().st_mtime


def _is_open_mpi(compiler: str) -> bool:
    shown = subprocess.run(
        [compiler, "--showme:version"], capture_output=True, text=True, check=False
    )
    return "Open SHMEM" in shown.stdout + shown.stderr  # ours says OpenSHMEM
