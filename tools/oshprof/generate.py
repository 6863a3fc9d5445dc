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
  if (next == NULL) *(void **)&next = oshen_next_function("{twin}", "{name}");
{before}  const struct oshprof_visit visit = oshprof_enter(__builtin_return_address(0));
  {keep}next({arguments});
{after}  oshprof_leave(&visit, &call, {traffic});
{last}{give}}}
"""


@dataclass
class Wrapper:
    name: str
    twin: str
    returns: str
    parameters: list[tuple[str, str]]  # type, name
    kind: str
    traffic: str
    before: str = ""
    after: str = ""
    last: str = ""  # after the call has been counted

    def text(self) -> str:
        gives = self.returns != "void"
        return WRAPPER.format(
            returns=self.returns, name=self.name, twin=self.twin, kind=self.kind,
            parameters=", ".join(declared(t, n) for t, n in self.parameters) or "void",
            types=", ".join(t for t, _ in self.parameters) or "void",
            arguments=", ".join(n for _, n in self.parameters),
            keep=f"{self.returns} outcome = " if gives else "",
            before=self.before, after=self.after, last=self.last, traffic=self.traffic, give="  return outcome;\n"
            if gives else "")


def declared(type: str, name: str) -> str:
    return f"{type}{'' if type.endswith('*') else ' '}{name}"


# ---- MPI ------------------------------------------------------------------------------------------------------------

# The traffic of each kind of call, as an expression. {sent}, {got}: bytes; {to}: the process.
TRAFFIC = {
    "send": "mpi_sent({to}, dest, {sent}, {pattern})",
    "recv": "mpi_got(-1, status->MPI_SOURCE, mpi_received_bytes(status), {pattern})",
    "both": "mpi_plus(mpi_sent({to}, dest, {sent}, {pattern}), mpi_got(-1, status->MPI_SOURCE, "
            "mpi_received_bytes(status), 0))",
    "rma": "mpi_sent({to}, dest, {sent}, {pattern})",
    "get": "mpi_got({to}, dest, (int64_t)({got}), oshprof_mix({pattern}, {got}))",
    "fetch": "mpi_plus(mpi_sent({to}, dest, {sent}, {pattern}), mpi_got(-1, dest, (int64_t)({got}), 0))",
    "coll": "mpi_contributed({sent}, {pattern})",
    "reduce": "mpi_contributed({sent}, {pattern})",
    # The shape is known when the receive is posted; the message counts when it arrives.
    "irecv": "mpi_got(-1, MPI_PROC_NULL, 0, oshprof_mix({pattern}, {sent}))",
}
COUNTED_AS = {"irecv": "recv", "get": "rma", "fetch": "rma", "send_init": "other", "recv_init": "other"}
POSTED = {"irecv": ("mpi_got(-1, MPI_PROC_NULL, 0, 0)", 0),
          "send_init": ("mpi_sent({to}, dest, {sent}, {pattern})", 1),
          "recv_init": ("mpi_got(-1, MPI_PROC_NULL, 0, oshprof_mix({pattern}, {sent}))", 1)}
OWN_STATUS = "  MPI_Status own;\n  if (status == MPI_STATUS_IGNORE) status = &own;\n"


@dataclass
class MpiRow:
    kind: str
    name: str
    parameters: list[tuple[str, str]]
    sent: str
    got: str

    @staticmethod
    def read(line: str) -> MpiRow:
        match = re.fullmatch(r"(\w+)\s+(\w+)\((.*?)\)((?: ; .+)*)", line)
        assert match, f"mpi_calls.def: {line}"
        kind, name, text, sizes = match.groups()
        parameters = [re.fullmatch(r"(.*[ *])(\w+)", p.strip()).groups() for p in text.split(",")]
        sizes = [s.strip() for s in sizes.split(";")[1:]]
        if kind == "get":
            sizes = ["0", *sizes]
        sent, got = (sizes + ["0", "0"])[:2]
        return MpiRow(kind, name, [(t.strip(), n) for t, n in parameters], sent, got)

    def pattern(self) -> str:
        names = {n for _, n in self.parameters}
        parts = [f"(uint64_t)(int64_t){n}" for n in ("dest", "source", "tag", "root") if n in names]
        if "counts" in names:
            parts.append(f"mpi_shape(counts, {'mpi_targets' if 'eighbor' in self.name else 'mpi_ranks'}(comm))")
        pattern = "0"
        for part in parts:
            pattern = f"oshprof_mix({pattern}, {part})"
        return pattern

    def filled(self, expression: str) -> str:
        to = "mpi_process_of_win(win, dest)" if ("MPI_Win",
                                                 "win") in self.parameters else "mpi_process_of_comm(comm, dest)"
        return expression.format(sent=self.sent, got=self.got, to=to, pattern=self.pattern())

    def c(self) -> str:
        before = OWN_STATUS if self.kind in ("recv", "both") or self.matches() else ""
        after = self.arrows()
        if self.kind in POSTED:
            traffic, persistent = POSTED[self.kind]
            after += (f"  if (visit.outermost) "
                      f"{{\n    oshprof_request_posted(mpi_handle(*request), &call, visit.caller, "
                      f"{self.filled(traffic)}, {persistent});\n{self.prepared()}  }}\n")
        traffic = self.filled(TRAFFIC.get(self.kind, "mpi_contributed(0, 0)"))
        return Wrapper(self.name, "P" + self.name, "int", self.parameters, COUNTED_AS.get(self.kind, self.kind),
                       traffic, before, after).text()

    def has(self, *names: str) -> bool:
        return set(names) <= {n for _, n in self.parameters}

    def matches(self) -> bool:
        """Whether it is a matched probe, which receives the message; the matching receive has no communicator."""
        return self.name in ("MPI_Mprobe", "MPI_Improbe")

    def arrows(self) -> str:
        """For timelines: records messages that were sent or received when the call returns."""
        text = ""
        if self.kind in ("send", "both"):
            text += "  mpi_message_sent(&visit, comm, dest, tag);\n"
        if self.kind in ("recv", "both") and self.has("comm") or self.name == "MPI_Mprobe":
            text += "  mpi_message_received(&visit, comm, status);\n"
        if self.name == "MPI_Improbe":
            text += "  if (*flag) mpi_message_received(&visit, comm, status);\n"
        return text

    def prepared(self) -> str:
        """For timelines: records the destination or communicator of a request."""
        if self.kind == "send_init":
            return ("    if (oshprof_draws_timeline && dest != MPI_PROC_NULL)\n"
                    "      oshprof_request_sends_to(mpi_handle(*request), mpi_process_of_comm(comm, dest), "
                    "mpi_envelope(comm, tag));\n")
        if not self.has("comm"):
            return ""
        return ("    if (oshprof_draws_timeline)\n"
                "      oshprof_request_receives_from(mpi_handle(*request), (uint64_t)(intptr_t)comm);\n")

    def fortran(self) -> str:
        """The Fortran wrapper, which calls the C wrapper; empty if arrays of handles or addresses would need
        conversion."""
        if any(t in ("const MPI_Datatype *", "const MPI_Aint *") for t, _ in self.parameters):
            return ""
        words = [fortran_words(t, n) for t, n in self.parameters]
        low = self.name.lower()
        parameters = ", ".join([w.parameter for w in words] + ["MPI_Fint *error"])
        before = "".join(f"  {w.before}\n" for w in words if w.before)
        after = "".join(f"  {w.after}\n" for w in words if w.after)
        return (f"void {low}_f08_({parameters}) __attribute__((alias(\"{low}_\")));\nvoid {low}_({parameters});\n"
                f"void {low}_({parameters}) {{\n{before}  BEGIN;\n"
                f"  const int outcome = {self.name}({', '.join(w.argument for w in words)});\n  "
                f"END(outcome);\n{after}}}\n")


@dataclass
class FortranWords:
    """A Fortran parameter, the code before and after the call, and the argument for C."""

    parameter: str
    argument: str
    before: str = ""
    after: str = ""


def fortran_words(type: str, name: str) -> FortranWords:
    if type in ("const void *", "void *"):
        return FortranWords(f"void *{name}", f"memory({name})")
    if type in ("const int *", "int *"):
        return FortranWords(f"{type.replace('int', 'MPI_Fint')}{name}", name)
    if type in ("int", "MPI_Aint"):
        return FortranWords(f"const {type} *{name}", f"*{name}")
    if type == "MPI_Status *":
        return FortranWords(f"MPI_Fint *{name}", "&of_c", "MPI_Status of_c;", f"give_status(&of_c, {name});")
    if type.endswith("*"):  # a handle that is created or changed
        kind = type[4:-2]
        return FortranWords(f"MPI_Fint *{name}", f"&c_{name}", f"{type[:-2]} c_{name} = {kind}_f2c(*{name});",
                            f"*{name} = {kind}_c2f(c_{name});")
    kind = {"MPI_Datatype": "Type"}.get(type, type[4:])
    return FortranWords(f"const MPI_Fint *{name}", f"{kind}_f2c(*{name})")


def mpi() -> str:
    rows = [MpiRow.read(line) for line in api_spec.lines_of(HERE / "mpi_calls.def")]
    return ("/* Made by generate.py from mpi_calls.def. */\n#include \"mpi_support.h\"\n\n"
            + "\n".join(row.c() for row in rows)
            + "\n/* Fortran, whose names the ABI of MPI 5 lacks */\n#ifndef MPI_ABI\n#include \"mpi_fortran.h\"\n\n"
            + "\n".join(filter(None, map(MpiRow.fortran, rows))) + "\n#endif\n")


# ---- OpenSHMEM ------------------------------------------------------------------------------------------------------

SHMEM_HEAD = """\
/* Made by generate.py from spec/calls.def. Handles of contexts and teams have the size of a pointer in every library. */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "record.h"

