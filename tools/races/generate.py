#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrappers of OpenSHMEM for `oshcc --races` from spec/calls.def: each tells the detector and calls pshmem_x.

usage: generate.py OUTPUT
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))

import api_spec  # noqa: E402

HEAD = """\
/* Made by generate.py from spec/calls.def. The headers of OpenSHMEM are not included, because their generic macros have
 * the names of some functions. */
#include <stddef.h>
#include <stdint.h>
#include "calls.h"

#define ONE(base, width, n) ((struct races_blocks){base, width, NULL, NULL, n})
#define VECTOR(base, width, counts, displs) \
  ((struct races_blocks){(counts) != NULL ? (base) : NULL, width, counts, displs, races_team_pes(team)})
#define NONE ((struct races_blocks){NULL, 0, NULL, NULL, 0})
#define TEAM(team) ((struct races_group){team, 0, 0, 0, NULL})
#define ACTIVE ((struct races_group){NULL, PE_start, logPE_stride, PE_size, pSync})
#define ARRAY(name) ((struct races_array){name, name##_sizes, name##_starts})
#define BLOCK(bytes) ((struct races_shape){bytes, 1, (ptrdiff_t)(bytes), (ptrdiff_t)(bytes)})
#define STRIDED(width, bsize, nblocks, dst, sst) \\
  ((struct races_shape){(size_t)(width) * (bsize), nblocks, (ptrdiff_t)(width) * (dst), (ptrdiff_t)(width) * (sst)})
"""


@dataclass
class Steps:
    """The code before and after the call. {w}: bytes of an element, {type}: its number, {to}: the other PE."""

    before: str = ""
    after: str = ""
    bytes: str = "0"  # what the call moves, for reports


def completion(stem: str) -> str:
    signalled, late = "signal" in stem, stem.endswith("_nbi")
    return {(False, False): "races_blocking", (False, True): "races_nonblocking",
            (True, False): "races_signalled", (True, True): "races_nonblocking_signalled"}[signalled, late]


def transfer(stem: str) -> Steps | None:
    """Puts and gets."""
    match = re.fullmatch(r"(i|ib)?(put|get)(SIZE|mem)?(_signal)?(_nbi)?", stem)
    if match is None:
        return None
    kind, how = match[2], completion(stem)
    shape, size = "BLOCK(nelems * {w})", "nelems * {w}"
    if match[1] == "i":
        shape = "STRIDED({w}, 1, nelems, dst, sst)"
    elif match[1] == "ib":
        shape, size = "STRIDED({w}, bsize, nblocks, dst, sst)", "nblocks * bsize * {w}"
    text = f"  races_{kind}(at, (void *)dest, source, {shape}, {{to}}, {how});\n"
    if match[4]:
        text += "  races_signal(at, sig_addr, {to}, sig_op == 0 ? &(const int64_t){{(int64_t)signal}} : NULL);\n"
    elif kind == "put" and not match[1]:
        text += f"  races_release(at, dest, {size}, {{to}}, NULL);\n"
    return Steps(text, bytes=size)


OLD_ATOMICS = {"fetch": "atomic_fetch", "set": "atomic_set", "cswap": "atomic_compare_swap", "swap": "atomic_swap",
               "finc": "atomic_fetch_inc", "inc": "atomic_inc", "fadd": "atomic_fetch_add", "add": "atomic_add"}


def atomic(stem: str) -> Steps | None:
    stem = OLD_ATOMICS.get(stem, stem)
    match = re.fullmatch(r"atomic_(fetch|set|compare_swap|swap|(fetch_)?(inc|add|and|or|xor))(_nbi)?", stem)
    if match is None:
        return None
    reads = match[1] not in ("set", "inc", "add", "and", "or", "xor")
    kind = {"fetch": "races_reads", "set": "races_writes"}.get(
        match[1], "races_reads | races_writes" if reads else "races_writes")
    where = "source" if match[1] == "fetch" else "dest"
    late = match[4] is not None
    value = "{number}" if match[1] == "set" else "NULL"
    steps = Steps(f"  races_atomic(at, {where}, {{w}}, {{type}}, {{to}}, {kind}, {'fetch' if late else 'NULL'}, {value});\n", bytes="{w}")
    if reads and not late:
        steps.after = f"  races_acquire({where}, {{w}}, {{to}}.pe);\n"
    return steps


# The numbers of the types of atomics: operation.hpp. 0: not one of them.
TYPES = {"int": 1, "unsigned int": 2, "long": 3, "unsigned long": 4, "long long": 5, "unsigned long long": 6, "float": 7, "double": 8,
         "signal": 9}
SAME_TYPES = {"int32_t": "int", "uint32_t": "unsigned int", "int64_t": "long", "uint64_t": "unsigned long", "size_t": "unsigned long",
              "ptrdiff_t": "long"}


