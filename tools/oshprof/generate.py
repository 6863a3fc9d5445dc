#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrappers of oshprof: those of MPI from mpi_calls.def, those of OpenSHMEM from spec/calls.def.

usage: generate.py mpi|shmem OUTPUT
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))

import api_spec  # noqa: E402

WRAPPER = """\
{returns} {name}({parameters}) {{
  static const struct oshprof_call call = {{"{name}", oshprof_{kind}}};
  static {returns} (*next)({types});
  if (next == NULL) *(void **)&next = oshprof_next("{twin}", "{name}");
  const uint64_t began = oshprof_now();
  {keep}next({arguments});
  oshprof_note(&call, __builtin_return_address(0), began, {bytes}, {pattern});
{after}{give}}}
"""


@dataclass
class Wrapper:
    name: str
    twin: str
    returns: str
    parameters: list[tuple[str, str]]  # type, name
    kind: str
    bytes: str = "0"
    pattern: str = "0"
    after: str = ""

    def text(self) -> str:
        gives = self.returns != "void"
        return WRAPPER.format(
            returns=self.returns, name=self.name, twin=self.twin, kind=self.kind,
            parameters=", ".join(declared(t, n) for t, n in self.parameters) or "void",
            types=", ".join(t for t, _ in self.parameters) or "void",
            arguments=", ".join(n for _, n in self.parameters),
            keep=f"{self.returns} outcome = " if gives else "",
            bytes=self.bytes, pattern=self.pattern, after=self.after,
            give="  return outcome;\n" if gives else "")


def declared(type: str, name: str) -> str:
    return f"{type}{'' if type.endswith('*') else ' '}{name}"


# ---- MPI ------------------------------------------------------------------------------------------------------------

MPI_HEAD = """\
/* Made by generate.py from mpi_calls.def. */
#include <mpi.h>
#include <stddef.h>
#include "record.h"

static uint64_t of(int count, MPI_Datatype type) {
  static int (*size_of)(MPI_Datatype, int *);
  if (size_of == NULL) *(void **)&size_of = oshprof_next("PMPI_Type_size", "MPI_Type_size");
  int bytes = 0;
  if (count < 0 || size_of(type, &bytes) != MPI_SUCCESS) return 0;
  return (uint64_t)count * (uint64_t)bytes;
}

static uint64_t ranks(MPI_Comm comm) {
  static int (*size_of)(MPI_Comm, int *);
  if (size_of == NULL) *(void **)&size_of = oshprof_next("PMPI_Comm_size", "MPI_Comm_size");
  int n = 0;
  size_of(comm, &n);
  return (uint64_t)n;
}

/* Open MPI's world is a variable of its library, which is not there yet when we are loaded. */
static MPI_Comm world(void) {
#ifdef OPEN_MPI
  return (MPI_Comm)oshprof_variable("ompi_mpi_comm_world");
#else
  return MPI_COMM_WORLD;
#endif
}

static int rank_in_world(void) {
  static int (*rank_of)(MPI_Comm, int *);
  if (rank_of == NULL) *(void **)&rank_of = oshprof_next("PMPI_Comm_rank", "MPI_Comm_rank");
  int rank = 0;
  rank_of(world(), &rank);
  return rank;
}

static uint64_t all(const int *counts, MPI_Datatype type, MPI_Comm comm) {
  uint64_t sum = 0;
  for (uint64_t i = 0, n = ranks(comm); i < n; ++i) sum += of(counts[i], type);
  return sum;
}

static uint64_t shape(const int *counts, MPI_Comm comm) {
  uint64_t mixed = 0;
  for (uint64_t i = 0, n = ranks(comm); i < n; ++i) mixed = oshprof_mix(mixed, (uint64_t)counts[i]);
  return mixed;
}

int MPI_Init(int *argc, char ***argv) {
  int (*next)(int *, char ***);
  *(void **)&next = oshprof_next("PMPI_Init", "MPI_Init");
  const int result = next(argc, argv);
  oshprof_start("mpi", rank_in_world(), (int)ranks(world()));
  return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  int (*next)(int *, char ***, int, int *);
  *(void **)&next = oshprof_next("PMPI_Init_thread", "MPI_Init_thread");
  const int result = next(argc, argv, required, provided);
  oshprof_start("mpi", rank_in_world(), (int)ranks(world()));
  return result;
}

int MPI_Finalize(void) {
  int (*next)(void);
  *(void **)&next = oshprof_next("PMPI_Finalize", "MPI_Finalize");
  oshprof_stop();
  return next();
}
"""


def mpi_wrapper(line: str) -> Wrapper:
    match = re.fullmatch(r"(\w+)\s+(\w+)\((.*?)\)(?: ; (.+))?", line)
    assert match, f"mpi_calls.def: {line}"
    kind, name, text, size = match.groups()
    parameters = [re.fullmatch(r"(.*[ *])(\w+)", p.strip()).groups() for p in text.split(",")]
    parameters = [(t.strip(), n) for t, n in parameters]
    names = {n for _, n in parameters}
    parts = [f"(uint64_t)(int64_t){n}" for n in ("dest", "source", "tag", "root") if n in names]
    if "counts" in names:
        parts.append("shape(counts, comm)")
    pattern = "0"
    for part in parts:
        pattern = f"oshprof_mix({pattern}, {part})"
    return Wrapper(name, "P" + name, "int", parameters, kind, size or "0", pattern)


