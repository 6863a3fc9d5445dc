"""Where the PEs of the mini-apps run. Launchers differ: some pin, some spread, some do neither, and a comparison would
show that. Every library gets the same placement: PE 0 on the first CPUs, PE 1 on the next ones, and round again. The
cases pin
themselves (engine.c)."""

from __future__ import annotations

from pathlib import Path

from ..libraries.library import Library

# The rank within this machine, as each launcher calls it.
RANKS = ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", "OSHEN_PE", "SLURM_LOCALID",
         "PMI_RANK")
PINNED = r"""
sets=$1; shift
for name in %s; do eval "rank=\${rank:-\$$name}"; done
if [ -z "$rank" ] || ! command -v taskset >/dev/null; then exec "$@"; fi
count=0; for set in $sets; do count=$((count + 1)); done
number=0
for set in $sets; do
  if [ $number -eq $((rank %% count)) ]; then exec taskset -c "$set" "$@"; fi
  number=$((number + 1))
done
""" % " ".join(RANKS)


def command(library: Library, pes: int, program: Path | str, args: list[str], cpus: list[int],
            threads: int = 1) -> list[str]:
    """The command of a job with `threads` CPUs for each PE. On several hosts the launcher decides."""
    if library.hosts:
        return library.command(pes, program, args)
    return library.command(pes, "sh", ["-c", PINNED, "pin", " ".join(sets(cpus, threads)), str(program), *args])


def sets(cpus: list[int], threads: int) -> list[str]:
    """The CPUs of each PE, until they are used up."""
    each = min(threads, len(cpus))
    return [",".join(map(str, cpus[first:first + each])) for first in range(0, len(cpus) - each + 1, each)]


def description(cpus: list[int], hosts: tuple[str, ...]) -> str:
    """The placement of a run, for readers."""
    if hosts:
        return "by the launcher of each library, on each host"
    return (f"cases: each PE pinned to one of the CPUs {','.join(map(str, cpus))} in turn; mini-apps: the same by "
            f"taskset, with a CPU for each thread; "
            "start-up and memory: by the launcher of each library")
