"""A library under test, and its description on the command line."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass, field
from pathlib import Path

KINDS = ("shmem", "mpi", "sim")
ROOT_ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # for Open MPI
OPEN_MPI_ENV = ROOT_ENV | {"OMPI_MCA_osc": "^rdma"}  # Debian 12's 4.1.4 crashes at exit with it
OPEN_MPI_RUN = ("--oversubscribe", "--bind-to", "none")  # the programs pin themselves


@dataclass(frozen=True)
class Library:
    """A library under test. `kind` selects the sources. `run` is the launcher's command with {np} for the number of
    processes, and with `hosts` also {hosts}, {slots} and {per_host} (hosts.py). `env` has the settings at which it is
    compared."""

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
    return Library(name, kind, compiler, words if any("{np}" in w for w in words) else (*words, "-n", "{np}"), env
                   or {})
