#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrappers of oshtrace from spec/calls.def: each notes what a call does, when, and to whom.

usage: generate.py OUTPUT
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "oshprof"), str(HERE.parent.parent / "scripts")]

import api_spec  # noqa: E402
from generate import LIFE, bytes_of, declared, kind_of, plain  # noqa: E402  (oshprof's: what a call is and moves)

HEAD = """\
/* Made by generate.py from spec/calls.def. */
#include <stddef.h>
#include <stdint.h>
#include "trace.h"
"""

WRAPPER = """\
{returns} {name}({parameters}) {{
  static {returns} (*next)({types});
  if (next == NULL) *(void **)&next = oshprof_next("p{name}", "{name}");
  const uint64_t began = oshtrace_enter();
  {keep}next({arguments});
  oshtrace_leave(began, &(struct oshtrace_call){{{call}}});
{give}}}
"""

LIVES = """\
{head}{returns} {name}({parameters}) {{
  {returns} (*next)({types});
  *(void **)&next = oshprof_next("p{name}", "{name}");
{before}  {keep}next({arguments});
{after}{give}}}
"""


def kind(f: api_spec.Function) -> str:
    """As in trace.h."""
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
    return "change" if re.search(r"atomic|swap|add|inc|finc|fadd|_set$", name) and "signal" not in name else "put"


def group(names: list[str]) -> str:
    if "team" in names:
        return "oshtrace_group(team)"
    if "PE_start" in names:
        return "oshtrace_active_set(PE_start, logPE_stride, PE_size)"
    return "0"


def call(f: api_spec.Function) -> str:
    names = [a.name for a in f.arguments]
    what = kind(f)
    words = [f'"{f.name}"', f"oshtrace_{what}"]
    words.append(f".ctx = {'ctx' if 'ctx' in names and what != 'other' and 'create' not in f.name else 'NULL'}")
    if "pe" in names and what not in ("other",):
        words.append(f".pe = {'oshtrace_pe(ctx, pe)' if 'ctx' in names else 'pe'}")
    elif "PE_root" in names:
        words.append(".pe = oshtrace_member(team, PE_root)" if "team" in names else
                     ".pe = PE_start + (PE_root << logPE_stride)")
    else:
        words.append(".pe = -1")
    if what in ("put", "get", "change", "rooted", "collective"):
        words.append(f".bytes = {bytes_of(f, kind_of(f))}")
    place = {"put": "dest", "change": "dest", "get": "source", "wait": "ivar", "lock": "lock", "release": "lock"}.get(what)
    place = next((n for n in (place, "ivars", "sig_addr") if n in names), None) if place else None
    if place and place != "sig_addr":
        words.append(f".place = {place}")
        if what == "wait":
            words.append(f".bytes = {'nelems' if 'nelems' in names else '1'} * {f'sizeof({f.type.c})' if f.type else '8'}")
    if "sig_addr" in names:
        words.append(".signal = sig_addr")
    if what in ("collective", "rooted"):
        words.append(f".group = {group(names)}")
    return ", ".join(words)


def text_of(f: api_spec.Function) -> str:
    gives = f.returns != "void"
    parameters = [(plain(a.type), a.name) for a in f.arguments]
    filled = dict(name=f.name, returns=plain(f.returns), call=call(f),
                  parameters=", ".join(declared(t, n) for t, n in parameters) or "void",
                  types=", ".join(t for t, _ in parameters) or "void", arguments=", ".join(n for _, n in parameters),
                  keep=f"{plain(f.returns)} outcome = " if gives else "", give="  return outcome;\n" if gives else "")
    life = LIFE.get(f.name)
    if f.name == "shmem_global_exit":
        return ""  # nobody gathers any more
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