static int ask(const char *profiling_name, const char *name) {
  int (*next)(void);
  *(void **)&next = oshen_next_function(profiling_name, name);
  return next();
}
/* The world number of a PE of a context; -1 unless its team contains all PEs in order. */
static int process(void *ctx, int pe) {
  static int (*team_of)(void *, void **), (*size)(void *), (*mine)(void *);
  void *team = NULL;
  if (ctx == NULL) return pe;
  if (mine == NULL) {
    *(void **)&team_of = oshen_next_function("pshmem_ctx_get_team", "shmem_ctx_get_team");
    *(void **)&size = oshen_next_function("pshmem_team_n_pes", "shmem_team_n_pes");
    *(void **)&mine = oshen_next_function("pshmem_team_my_pe", "shmem_team_my_pe");
  }
  if (team_of(ctx, &team) != 0) return -1;
  return size(team) == ask("pshmem_n_pes", "shmem_n_pes") && mine(team) == ask("pshmem_my_pe", "shmem_my_pe") ? pe : -1;
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
        if re.search(r"sync|barrier", stem):
            return "sync"
        return "reduce" if f.row.file in ("reduce", "scan") or re.search(r"reduce|scan|_to_all", stem) else "coll"
    if re.search(r"quiet|fence|barrier|sync|lock", stem):
        return "sync"
    if f.row.file in ("put", "get", "signal", "atomic", "atomic_nbi", "bitwise", "deprecated_atomic") or any(
            a.name == "pe" for a in f.arguments) and re.search(r"put|get|_p$|_g$|atomic|swap|add|inc|fetch|set", stem):
        return "rma"
    return "other"


def bytes_of(f: api_spec.Function, kind: str) -> str:
    if kind not in ("rma", "coll", "reduce"):
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
    """An equivalent type that needs no header of the library."""
    if "*" in type:
        return "const void *" if type.startswith("const") else "void *"
    if type in ("shmem_ctx_t", "shmem_team_t", "shmemx_ct_t"):
        return "void *"
    return re.sub(r"oshen_complex(\w)_t", lambda m: {"f": "float", "d": "double"}[m[1]] + " _Complex", type)


def shmem_wrapper(f: api_spec.Function) -> Wrapper:
    parameters = [(plain(a.type), a.name) for a in f.arguments]
    kind = kind_of(f)
    return Wrapper(f.name, "p" + f.name, plain(f.returns), parameters, kind, shmem_traffic(f, kind),
                   last="  begin();\n" if LIFE.get(f.name) == "start" else "")


def shmem_traffic(f: api_spec.Function, kind: str) -> str:
    size = bytes_of(f, kind)
    pe = next((a.name for a in f.arguments if a.name in ("pe", "PE_root")), None)
    pattern = f"oshprof_mix(oshprof_mix(0, (uint64_t)(int64_t){pe or 0}), {size})"
    if kind in ("coll", "reduce"):
        return f"(struct oshprof_traffic){{0, {size}, 0, 0, {pattern}, -1}}"
    if kind != "rma":
        return "(struct oshprof_traffic){0, 0, 0, 0, 0, -1}"
    gets = re.search(r"get|_g(_nbi)?$|_g\b|fetch|swap", f.name) is not None
    sends = not re.search(r"get|_g$|atomic_fetch(_nbi)?$|_fetch$", f.name)
    peer = f"process({'ctx' if any(a.name == 'ctx' for a in f.arguments) else 'NULL'}, {pe})" if pe else "-1"
    sent, got = (size if sends else 0), (size if gets else 0)
    return f"(struct oshprof_traffic){{{int(sends)}, {sent}, {int(gets)}, {got}, {pattern}, {peer}}}"


def stopping(f: api_spec.Function) -> str:
    """shmem_finalize and shmem_global_exit: the profile is written first."""
    parameters = ", ".join(declared(plain(a.type), a.name) for a in f.arguments) or "void"
    types = ", ".join(plain(a.type) for a in f.arguments) or "void"
    arguments = ", ".join(a.name for a in f.arguments)
    end = "  __builtin_unreachable();\n" if f.row.noreturn else ""
    head = "__attribute__((noreturn)) " if f.row.noreturn else ""
    return (f"{head}void {f.name}({parameters}) {{\n  void (*next)({types});\n"
            f"  *(void **)&next = oshen_next_function(\"p{f.name}\", \"{f.name}\");\n  oshprof_stop();\n"
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
