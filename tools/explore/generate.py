#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the routines of OpenSHMEM for `oshcc --explore` from spec/calls.def: each becomes a call of calls.h.

usage: generate.py OUTPUT
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "scripts"))

import api_spec  # noqa: E402

HEAD = """\
/* Made by generate.py from spec/calls.def. The headers of OpenSHMEM are not included, because their generic macros have
 * the names of some functions. */
#include <complex.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include "calls.h"

#define HERE(n) ((struct explore_call){n, __builtin_return_address(0)})
#define BLOCK(bytes) ((struct explore_shape){bytes, 1, 0, 0})
#define STRIDED(width, bsize, nblocks, dst, sst) \\
  ((struct explore_shape){(size_t)(width) * (bsize), nblocks, (ptrdiff_t)(width) * (dst), (ptrdiff_t)(width) * (sst)})
#define TEAM(team) ((struct explore_group){team, 0, 0, 0, NULL})
#define ACTIVE ((struct explore_group){NULL, PE_start, logPE_stride, PE_size, pSync})
#define WORLD TEAM((void *)1)
#define UNUSED __attribute__((unused))
#define COMPARES(T, name)                                                                     \\
  UNUSED static int holds_##name(const void *object, int cmp, const void *value) {            \\
    T a, b;                                                                                   \\
    memcpy(&a, object, sizeof a), memcpy(&b, value, sizeof b);                                \\
    return cmp == 0 ? a == b : cmp == 1 ? a != b : cmp == 2 ? a < b : cmp == 3 ? a <= b : cmp == 4 ? a > b : a >= b; \\
  }
#define SETS(T, name) \\
  UNUSED static void set_##name(void *object, const void *operand) { memcpy(object, operand, sizeof(T)); }
#define SWAPS(T, name)                                                            \\
  UNUSED static void compare_swap_##name(void *object, const void *operand) {     \\
    if (memcmp(object, operand, sizeof(T)) == 0) memcpy(object, (const char *)operand + sizeof(T), sizeof(T)); \\
  }
#define APPLIES(T, name, how, expression)                                         \\
  UNUSED static void how##_##name(void *object, const void *operand) {            \\
    T a, b;                                                                       \\
    memcpy(&a, object, sizeof a), memcpy(&b, operand, sizeof b);                  \\
    a = (T)(expression);                                                          \\
    memcpy(object, &a, sizeof a);                                                 \\
  }
#define COMBINES(T, name, how, expression)                                        \\
  UNUSED static void how##_all_##name(void *result, const void *elements, size_t n) { \\
    for (size_t i = 0; i < n; i++) {                                              \\
      T a, b;                                                                     \\
      memcpy(&a, (char *)result + i * sizeof a, sizeof a);                        \\
      memcpy(&b, (const char *)elements + i * sizeof b, sizeof b);                \\
      a = (T)(expression);                                                        \\
      memcpy((char *)result + i * sizeof a, &a, sizeof a);                        \\
    }                                                                             \\
  }
"""
COMBINATIONS = {"and": "a & b", "or": "a | b", "xor": "a ^ b", "max": "a > b ? a : b", "min": "a < b ? a : b",
                "sum": "a + b", "prod": "a * b"}
COMMUTE = {"inc": 1, "add": 1, "and": 2, "or": 3, "xor": 4}
OLD = {"fetch": "atomic_fetch", "set": "atomic_set", "cswap": "atomic_compare_swap", "swap": "atomic_swap", "finc": "atomic_fetch_inc",
       "inc": "atomic_inc", "fadd": "atomic_fetch_add", "add": "atomic_add", "shmalloc": "malloc", "shfree": "free",
       "shrealloc": "realloc", "shmemalign": "align", "_my_pe": "my_pe", "_num_pes": "n_pes", "start_pes": "init"}


def plain(type: str) -> str:
    """An equivalent type that needs no header of the library."""
    if type in ("shmem_ctx_t", "shmem_team_t", "shmemx_ct_t", "shmemx_graph_t"):
        return "void *"
    type = re.sub(r"shmemx_(half|bfloat16)_t", "uint16_t", type)
    if re.match(r"(const )?shmemx?_\w+_t \*", type):
        if "shmem_team_t" in type or "shmem_ctx_t" in type:
            return "void **"
        return "const void *" if type.startswith("const") else "void *"
    return re.sub(r"oshen_complex(\w)_t", lambda m: {"f": "float", "d": "double"}[m[1]] + " _Complex", type)


def type_of(f: api_spec.Function) -> tuple[str, str]:
    """The C type of the elements, and its name in the generated functions."""
    if f.type:
        return plain(f.type.header), f.type.stem
    return "long", "long"