def type_of(f: api_spec.Function) -> int:
    """Of the objects of an atomic, a wait or a test."""
    name = plain(f.type.header) if f.type else "long" if f.row.name in ("shmem_wait", "shmem_wait_until", "shmem_swap") else ""
    return TYPES.get(SAME_TYPES.get(name, name), 0)


def waiting(stem: str) -> Steps | None:
    match = re.fullmatch(r"(wait_until|test|wait)(_all|_any|_some)?(_vector)?", stem)
    if match is None:
        return None
    tests = "if (outcome) " if match[1] == "test" else ""
    if match[2] is None:
        if match[1] == "wait":
            return Steps(after="  races_acquire_one(at, ivar, {w}, {type});\n")
        return Steps(after=f"  {tests}races_acquire_when(at, ivar, {{w}}, {{type}}, cmp, (int64_t)cmp_value);\n")
    if match[2] == "_all":
        return Steps(after=f"  {tests}races_acquire_all(at, ivars, {{w}}, {{type}}, nelems, status);\n")
    if match[2] == "_any":
        return Steps(after="  if (outcome < nelems) races_acquire_some(at, ivars, {w}, {type}, &outcome, 1);\n")
    return Steps(after="  races_acquire_some(at, ivars, {w}, {type}, indices, outcome);\n")


FLOWS = {"alltoall": "races_alltoall", "alltoalls": "races_alltoall", "broadcast": "races_broadcast",
         "collect": "races_collect", "fcollect": "races_fcollect", "sum_inscan": "races_scan", "sum_exscan": "races_scan"}


def collective(stem: str, arguments: set[str]) -> Steps | None:
    stem = re.sub(r"SIZE$|OLDSIZE$|mem$", "", stem)
    flow = "races_reduce" if re.fullmatch(r"\w+_(reduce|to_all)", stem) else FLOWS.get(stem)
    if flow is None:
        return None
    group = "TEAM(team)" if "team" in arguments else "ACTIVE"
    count = "nelems" if "nelems" in arguments else "(size_t)nreduce"
    shape = "STRIDED({w}, 1, nelems, dst, sst)" if stem == "alltoalls" else f"BLOCK({count} * {{w}})"
    root = "PE_root" if stem == "broadcast" else "-1"
    return Steps(f"  races_collective(at, {flow}, {group}, dest, source, {shape}, {root});\n", bytes=f"{count} * {{w}}")


def meeting(flow: str, group: str) -> Steps:
    return Steps(f"  races_collective(at, races_{flow}, {group}, NULL, NULL, BLOCK(0), -1);\n")


def split(*new_teams: str) -> Steps:
    made = "".join(f"  if (outcome == 0) races_team_made(parent_team, *(void **){team});\n" for team in new_teams)
    return Steps(meeting("sync", "TEAM(parent_team)").before, made)


# Extensions: telling, dest and source.
ALL, TO_ROOT, FROM_ROOT = "races_all_tell_all, team, 0", "races_all_tell_root, team, PE_root", "races_root_tells_all, team, PE_root"


def blocks(base: str, n: str) -> str:
    return f"ONE({base}, {{w}}, {n})"


EACH, BLOCKS, PES = "nelems", "nelems * races_team_pes(team)", "nreduce * races_team_pes(team)"
EXCHANGES = {
    "alltoallv": (ALL, "VECTOR(dest, {w}, dest_counts, dest_displs)", "VECTOR(source, {w}, source_counts, source_displs)"),
    "gather": (TO_ROOT, blocks("dest", BLOCKS), blocks("source", EACH)),
    "gatherv": (TO_ROOT, "VECTOR(dest, {w}, dest_counts, dest_displs)", blocks("source", EACH)),
    "scatter": (FROM_ROOT, blocks("dest", EACH), blocks("source", BLOCKS)),
    "scatterv": (FROM_ROOT, blocks("dest", EACH), "VECTOR(source, {w}, source_counts, source_displs)"),
    "reduce_to_root": (TO_ROOT, blocks("dest", "nreduce"), blocks("source", "nreduce")),
    "reduce_scatter": (ALL, blocks("dest", "nreduce"), blocks("source", PES)),
    "reduce_scatterv": (ALL, blocks("dest", "counts != NULL ? counts[races_team_me(team)] : 0"),
                        "VECTOR(source, {w}, counts, NULL)"),
    "broadcast_nb": (FROM_ROOT, blocks("dest", EACH), blocks("source", EACH)),
    "alltoall_nb": (ALL, blocks("dest", BLOCKS), blocks("source", BLOCKS)),
    "fcollect_nb": (ALL, blocks("dest", BLOCKS), blocks("source", EACH)),
    "reduce_nb": (ALL, blocks("dest", "nreduce"), blocks("source", "nreduce")),
    "team_sync_nb": (ALL, "NONE", "NONE"),
}


