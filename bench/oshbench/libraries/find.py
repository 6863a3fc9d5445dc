"""The libraries that can be compared: ours, the other OpenSHMEM and MPI libraries of this machine, and those named by the user."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path

KINDS = ("shmem", "mpi", "sim")
ROOT_ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # for Open MPI
OPEN_MPI_ENV = ROOT_ENV | {"OMPI_MCA_osc": "^rdma"}  # Debian 12's 4.1.4 crashes at exit with it
OPEN_MPI_RUN = ("--oversubscribe", "--bind-to", "none")  # the programs pin themselves


@dataclass(frozen=True)
class Library:
    """A library under test. `kind` selects the sources. `run` is the launcher's command with {np} for the number of processes, and
    with `hosts` also {hosts}, {slots} and {per_host} (hosts.py). `env` has the settings at which it is compared."""

    name: str
    kind: str
    compiler: str
    run: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()  # empty: this machine
    variant_of: str = ""  # the library that this one is a variant of
    design: str = ""  # the design of its collectives (designs.py)

    @property
    def is_ours(self) -> bool:
        return self.name == "oshen"

    def command(self, pes: int, program: Path | str, args: list[str]) -> list[str]:
        used = self.hosts[:pes]
        each = -(-pes // max(1, len(used)))
        fill = {"{np}": str(pes), "{hosts}": ",".join(used), "{slots}": ",".join(f"{host}:{each}" for host in used),
                "{per_host}": str(each)}
        front = [_filled(part, fill) for part in self.run]
        own = [str(pes)] if self.kind == "sim" else []
        return [*front, str(program), *own, *args]

    def to_dict(self) -> dict:
        return asdict(self) | {"run": list(self.run), "hosts": list(self.hosts)}


def _filled(text: str, fill: dict[str, str]) -> str:
    for name, value in fill.items():
        text = text.replace(name, value)
    return text


def from_dict(entry: dict) -> Library:
    return Library(**(entry | {"run": tuple(entry["run"]), "hosts": tuple(entry.get("hosts", ()))}))


def find_ours(root: Path, bin_dir: str | Path | None) -> Library | None:
    """The newest build in `root`/build, unless a directory with oshcc and oshrun is given."""
    wrappers = (
        [Path(bin_dir) / "oshcc"] if bin_dir else sorted(root.glob("build/*/bin/oshcc"), key=_age)
    )
    for wrapper in wrappers:
        if wrapper.exists() and (wrapper.parent / "oshrun").exists():
            return Library("oshen", "shmem", shlex.quote(str(wrapper)), (str(wrapper.parent / "oshrun"), "-n", "{np}"))
    return None


def find_peers() -> list[Library]:
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
    from . import mpis  # imported here, because it needs this module
    return found + mpis.find(found) + _other_shmems()


# Words in the vendor string or the folder of other libraries.
OTHER_SHMEMS = (("sandia", "sos"), ("osss", "osss-ucx"), ("oshmpi", "oshmpi"), ("cray", "cray"), ("mvapich", "mvapich"))


def _other_shmems() -> list[Library]:
    """Sandia OpenSHMEM, OSSS-UCX, OSHMPI and MVAPICH by their oshcc, Cray OpenSHMEMX by its cc. OSHMPI has no oshrun; its jobs are
    started by the mpiexec of its MPI."""
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


def everywhere(program: str, more: list[Path] | None = None) -> list[str]:
    """All programs of this name: in PATH, then in /opt, /usr/local and `more`; each once."""
    folders = [Path(p) for p in os.environ.get("PATH", "").split(os.pathsep) if p]
    for root in (Path("/opt"), Path("/usr/local")):
        folders += sorted(root.glob("*/bin")) + sorted(root.glob("*/*/bin"))
    folders += more or []
    found: dict[Path, str] = {}
    for folder in folders:
        path = folder / program
        if os.access(path, os.X_OK):
            found.setdefault(path.resolve(), str(path))
    return list(found.values())


def _beside(compiler: str, launchers: list[str]) -> list[str]:
    return [str(Path(compiler).parent / name) for name in launchers] + launchers


def parse_library(text: str) -> Library:
    """From the command line: NAME=KIND:COMPILER:RUN, for example sos=shmem:/opt/sos/bin/oshcc:/opt/sos/bin/oshrun or
    mine=mpi:mycc:'mpirun -n {np} --map-by core'. RUN without {np} gets -n {np}."""
    name, _, rest = text.partition("=")
    parts = rest.split(":", 2)
    if not name or len(parts) != 3 or parts[0] not in KINDS:
        raise ValueError(f"{text}: NAME=KIND:COMPILER:RUN is expected, with one of {', '.join(KINDS)} as KIND")
    return make_library(name, *parts)


def make_library(name: str, kind: str, compiler: str, run: str, env: dict[str, str] | None = None) -> Library:
    if kind == "sim":
        return Library(name, kind, "cc", (), {"OSHBENCH_SIM": run})
    words = tuple(shlex.split(run))
    return Library(name, kind, compiler, words if any("{np}" in w for w in words) else (*words, "-n", "{np}"), env or {})


# ---- libraries added by oshbench libs --add

def named_file() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "oshbench" / "libraries.json"


def named() -> list[Library]:
    try:
        return [from_dict(entry) for entry in json.loads(named_file().read_text())]
    except FileNotFoundError:
        return []


def remember(library: Library) -> None:
    kept = [other for other in named() if other.name != library.name] + [library]
    named_file().parent.mkdir(parents=True, exist_ok=True)
    named_file().write_text(json.dumps([entry.to_dict() for entry in kept], indent=1) + "\n")


def forget(name: str) -> bool:
    kept = [other for other in named() if other.name != name]
    known = len(kept) < len(named())
    if known:
        named_file().write_text(json.dumps([entry.to_dict() for entry in kept], indent=1) + "\n")
    return known


def _age(path: Path) -> float:
    return -path.stat().st_mtime


def _is_open_mpi(compiler: str) -> bool:
    try:
        shown = subprocess.run([compiler, "--showme:version"], capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return "Open SHMEM" in shown.stdout + shown.stderr  # ours says OpenSHMEM
