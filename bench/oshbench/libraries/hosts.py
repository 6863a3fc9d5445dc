"""The launcher options of each library for several hosts. Programs and results are then in a folder that all hosts
share, and the processes share their page through sockets (bench/programs/common/hosts.h)."""

from __future__ import annotations

import re
from dataclasses import replace

from .library import Library

# Options before the program: {hosts} is h1,h2; {slots} is h1:2,h2:2; {per_host} is 2.
WORDS = {
    "oshen": ("--hosts", "{hosts}"),
    "ompi": ("--host", "{slots}"),
    "ompi-shmem": ("--host", "{slots}"),
    "mpich": ("-hosts", "{hosts}", "-ppn", "{per_host}"),
}
# Settings that replace ssh by another program.
AGENT = {
    "oshen": {"OSHEN_LAUNCHER": "ssh", "OSHEN_SSH": "{agent}"},
    "ompi": {"OMPI_MCA_plm_rsh_agent": "{agent}"},
    "ompi-shmem": {"OMPI_MCA_plm_rsh_agent": "{agent}"},
    "mpich": {"HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": "{agent}"},
}
# With its default shared memory, Open MPI 4.1.4's OpenSHMEM ends with signal 11 in every second shmem_init over two
# hosts.
SETTINGS = {"ompi-shmem": {"OMPI_MCA_sshmem": "mmap"}}
NAME = re.compile(r"[\w.-]+")


def parse(text: str) -> tuple[str, ...]:
    words = tuple(word for word in text.split(",") if word)
    for word in words:
        if not NAME.fullmatch(word):
            raise ValueError(f"--hosts {text}: {word!r} is no name of a host: h1,h2 is expected; every host takes the "
                             f"same number of PEs")
    if len(set(words)) != len(words):
        raise ValueError(f"--hosts {text}: a host is named twice")
    return words


def over(library: Library, hosts: tuple[str, ...], agent: str = "") -> Library:
    """The library on these hosts. `agent` replaces ssh if it is given."""
    if not hosts:
        return library
    if library.kind == "sim":
        raise ValueError("--hosts: the simulated library has no hosts")
    env = library.env | SETTINGS.get(library.name, {}) | {name: value.format(agent=agent) for name,
                                                          value in AGENT.get(library.name, {}).items() if agent}
    if any("{hosts}" in word or "{slots}" in word for word in library.run):
        return replace(library, hosts=hosts, env=env)
    if library.name not in WORDS:
        raise ValueError(f"--hosts: the launcher of {library.name} is unknown: Write {{hosts}} (h1,h2) or {{slots}} "
                         "(h1:2,h2:2) into its RUN")
    return replace(library, run=(library.run[0], *WORDS[library.name], *library.run[1:]), hosts=hosts, env=env)