def mpi() -> str:
    rows = [mpi_wrapper(line) for line in api_spec.lines_of(HERE / "mpi_calls.def")]
    return MPI_HEAD + "\n" + "\n".join(row.text() for row in rows)


# ---- OpenSHMEM ------------------------------------------------------------------------------------------------------

SHMEM_HEAD = """\
/* Made by generate.py from spec/calls.def. Handles of contexts and teams are as wide as a pointer in every library. */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "record.h"

static int ask(const char *profiling_name, const char *name) {
  int (*next)(void);
  *(void **)&next = oshprof_next(profiling_name, name);
  return next();
}
static void begin(void) {
  oshprof_start("shmem", ask("pshmem_my_pe", "shmem_my_pe"), ask("pshmem_n_pes", "shmem_n_pes"));
}
"""

LIFE = {"shmem_init": "start", "shmem_init_thread": "start", "start_pes": "start",
        "shmem_finalize": "stop", "shmem_global_exit": "stop"}
MOVES = ("put", "get", "_p", "_g", "iput", "iget", "ibput", "ibget")


def kind_of(f: api_spec.Function) -> str:
    stem = f.row.name.replace("shmem_", "").replace("[ctx_]", "").replace("TYPENAME", "")
    if "wait" in stem or "test" in stem:
        return "sync" if "lock" in stem else "wait"
    if f.row.file in ("collective", "reduce", "scan") or re.search(
            r"collect|alltoall|broadcast|reduce|scan|_to_all", stem):
        return "sync" if re.search(r"sync|barrier", stem) else "coll"
    if re.search(r"quiet|fence|barrier|sync|lock", stem):
        return "sync"
    if f.row.file in ("put", "get", "signal", "atomic", "atomic_nbi", "bitwise", "deprecated_atomic") or any(
            a.name == "pe" for a in f.arguments) and re.search(r"put|get|_p$|_g$|atomic|swap|add|inc|fetch|set", stem):
        return "rma"
    return "other"


def bytes_of(f: api_spec.Function, kind: str) -> str:
    if kind not in ("rma", "coll"):
        return "0"
    names = [a.name for a in f.arguments]
    count = next((n for n in ("nelems", "nreduce", "nelem", "len", "nlong") if n in names), None)
    width = f"sizeof({f.type.c})" if f.type else "1"
    if not f.type and (digits := re.search(r"(\d+)(?:_nbi|_signal|_signal_nbi)?$", f.name)):
        width = str(int(digits[1]) // 8)
    size = f"(uint64_t){count} * {width}" if count else width
    if "nblocks" in names and "bsize" in names:
        size = f"(uint64_t)nblocks * bsize * {width}"
    return size


def plain(type: str) -> str:
    """A type that needs no header of the library."""
    if "*" in type:
        return "const void *" if type.startswith("const") else "void *"
    if type in ("shmem_ctx_t", "shmem_team_t"):
        return "void *"
    return re.sub(r"oshen_complex(\w)_t", lambda m: {"f": "float", "d": "double"}[m[1]] + " _Complex", type)


def shmem_wrapper(f: api_spec.Function) -> Wrapper:
    parameters = [(plain(a.type), a.name) for a in f.arguments]
    kind = kind_of(f)
    parts = [f"(uint64_t)(int64_t){a.name}" for a in f.arguments if a.name in ("pe", "PE_root")]
    pattern = f"oshprof_mix(0, {parts[0]})" if parts else "0"
    return Wrapper(f.name, "p" + f.name, plain(f.returns), parameters, kind, bytes_of(f, kind), pattern,
                   "  begin();\n" if LIFE.get(f.name) == "start" else "")


def stopping(f: api_spec.Function) -> str:
    """shmem_finalize and shmem_global_exit: the ledger is written first."""
    parameters = ", ".join(declared(plain(a.type), a.name) for a in f.arguments) or "void"
    types = ", ".join(plain(a.type) for a in f.arguments) or "void"
    arguments = ", ".join(a.name for a in f.arguments)
    end = "  __builtin_unreachable();\n" if f.row.noreturn else ""
    head = "__attribute__((noreturn)) " if f.row.noreturn else ""
    return (f"{head}void {f.name}({parameters}) {{\n  void (*next)({types});\n"
            f"  *(void **)&next = oshprof_next(\"p{f.name}\", \"{f.name}\");\n  oshprof_stop();\n"
            f"  next({arguments});\n{end}}}\n")


def shmem() -> str:
    texts = []
    for f in api_spec.Spec.read().standard():
        if any(a.type == "..." for a in f.arguments) or f.name in ("shmem_my_pe", "shmem_n_pes"):
            continue
        texts.append(stopping(f) if LIFE.get(f.name) == "stop" else shmem_wrapper(f).text())
    return SHMEM_HEAD + "\n" + "\n".join(texts)


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in ("mpi", "shmem"):
        print(__doc__, file=sys.stderr)
        return 2
    Path(sys.argv[2]).write_text({"mpi": mpi, "shmem": shmem}[sys.argv[1]]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