def width_of(f: api_spec.Function) -> str:
    if f.type:
        return f"sizeof({plain(f.type.header)})"
    if "SIZE" in f.row.name or f.row.table:
        bits = re.search(r"(\d+)(?:_signal)?(?:_nbi)?$", f.name)
        return str(int(bits[1]) // 8) if bits else "1"
    return "sizeof(long)" if f.row.name in ("shmem_wait", "shmem_wait_until", "shmem_swap") else "1"


def transfer(f: api_spec.Function, stem: str) -> str | None:
    match = re.fullmatch(r"(i|ib)?(put|get)(SIZE|mem)?(_signal)?(_nbi)?", stem)
    if match is None:
        return None
    shape = {None: "BLOCK(nelems * {w})", "i": "STRIDED({w}, 1, nelems, dst, sst)",
             "ib": "STRIDED({w}, bsize, nblocks, dst, sst)"}[match[1]]
    late = int(match[5] is not None)
    if match[4]:
        return f"  explore_put_signal(at, {{ctx}}, dest, source, {shape}, sig_addr, signal, sig_op, pe, {late});\n"
    return f"  explore_{match[2]}(at, {{ctx}}, dest, source, {shape}, pe, {late});\n"


def atomic(f: api_spec.Function, stem: str) -> str | None:
    match = re.fullmatch(r"atomic_(fetch|set|compare_swap|swap|(fetch_)?(inc|add|and|or|xor))(_nbi)?", stem)
    if match is None:
        return None
    type, name = type_of(f)
    what, late = match[1], match[4] is not None
    where = "source" if what == "fetch" else "dest"
    reads = what in ("fetch", "compare_swap", "swap") or match[2] is not None
    change = match[3] or what
    apply = {"fetch": "NULL", "swap": f"set_{name}", "inc": f"add_{name}"}.get(change, f"{change}_{name}")
    operands = {"fetch": "0", "inc": "1", "compare_swap": "cond, value"}.get(change, "value")
    commute = 0 if reads or name in ("float", "double") else COMMUTE.get(change, 0)
    text = (f"  const {type} operand[] = {{{{{operands}}}}};\n"
            f"  const struct explore_update what = {{{{sizeof({type}), {apply}, operand, sizeof operand, {commute}}}}};\n")
    if not reads or late:
        return text + f"  explore_atomic(at, {{ctx}}, (void *){where}, what, {'fetch' if late else 'NULL'}, pe, 1);\n"
    return (text + f"  {type} old;\n  explore_atomic(at, {{ctx}}, (void *){where}, what, &old, pe, 0);\n  return old;\n")


def waiting(f: api_spec.Function, stem: str) -> str | None:
    match = re.fullmatch(r"(signal_wait_until|wait_until|test|wait)(_all|_any|_some)?(_vector)?", stem)
    if match is None:
        return None
    if match[1] == "signal_wait_until":
        type, name, objects = "uint64_t", "uint64", "sig_addr"
    else:
        (type, name), objects = type_of(f), "ivars" if match[2] else "ivar"
    n, status = ("nelems", "status") if match[2] else ("1", "NULL")
    cmp = "1" if match[1] == "wait" else "cmp"
    values, stride = ("cmp_values", f"sizeof({type})") if match[3] else ("&cmp_value", "0")
    indices = "indices" if match[2] == "_some" else "NULL"
    which = f"explore{match[2] or '_one'}"
    text = (f"  const struct explore_condition on = {{{{holds_{name}, sizeof({type}), {objects}, {n}, {status}, {cmp}, {values}, "
            f"{stride}, {which}, {indices}}}}};\n")
    call = "test" if match[1] == "test" else "wait"
    if match[1] == "signal_wait_until":
        return text + "  explore_wait(at, &on);\n  return *(volatile uint64_t *)sig_addr;\n"
    if f.returns == "void":
        return text + f"  explore_{call}(at, &on);\n"
    return text + f"  return ({plain(f.returns)})explore_{call}(at, &on);\n"


FLOWS = {"alltoall", "alltoalls", "broadcast", "collect", "fcollect", "sum_inscan", "sum_exscan"}


def collective(f: api_spec.Function, stem: str) -> str | None:
    stem = re.sub(r"SIZE$|OLDSIZE$|mem$", "", stem)
    reduction = re.fullmatch(r"(\w+)_(reduce|to_all)", stem)
    if reduction is None and stem not in FLOWS:
        return None
    names = {a.name for a in f.arguments}
    group = "TEAM(team)" if "team" in names else "ACTIVE"
    count = "nelems" if "nelems" in names else "(size_t)nreduce"
    strides = "dst, sst" if stem == "alltoalls" else "1, 1"
    flow = "reduce" if reduction else {"alltoalls": "alltoall", "sum_inscan": "inscan", "sum_exscan": "exscan"}.get(stem, stem)
    combine = f"{reduction[1] if reduction else 'sum'}_all_{type_of(f)[1]}" if flow in ("reduce", "inscan", "exscan") else "NULL"
    root = "PE_root" if stem == "broadcast" else "0"
    text = (f"  const struct explore_collective what = {{{{explore_{flow}, {group}, (void *)dest, source, {{w}}, {count}, {strides}, "
            f"{root}, {combine}}}}};\n")
    return text + ("  explore_meet(at, &what);\n" if f.returns == "void" else "  return explore_meet(at, &what);\n")


def sync(group: str, gives: bool) -> str:
    text = f"  const struct explore_collective what = {{{{.what = explore_sync, .group = {group}}}}};\n"
    return text + ("  return explore_meet(at, &what);\n" if gives else "  explore_meet(at, &what);\n")


ONE_BY_ONE = {
    "init": "  explore_init(at);\n", "finalize": "  explore_finalize(at);\n", "global_exit": "  explore_global_exit(at, status);\n",
    "init_thread": "  return explore_init_thread(at, requested, provided);\n", "query_thread": "  *provided = explore_thread_level();\n",
    "query_initialized": "  *initialized = explore_is_initialised();\n",
    "my_pe": "  return explore_my_pe();\n", "n_pes": "  return explore_n_pes();\n",
    "pe_accessible": "  return pe >= 0 && pe < explore_n_pes();\n",
    "addr_accessible": "  return pe >= 0 && pe < explore_n_pes() && explore_is_symmetric(addr);\n",
    "ptr": "  return pe == explore_my_pe() && explore_is_symmetric(dest) ? (void *)dest : NULL;\n",
    "team_ptr": "  return team != NULL && pe == explore_team_my_pe(team) && explore_is_symmetric(dest) ? (void *)dest : NULL;\n",
    "info_get_version": "  *major = 1, *minor = 6;\n", "info_get_name": "  strcpy(name, \"Oshen " + api_spec.version() + "\");\n",
    "malloc": "  return explore_allocate(at, 0, size, 0);\n", "align": "  return explore_allocate(at, alignment, size, 0);\n",
    "malloc_with_hints": "  if ((hints & 1L << 12) != 0) explore_not_modelled(at);\n"
                         "  return explore_allocate(at, 0, size, 0);\n",
    "calloc": "  return explore_allocate(at, 0, count * size, 1);\n", "realloc": "  return explore_reallocate(at, ptr, size);\n",
    "free": "  explore_free(at, ptr);\n",
    "team_my_pe": "  return explore_team_my_pe(team);\n", "team_n_pes": "  return explore_team_n_pes(team);\n",
    "team_translate_pe": "  return explore_team_translate_pe(src_team, src_pe, dest_team);\n",
    "team_split_strided": "  const int status = explore_team_split_strided(at, parent_team, start, stride, size, new_team);\n"
                          "  explore_team_configure(*new_team, config, config_mask);\n  return status;\n",
    "team_get_config": "  return explore_team_config(team, config_mask, config);\n",
    "team_split_2d": "  const int status = explore_team_split_2d(at, parent_team, xrange, xaxis_team, yaxis_team);\n"
                     "  explore_team_configure(*xaxis_team, xaxis_config, xaxis_mask);\n"
                     "  explore_team_configure(*yaxis_team, yaxis_config, yaxis_mask);\n  return status;\n",
    "team_destroy": "  explore_team_destroy(at, team);\n",
    "ctx_create": "  return explore_ctx_create(at, (void *)1, ctx);\n",
    "team_create_ctx": "  return explore_ctx_create(at, team, ctx);\n", "ctx_destroy": "  explore_ctx_destroy(at, ctx);\n",
    "ctx_get_team": "  *team = explore_ctx_team(ctx);\n  return *team == NULL;\n",
    "ctx_session_start": "", "ctx_session_stop": "",
    "fence": "  explore_fence(at, {ctx});\n", "quiet": "  explore_quiet(at, {ctx}, NULL, 0);\n",
    "pe_quiet": "  if (npes > 0) explore_quiet(at, {ctx}, target_pes, npes);\n",
    "set_lock": "  explore_set_lock(at, lock);\n", "test_lock": "  return explore_test_lock(at, lock);\n",
    "clear_lock": "  explore_clear_lock(at, lock);\n",
    "p": "  explore_put(at, {ctx}, dest, &value, BLOCK({w}), pe, 0);\n",
    "g": "  {T} value;\n  explore_get(at, {ctx}, &value, source, BLOCK({w}), pe, 0);\n  return value;\n",
    "signal_fetch": "  return explore_read_word(at, sig_addr);\n",
    "barrier_all": "  explore_barrier(at, WORLD);\n", "sync_all": sync("WORLD", False).replace("{{", "{{"),
    "barrier": "  explore_barrier(at, ACTIVE);\n", "team_sync": sync("TEAM(team)", True),
}
SIGNAL = ("  const struct explore_update what = {{8, %s_uint64, &signal, 8, %d}};\n"
          "  explore_atomic(at, {ctx}, sig_addr, what, NULL, pe, 1);\n")
ONE_BY_ONE["signal_add"], ONE_BY_ONE["signal_set"] = SIGNAL % ("add", 1), SIGNAL % ("set", 0)


def extension(f: api_spec.Function) -> str | None:
    """Strided non-blocking puts and gets, atomic additions of floating-point numbers, and the barrier of a team."""
    stem = re.sub(r"^shmemx_(\[ctx_\]|ctx_)?(TYPENAME_)?", "", f.row.name)
    if stem == "team_barrier":
        return "  if (team == NULL) return -1;\n  explore_barrier(at, TEAM(team));\n  return 0;\n"
    return transfer(f, stem) or (atomic(f, stem) if f.row.table == "FADD" else None)


def body_of(f: api_spec.Function) -> str | None:
    """None: the routine is not modelled."""
    if f.name == "shmemx_wtime":
        return ("  struct timespec now;\n  clock_gettime(CLOCK_MONOTONIC, &now);\n"
                "  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;\n")
    if f.row.status == "ext":
        return extension(f)
    stem = re.sub(r"^shmem_", "", f.row.name).replace("TYPENAME_", "").replace("OLDSIZE", "SIZE")
    stem = re.sub(r"^ctx_(?!destroy|create|get_team|session)", "", stem.replace("[ctx_]", ""))
    stem = OLD.get(stem, stem)
    if stem == "pcontrol" or "cache" in stem or "udcflush" in stem:
        return ""
    if stem == "sync":
        return sync("ACTIVE", False)
    if stem in ONE_BY_ONE:
        return ONE_BY_ONE[stem]
    return transfer(f, stem) or atomic(f, stem) or waiting(f, stem) or collective(f, stem)


def declared(type: str, name: str) -> str:
    return "..." if type == "..." else f"{type}{'' if type.endswith('*') else ' '}{name}"


def routine(f: api_spec.Function) -> str:
    """The routine and its profiling twin."""
    body = body_of(f)
    if body is None:
        body = "  explore_not_modelled(at);\n"
    else:
        ctx = "ctx" if f.on_context else "NULL"
        body = body.replace("{{", "\0").replace("}}", "\1")
        body = body.replace("{w}", width_of(f)).replace("{ctx}", ctx).replace("{T}", type_of(f)[0])
        body = body.replace("\0", "{").replace("\1", "}")
    parameters = ", ".join(declared(plain(a.type), a.name) for a in f.arguments) or "void"
    unused = "".join(f"  (void){a.name};\n" for a in f.arguments if a.name and not re.search(rf"\b{a.name}\b", body)
                     and not ("ACTIVE" in body and a.name in ("PE_start", "logPE_stride", "PE_size", "pSync")))
    at = f"  const struct explore_call at = HERE(\"{f.name}\");\n" if re.search(r"\bat\b", body) else ""
    attributes = "__attribute__((noreturn)) " if f.row.noreturn else ""
    return "".join(f"{attributes}{declared(plain(f.returns), name)}({parameters});\n"
                   f"{declared(plain(f.returns), name)}({parameters}) {{\n{at}{unused}{body}}}\n" for name in (f.name, f.twin))


def helpers(spec: api_spec.Spec) -> str:
    text = ""
    for t in spec.types:
        if t.header.startswith("shmemx_"):  # no call of an extension is modelled
            continue
        type, name = plain(t.header), t.stem
        complex = t.is_complex
        text += f"SETS({type}, {name})\nSWAPS({type}, {name})\nAPPLIES({type}, {name}, add, a + b)\n"
        text += "".join(f"COMBINES({type}, {name}, {how}, {COMBINATIONS[how]})\n" for how in ("sum", "prod"))
        if not complex:
            text += f"COMPARES({type}, {name})\n"
            text += "".join(f"COMBINES({type}, {name}, {how}, {COMBINATIONS[how]})\n" for how in ("max", "min"))
        if not complex and not any(word in type for word in ("float", "double")):
            for how in ("and", "or", "xor"):
                text += f"APPLIES({type}, {name}, {how}, {COMBINATIONS[how]})\nCOMBINES({type}, {name}, {how}, {COMBINATIONS[how]})\n"
    return text


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    spec = api_spec.Spec.read()
    functions = spec.functions
    Path(sys.argv[1]).write_text("\n".join([HEAD, helpers(spec), *map(routine, functions)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
