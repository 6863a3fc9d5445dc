"""Puts, gets, atomics, flags and collectives between two hosts: ours over its own TCP, over libfabric and over UCX; a
bare socket, libfabric itself, Open MPI's OpenSHMEM, and the MPIs of this machine. Messages also between four hosts. The
hosts are network namespaces. Their processes share no page, so programs/off_node has an engine of its own."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from oshbench.common.compiler import BuildError, first_error
from oshbench.common.text import size_text
from oshbench.libraries import hosts
from oshbench.libraries.launch import Effort, Launch
from oshbench.libraries.library import OPEN_MPI_ENV, Library
from oshbench.libraries.spinning import spins
from oshbench.measure.campaign import Campaign, Setup
from oshbench.measure.profile import KIB, MIB, Part, Profile
from oshbench.report.grids import Grid, quantity
from oshbench.results.rows import FABRIC, SOCKET, Key, Table
from oshbench.results.run import Run

from .. import laboratory, messages, off_node_programs
from ..goals import Bound, Goal, time, times_best, times_library
from ..page import Page

BARE, BARE_NEWER = FABRIC, f"{FABRIC}-1.21"
# Programs of two processes that no launcher starts, with the words before the address.
BARE_WORDS = {SOCKET: (), BARE: ("tcp;ofi_rxm",), BARE_NEWER: ("tcp",)}
PORT = "7471"
MESSAGES = "messages"  # the part with a host for each PE
YIELDING = {"OMPI_MCA_mpi_yield_when_idle": "1"}  # Open MPI sees one process on each host, and the hosts share CPUs
ABOUT = {
    "oshen": "Oshen over its own TCP",
    "oshen-ofi": "Oshen over libfabric, tcp;ofi_rxm",
    "oshen-ofi-1.21": "Oshen over libfabric 1.21, tcp",
    "oshen-ucx": "Oshen over UCX, tcp",
    SOCKET: "one TCP connection, no library",
    BARE: "libfabric itself, tcp;ofi_rxm: fi_write complete at the target, fi_read",
    BARE_NEWER: "libfabric 1.21 itself, tcp",
    "ompi-shmem": "Open MPI's OpenSHMEM over UCX, tcp",
    "ompi": "Open MPI, its own tcp",
    "ompi-ucx": "Open MPI over UCX, tcp",
    "mpich-ucx": "MPICH over UCX, tcp",
    "mpich-ofi": "MPICH of PyPI over libfabric, tcp",
}


def hydra(program: str, first: str) -> tuple[str, ...]:
    return (program, "-launcher", "ssh", "-launcher-exec", str(laboratory.lab().AGENT), "-localhost", first, "-hosts",
            "{hosts}", "-ppn", "{per_host}", "-n", "{np}")


class OffNode(Campaign):
    def __init__(self, setup: Setup, profile: Profile, libraries: list[Library], output: Path) -> None:
        super().__init__(setup, profile, libraries, output)
        self.programs: dict[str, Path] = {}

    @classmethod
    def obstacle(cls, setup: Setup) -> str:
        return laboratory.obstacle() or ("" if setup.ours else "no build of ours with oshcc and oshrun")

    @classmethod
    def contestants(cls, setup: Setup) -> list[Library]:
        """The installed libraries."""
        return [library for library in everybody(setup) if shutil.which(library.compiler)]

    def prepare(self, run: Run) -> None:
        folder = laboratory.shared_folder(self.setup.work)
        for name, library in self.libraries.items():
            note = {"name": name, "kind": library.kind, "version": ABOUT[name], "env": library.env}
            try:
                self.programs[name] = off_node_programs.make(self.setup.bench, folder / name, library)
            except BuildError as error:
                note["unusable"] = first_error(str(error))
                self.setup.say(f"  {name}: not built: {note['unusable']}")
            run.libraries[name] = note

    def can(self, step) -> bool:
        if step.library not in self.programs or step.library in BARE_WORDS and step.pes != 2:
            return False
        return self.profile.parts[step.part].spinners or not spins(step.library, step.pes)

    def launch(self, step) -> Launch:
        library, part = self.libraries[step.library], self.profile.parts[step.part]
        program, words = str(self.programs[step.library]), ["quick"] if part.effort.quick else []
        if part.program == MESSAGES:
            words.append(MESSAGES)
            library = replace(library, hosts=tuple(laboratory.addresses(step.pes)), env=library.env | YIELDING)
        with laboratory.lab().Lab(len(library.hosts)) as pair:
            if step.library in BARE_WORDS:
                ending, said = bare(pair, library, [program], words, part.timeout)
            else:
                command = library.command(step.pes, program, words)
                ending, said = laboratory.communicate(laboratory.start(pair, "h1", command, library.env), part.timeout)
        entries = list(off_node_programs.records(said, step.pes))
        wrong = [f"{record['case']} {size_text(record['size'])}" for record in entries if not record["ok"]]
        if wrong:
            ending = f"wrong results: {', '.join(wrong)}"
        return Launch(entries, "", ending, ending == "ok" and bool(entries), said[-400:])


def bare(pair, library: Library, program: list[str], words: list[str], timeout: float) -> tuple[str, str]:
    """The two processes of a program without a library: how they ended, and the output of both."""
    front = [*program, *BARE_WORDS[library.name]]
    server = laboratory.start(pair, "h2", [*front, "serve", PORT, *words], library.env)
    client = laboratory.start(pair, "h1", [*front, library.hosts[1], PORT, *words], library.env)
    ending, said = laboratory.communicate(client, timeout)
    of_server, more = laboratory.communicate(server, 10 if ending == "ok" else 1)
    return (ending if ending != "ok" else of_server), said + more


def everybody(setup: Setup) -> list[Library]:
    """All libraries of the comparison. The goals are about the first."""
    root = setup.bench.resolve().parent
    ours, wheel, two = str(setup.ours / "oshcc"), root / ".venv/bin", tuple(laboratory.addresses(2))
    open_mpi = OPEN_MPI_ENV | {"OMPI_MCA_plm_rsh_agent": str(laboratory.lab().AGENT),
                               "OMPI_MCA_opal_common_ucx_tls": "any", "OMPI_MCA_opal_common_ucx_devices": "any"}
    mpirun = ("mpirun.openmpi", "--host", "{slots}", "--oversubscribe", "--bind-to", "none", "-n", "{np}")
    mpiexec, of_wheel = (hydra(program, two[0]) for program in ("mpiexec.hydra", str(wheel / "mpiexec.hydra")))
    newer = newer_libfabric(root)
    with_newer = [
        Library("oshen-ofi-1.21", "shmem", ours, mpiexec, {"OSHEN_TRANSPORT": "ofi:tcp"} | newer, two),
        Library(BARE_NEWER, "none", "cc", (), newer, two),
    ] if newer else []
    return [
        Library("oshen", "shmem", ours, mpiexec, {"OSHEN_TRANSPORT": "tcp"}, two),
        Library("oshen-ofi", "shmem", ours, mpiexec, {"OSHEN_TRANSPORT": "ofi:" + BARE_WORDS[BARE][0]}, two),
        Library("oshen-ucx", "shmem", ours, mpiexec, {"OSHEN_TRANSPORT": "ucx:tcp"}, two),
        Library(SOCKET, "socket", "cc", (), {}, two),
        Library(BARE, "none", "cc", (), {}, two),
        *with_newer,
        Library("ompi-shmem", "shmem", "oshcc", mpirun, open_mpi | laboratory.UCX | hosts.SETTINGS["ompi-shmem"], two),
        Library("ompi", "mpi", "mpicc.openmpi", mpirun, open_mpi, two),
        Library("ompi-ucx", "mpi", "mpicc.openmpi", mpirun, open_mpi | laboratory.UCX
                | {"OMPI_MCA_pml": "ucx", "OMPI_MCA_osc": "ucx"}, two),
        Library("mpich-ucx", "mpi", "mpicc.mpich", mpiexec, laboratory.UCX, two),
        Library("mpich-ofi", "mpi", str(wheel / "mpicc"), of_wheel,
                {"FI_PROVIDER": "tcp", "MPIR_CVAR_OFI_USE_PROVIDER": "tcp"}, two),
    ]


def newer_libfabric(root: Path) -> dict[str, str]:
    """The variables that select the libfabric of `scripts/setup.sh networks`; empty without it."""
    folder = root / ".venv-networks/lib/libfabric"
    return {"LD_LIBRARY_PATH": str(folder), "FI_PROVIDER_PATH": str(folder / "prov")} if folder.exists() else {}


# ---- the page

MOVES = ("put", "get", "fetch_add", "flag", "put_computing")
COLLECTIVES = ("broadcast", "sum", "fcollect", "alltoall")
SMALL, LARGE = (8, KIB), (64 * KIB, MIB)
SEND = "pp_two_sided"
AHEAD = times_best("ahead of the best of the others")


def of(bare_network: str, times: float) -> Bound:
    return times_library(bare_network, f"≤ {times:.3g} × {bare_network}", times)


def of_best(times: float) -> Bound:
    return times_best(f"≤ {times:g} × the best of the others", times)


def label(key: Key) -> str:
    return f"{key.case} {size_text(key.size)}".removesuffix(" –")


def goals(table: Table) -> list[Goal]:
    """First those that the page had before the transport of our own. The others name more than "ahead"."""
    all_goals = [Goal("put 8 B and quiet", Key("put", 8, 2), of(BARE, 1.15)),
                 Goal("get 8 B", Key("get", 8, 2), of(BARE, 1.15)),
                 Goal("put 4 MiB and quiet", Key("put", 4 * MIB, 2), of(BARE, 1 / 0.9)),
                 Goal("put 8 B to a PE that computes", Key("put_computing", 8, 2), time("≤ 0.5 ms", 500e3))]
    all_goals += [Goal(label(key), key, AHEAD) for key in table.get("oshen", {})
                  if key.case not in ("put_computing", "flag") and not messages.is_message(key)]
    return all_goals + [*of_moves(), *of_messages(), *of_collectives()]


def of_moves() -> list[Goal]:
    sizes = ((8, 1.15), (4 * KIB, 1.15), (64 * KIB, 1.1), (MIB, 1.1), (4 * MIB, 1.1))
    return [*(Goal(label(key := Key(case, size, 2)), key, of(SOCKET, times))
              for case in ("put", "get") for size, times in sizes),
            Goal("fetch_add", Key("fetch_add", 8, 2), of(SOCKET, 1.2)),
            Goal("put 8 B to a PE that computes", Key("put_computing", 8, 2), of_best(1))]


def of_messages() -> list[Goal]:
    """One way, beside a message of the socket, and beside the send of the best MPI."""
    all_goals = []
    for text, case in (("p and wait_until", "flag"), ("put_signal and wait", "pp_signal")):
        key = Key(case, 8, 2)
        all_goals += [Goal(text, key, of(SOCKET, 1.25), fallback="pp_socket"),
                      Goal(text, key, times_best("≤ 1.1 × the best send of MPI", 1.1, only_mpi=True), fallback=SEND)]
    return all_goals


def of_collectives() -> list[Goal]:
    keys = [(Key("barrier", 0, 2), 0.85)]
    keys += [(Key(case, size, 2), 0.85 if size in SMALL else 0.95) for case in COLLECTIVES for size in (*SMALL, *LARGE)]
    return [Goal(label(key), key, of_best(times)) for key, times in keys]


def tables(_: Run, table: Table) -> list[Grid]:
    calls = {name: {key: row for key, row in rows.items() if not messages.is_message(key)} for name,
             rows in table.items()}
    return [*(cases(calls, pes) for pes in sorted({key.pes for rows in calls.values() for key in rows})),
            *messages.tables(table)]


def cases(table: Table, pes: int) -> Grid:
    keys = list(dict.fromkeys(key for rows in table.values() for key in rows if key.pes == pes))
    keys.sort(key=lambda key: (key.case not in MOVES, key.size if key.case not in MOVES else 0))
    names = [name for name in table if any(key.pes == pes for key in table[name])]
    return (f"2 x {pes // 2} PEs", ["case", "size", *names],
            [[key.case, size_text(key.size), *(quantity(table[name].get(key)) for name in names)] for key in keys])


PROFILES = {
    "off-node": Profile("puts, gets, atomics, collectives and messages between hosts made of namespaces", 5, (
        Part("off-node", (2, 4), Effort(quick=False)),
        Part(MESSAGES, (4,), Effort(quick=False), spinners=False, fixed=True),
    ), tables=tables, campaign=lambda: OffNode),
}
PAGES = {"off-node": Page("Between two hosts", tables,
                          "The hosts are two network namespaces joined by a veth pair: both share the CPUs of one "
                 "machine, and the work of the kernel for TCP is in every number. A launch is the median of nine "
                 "batches; collectives run back to back. Messages go to and fro between two hosts, and in two pairs "
                 "at once between four hosts of a PE each. One-sided is faster where `oshbench compare` would say so. "
                 "Four hosts share two CPUs: Open MPI yields there while it "
                 "waits; MPICH cannot yield and is left out.", "off-node-notes.md", goals)}
