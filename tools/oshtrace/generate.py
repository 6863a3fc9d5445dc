#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrappers of oshtrace from spec/calls.def: each records the kind, time and peer of a call.

usage: generate.py OUTPUT
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "oshprof"), str(HERE.parent.parent / "scripts")]

import api_spec  # noqa: E402
from generate import LIFE, bytes_of, declared, kind_of, plain  # noqa: E402  (oshprof/generate.py)

HEAD = """\
/* Made by generate.py from spec/calls.def. */
#include <stddef.h>
#include <stdint.h>
#include "trace.h"
"""

WRAPPER = """\
{returns} {name}({parameters}) {{
  static {returns} (*next)({types});
  if (next == NULL) *(void **)&next = oshtrace_next("p{name}", "{name}");
  const uint64_t began = oshtrace_enter(__builtin_return_address(0));
  {keep}next({arguments});
  oshtrace_leave(began, &(struct oshtrace_call){{{call}}});
{give}}}
"""

LIVES = """\
{head}{returns} {name}({parameters}) {{
  {returns} (*next)({types});
  *(void **)&next = oshtrace_next("p{name}", "{name}");
{before}  {keep}next({arguments});
{after}{give}}}
"""


def kind(f: api_spec.Function) -> str:
    """The kind of a call, as in trace.h."""
    name, file = f.name, f.row.file
    if file == "wait" or name.startswith(("shmem_signal_wait", "shmem_wait")):
        return "wait"
    if "lock" in name:
        return "release" if "clear_lock" in name else "lock" if "set_lock" in name else "other"
    if "quiet" in name or "fence" in name:
        return "order"
    usual = kind_of(f)
    if usual in ("coll", "reduce") or re.search(r"barrier|sync", name):
        return "rooted" if "broadcast" in name else "collective"
    if usual != "rma" or "signal_fetch" in name:
        return "other"
    if re.search(r"get|_g$", name) and "put" not in name:
        return "get"
    if re.search(r"atomic_fetch(_nbi)?$|_fetch$", name):
        return "get"
    return "atomic" if re.search(r"atomic|swap|add|inc|finc|fadd|_set$", name) and "signal" not in name else "put"


def group(names: list[str]) -> str:
    if "team" in names:
        return "oshtrace_group(team)"
    if "PE_start" in names:
        return "oshtrace_active_set(PE_start, logPE_stride, PE_size)"
    return "0"


def call(f: api_spec.Function) -> str:
    names = [a.name for a in f.arguments]
    call_kind = kind(f)
    fields = [f'"{f.name}"', f"oshtrace_{call_kind}"]
    fields.append(f".ctx = {'ctx' if 'ctx' in names and call_kind != 'other' and 'create' not in f.name else 'NULL'}")
    if "pe" in names and call_kind not in ("other",):
        fields.append(f".pe = {'oshtrace_pe(ctx, pe)' if 'ctx' in names else 'pe'}")
    elif "PE_root" in names:
        fields.append(".pe = oshtrace_member(team, PE_root)" if "team" in names else
                     ".pe = PE_start + (PE_root << logPE_stride)")
    else:
        fields.append(".pe = -1")
    if call_kind in ("put", "get", "atomic", "rooted", "collective"):
        fields.append(f".bytes = {bytes_of(f, kind_of(f))}")
    place = {"put": "dest", "atomic": "dest", "get": "source", "wait": "ivar", "lock": "lock",
             "release": "lock"}.get(call_kind)
    place = next((n for n in (place, "ivars", "sig_addr") if n in names), None) if place else None
    if place and place != "sig_addr":
        fields.append(f".object = {place}")
        if call_kind == "wait":
            fields.append(f".bytes = {'nelems' if 'nelems' in names else '1'} * "
                          f"{f'sizeof({f.type.c})' if f.type else '8'}")
    if "sig_addr" in names:
        fields.append(".signal = sig_addr")
    if call_kind in ("collective", "rooted"):
        fields.append(f".group = {group(names)}")
    return ", ".join(fields)


def text_of(f: api_spec.Function) -> str:
    gives = f.returns != "void"
    parameters = [(plain(a.type), a.name) for a in f.arguments]
    filled = dict(name=f.name, returns=plain(f.returns), call=call(f),
                  parameters=", ".join(declared(t, n) for t, n in parameters) or "void",
                  types=", ".join(t for t, _ in parameters) or "void", arguments=", ".join(n for _, n in parameters),
                  keep=f"{plain(f.returns)} outcome = " if gives else "", give="  return outcome;\n" if gives else "")
    life = LIFE.get(f.name)
    if f.name == "shmem_global_exit":
        return ""  # the traces are not gathered in this case
    if life:
        return LIVES.format(**filled, head="", before="  oshtrace_stop();\n" if life == "stop" else "",
                            after="  oshtrace_start();\n" if life == "start" else "")
    return WRAPPER.format(**filled)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    moving = [f for f in api_spec.Spec.read().standard() if not any(a.type == "..." for a in f.arguments)
              and (kind(f) != "other" or f.name in LIFE)]
    Path(sys.argv[1]).write_text(HEAD + "\n" + "\n".join(filter(None, map(text_of, moving))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