def exchange(name: str) -> Steps | None:
    """Extensions that are collectives. The rest of them is wrapped in extensions.cpp."""
    stem = re.sub(r"mem(?=_nb$|$)|^(and|or|xor|max|min|sum|prod)_", "", name.removeprefix("shmemx_").replace("TYPENAME_", ""))
    if stem not in EXCHANGES:
        return None
    telling, dest, source = EXCHANGES[stem]
    if stem.endswith("_nb"):
        return Steps(f"  races_begin(at, {telling}, {source});\n",
                     f"  if (outcome == 0) races_begun(at, {telling}, {dest}, {source}, request);\n")
    return Steps(f"  races_exchange(at, {telling}, {dest}, {source});\n")


WORLD = "races_world()"
SIGNAL = f"  races_atomic(at, sig_addr, 8, {TYPES['signal']}, {{to}}, races_writes, NULL, %s);\n"
SET_TO = "&(const int64_t){{(int64_t)signal}}"
ONE_BY_ONE = {
    "p": Steps("  races_put(at, dest, NULL, BLOCK({w}), {to}, races_blocking);\n"
               "  races_release(at, dest, {w}, {to}, {number});\n", bytes="{w}"),
    "g": Steps("  races_get(at, NULL, source, BLOCK({w}), {to}, races_blocking);\n", bytes="{w}"),
    "signal_add": Steps(SIGNAL % "NULL"), "signal_set": Steps(SIGNAL % SET_TO),
    "signal_fetch": Steps(after="  races_acquire(sig_addr, 8, -1);\n"),
    "signal_wait_until": Steps(after="  races_acquire_when(at, sig_addr, 8, %d, cmp, (int64_t)cmp_value);\n" % TYPES["signal"]),
    "fence": Steps(after="  races_fence({ctx});\n"),
    "quiet": Steps(after="  races_quiet({ctx});\n"),
    "ctx_destroy": Steps("  races_quiet(ctx);\n"),
    "pe_quiet": Steps(after="  races_quiet_of({ctx}, target_pes, npes);\n"),
    "set_lock": Steps(after="  races_lock(lock);\n"),
    "test_lock": Steps(after="  if (outcome == 0) races_lock(lock);\n"),
    "clear_lock": Steps("  races_unlock(at, lock);\n"),
    "barrier_all": meeting("barrier", WORLD), "sync_all": meeting("sync", WORLD),
    "barrier": meeting("barrier", "ACTIVE"), "team_sync": meeting("sync", "TEAM(team)"),
    "team_split_strided": split("new_team"), "team_split_2d": split("xaxis_team", "yaxis_team"),
    "malloc": Steps(after="  races_allocated(at, outcome, size);\n", bytes="size"),
    "align": Steps(after="  races_allocated(at, outcome, size);\n", bytes="size"),
    "malloc_with_hints": Steps(after="  races_allocated_with_hints(at, outcome, size, hints);\n", bytes="size"),
    "calloc": Steps(after="  races_allocated(at, outcome, count * size);\n", bytes="count * size"),
    "realloc": Steps("  races_freed(at, ptr);\n", "  races_allocated(at, outcome, size);\n", "size"),
    "free": Steps("  races_freed(at, ptr);\n"),
    "init": Steps(after="  races_start();\n"), "init_thread": Steps(after="  races_start();\n"),
    "start_pes": Steps(after="  races_start();\n"),
    "finalize": Steps("  races_stop(at);\n"), "global_exit": Steps("  races_leave();\n"),
}
OLD_HEAP = {"shmalloc": "malloc", "shfree": "free", "shrealloc": "realloc", "shmemalign": "align"}


def subarray(stem: str) -> Steps | None:
    match = re.fullmatch(r"subarray_(put|get)(_nbi)?", stem)
    if match is None:
        return None
    return Steps(f"  races_subarray(at, races_{match[1]}s, ARRAY(dest), ARRAY(source), extents, axes, element_size, {{to}}, "
                 f"{completion(stem)});\n")


COUNTED = f"  races_atomic(at, ct, 8, {TYPES['signal']}, {{to}}, races_writes, NULL, NULL);\n"
OURS = {
    "quiet_local": Steps(after="  races_quiet_local({ctx});\n"),
    "putmem_ct": Steps("  races_put(at, dest, source, BLOCK(nelems), {to}, races_signalled);\n"
                       "  races_signal(at, ct, {to}, NULL);\n", bytes="nelems"),
    "getmem_ct": Steps("  races_get(at, dest, source, BLOCK(nelems), {to}, races_blocking);\n" + COUNTED, bytes="nelems"),
    "ct_get": Steps(after="  races_acquire(ct, 8, -1);\n"),
    "ct_wait": Steps(after="  races_acquire_when(at, ct, 8, %d, 5, (int64_t)wait_for);\n" % TYPES["signal"]),
}


def steps_of(f: api_spec.Function) -> Steps | None:
    """None: the call needs no generated wrapper."""
    if f.row.status == "ext":
        stem = f.row.name.removeprefix("shmemx_").removeprefix("ctx_").replace("TYPENAME_", "")
        return (OURS.get(stem) or exchange(f.row.name) or transfer(stem) or atomic(stem) or subarray(stem) or
                (collective(stem, {a.name for a in f.arguments}) if stem.endswith("_reduce") else None))
    stem = OLD_HEAP.get(f.row.name, re.sub(r"^shmem_", "", f.row.name).replace("TYPENAME_", "").replace("OLDSIZE", "SIZE"))
    stem = re.sub(r"^ctx_(?!destroy|create|get_team|session)", "", stem.replace("[ctx_]", ""))
    names = {a.name for a in f.arguments}
    if stem == "sync":  # the deprecated sync of an active set
        return meeting("sync", "ACTIVE")
    if stem in ONE_BY_ONE:
        return ONE_BY_ONE[stem]
    return transfer(stem) or atomic(stem) or waiting(stem) or collective(stem, names)


def width_of(f: api_spec.Function) -> str:
    if f.type:
        return f"sizeof({plain(f.type.header)})"
    if "SIZE" in f.row.name or f.row.table:
        bits = re.search(r"(\d+)(?:_signal)?(?:_nbi)?$", f.name)
        return str(int(bits[1]) // 8) if bits else "1"
    return "sizeof(long)" if f.row.name in ("shmem_wait", "shmem_wait_until", "shmem_swap") else "1"


def plain(type: str) -> str:
    """An equivalent type that needs no header of the library."""
    if type in ("shmem_ctx_t", "shmem_team_t", "shmemx_ct_t"):
        return "void *"
    type = re.sub(r"shmemx_(half|bfloat16)_t", "uint16_t", type)
    if re.match(r"(const )?shmemx?_\w+_t \*", type):
        return "const void *" if type.startswith("const") else "void *"
    return re.sub(r"oshen_complex(\w)_t", lambda m: {"f": "float", "d": "double"}[m[1]] + " _Complex", type)


def declared(type: str, name: str) -> str:
    return f"{type}{'' if type.endswith('*') else ' '}{name}"


def number_of(f: api_spec.Function) -> str:
    """The value of the call as a number, if it is one."""
    type = plain(f.type.header) if f.type else "long"
    is_number = not any(word in type for word in ("float", "double", "Complex"))
    return "&(const int64_t){(int64_t)value}" if is_number else "NULL"


def wrapper(f: api_spec.Function, steps: Steps, index: int) -> str:
    names = [a.name for a in f.arguments]
    ctx = "ctx" if "ctx" in names and f.on_context else "NULL"
    parameters = ", ".join(declared(plain(a.type), a.name) for a in f.arguments) or "void"
    returns = plain(f.returns)

    def filled(text: str) -> str:
        return text.format(w=width_of(f), to=f"races_peer_of({ctx}, pe)", ctx=ctx, number=number_of(f), type=type_of(f))

    head = "__attribute__((noreturn)) " if f.row.noreturn else ""
    keep = f"const {returns} outcome = " if returns != "void" and not returns.endswith("*") else \
        f"{returns}outcome = " if returns != "void" else ""
    give = "  return outcome;\n" if keep else ""
    before, after = filled(steps.before), filled(steps.after)
    at = ""
    if re.search(r"\bat\b", before + after):
        at = f"  const uint32_t at = races_site({index}, __builtin_return_address(0), {filled(steps.bytes)});\n"
    next_one, find = f.twin, f"{head}{declared(returns, f.twin)}({parameters});\n"
    return (f"{find}{head}{declared(returns, f.name)}({parameters});\n{declared(returns, f.name)}({parameters}) {{\n"
            f"{at}{before}  {keep}{next_one}({', '.join(names)});\n{after}{give}}}\n")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    texts, names = [], []
    spec = api_spec.Spec.read()
    for f in spec.functions:
        steps = steps_of(f)
        if steps is None:
            continue
        texts.append(wrapper(f, steps, len(names)))
        names.append(f.name)
    names += [f.name for f in spec.functions if f.row.status == "ext" and f.name not in names]  # extensions.cpp
    table = "const char *const races_routines[] = {\n" + "".join(f"  \"{n}\",\n" for n in names) + "  NULL};\n"
    Path(sys.argv[1]).write_text(HEAD + "\n" + table + "\n" + "\n".join(texts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
