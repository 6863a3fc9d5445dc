#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program that calls every generic name with every type, for C11 (_Generic) and C++ (overloads).

The program defines the functions that the generics select. Each function records its name and arguments, which the program
compares with those expected. The expected names come from the standard's list of families (families-1.6.tsv), not from
spec/.

  make_generics_test.py OUTPUT
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from check_symbols import C_TYPES, standard_names

FACTS = Path(__file__).resolve().parent


# Types that are the same type on LP64.
SAME = {"int8_t": "signed char", "int16_t": "short", "int32_t": "int", "int64_t": "long", "uint8_t": "unsigned char",
        "uint16_t": "unsigned short", "uint32_t": "unsigned int", "uint64_t": "unsigned long",
        "size_t": "unsigned long", "ptrdiff_t": "long"}

# Generic names that are not made from a typed family.
UNTYPED = {"shmem_team_sync": "shmem_sync", "shmem_sync": "shmem_sync",
           "shmem_signal_add": "shmem_signal_add", "shmem_ctx_signal_add": "shmem_signal_add",
           "shmem_signal_set": "shmem_signal_set", "shmem_ctx_signal_set": "shmem_signal_set"}

HEAD = """\
#include <shmem.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
#define C_LINKAGE extern "C"
#else
#define C_LINKAGE
#endif

/* Addresses and small numbers, both exact in a double. */
#define AT(pointer) ((double)(uintptr_t)(const void *)(pointer))

static const char *entered;
static double noted[16];
static int count, calls, failures;

static void enter(const char *name) { entered = name, count = 0; }
static void note(double argument) { noted[count++] = argument; }

/* One of names was entered with exactly these arguments. */
static void expect(const char *call, const char *names, int n, ...) {
  char found[80];
  int wrong = count != n;
  va_list arguments;
  snprintf(found, sizeof found, "|%s|", entered);
  va_start(arguments, n);
  for (int i = 0; i < n; i++) wrong |= va_arg(arguments, double) != noted[i];
  va_end(arguments);
  calls++;
  if (wrong || strstr(names, found) == NULL) {
    printf("%s entered %s%s, expected %s\\n", call, entered, wrong ? " with other arguments" : "", names);
    failures++;
  }
  entered = "nothing";
}

/* In C++ the function of C99 for long is the overload for long. */
C_LINKAGE long (shmem_swap)(long *dest, long value, int pe) {
  enter("shmem_long_swap");
  note(AT(dest)), note((double)value), note((double)pe);
  return 0;
}
"""

TAIL = """
  printf("%d calls, %d wrong\\n", calls, failures);
  return failures != 0;
}
"""


@dataclass(frozen=True)
class Family:
    """A family that takes part in a generic."""

    name: str  # with the placeholder TYPENAME
    generic: str
    returns: str
    arguments: list[tuple[str, str]]  # type, name


def read_families() -> list[Family]:
    families = []
    for line in (FACTS / "families-1.6.tsv").read_text().splitlines():
        name, _, table, _, _, returns, arguments = line.split("\t")
        name = name.replace("{short,ushort}", "TYPENAME")
        typed = "TYPENAME" in name and not name.endswith("_to_all") and table != "legacy-wait"
        if typed or name in UNTYPED:
            generic = name.replace("ctx_", "").replace("TYPENAME_", "") if typed else UNTYPED[name]
            pairs = [re.fullmatch(r"(.*[ *])(\w+)", a.strip()).groups() for a in arguments.split(",")]
            families.append(Family(name, generic, returns, [(t.strip(), n) for t, n in pairs]))
    return families


def value(type: str, name: str, stem: str, position: int) -> str:
    """An argument whose value differs from those of its neighbours."""
    if type == "shmem_ctx_t":
        return "SHMEM_CTX_DEFAULT"
    if type == "shmem_team_t":
        return "SHMEM_TEAM_SHARED"
    if type.endswith("*"):
        plain = type.removeprefix("const ").removesuffix(" *").removesuffix("*")
        source = "source" if type.startswith("const ") else "dest"
        if name == "fetch":
            source = "fetched"
        return f"{source}_{stem}" if plain == "TYPE" else f"{name}_{plain}"
    return f"({C_TYPES[stem] if type == 'TYPE' else type}){position + 2}"


def noted(type: str, text: str) -> str:
    return f"AT({text})" if type.endswith("*") or type in ("shmem_ctx_t", "shmem_team_t") else f"(double){text}"


def definition(family: Family, stem: str, name: str) -> str:
    c_type = C_TYPES.get(stem, "")
    arguments = ", ".join(f"{t} {n}" for t, n in family.arguments).replace("TYPE", c_type)
    returns = family.returns.replace("TYPE", c_type)
    notes = " ".join(f"note({noted(t, n)});" for t, n in family.arguments)
    result = "" if returns == "void" else " return 0;"
    return f'C_LINKAGE {returns} ({name})({arguments}) {{ enter("{name}"); {notes}{result} }}'


def call(family: Family, stem: str, names: set[str], constant: bool) -> str:
    values = [value(t, n, stem, i) for i, (t, n) in enumerate(family.arguments)]
    if not constant:  # a source that is not const must choose the same function
        values = [v.replace("source_", "dest_") for v in values]
    checks = "".join(f", {noted(t, v)}" for (t, _), v in zip(family.arguments, values))
    listed = "|" + "|".join(sorted(names)) + "|"
    return (f"  {'(void)' if family.returns != 'void' else ''}{family.generic}({', '.join(values)});\n"
            f'  expect("{family.generic} of {C_TYPES.get(stem, "no type")}", "{listed}", {len(values)}{checks});')


def main() -> int:
    names = standard_names()
    families = read_families()
    definitions, calls, done = [], [], set()
    for family in families:
        for stem in C_TYPES if "TYPENAME" in family.name else [""]:
            name = family.name.replace("TYPENAME", stem)
            if name not in names or name in done:
                continue
            done.add(name)
            own = SAME.get(C_TYPES.get(stem, ""), C_TYPES.get(stem, ""))
            same = {n for other, c in C_TYPES.items() if stem and SAME.get(c, c) == own
                    if (n := family.name.replace("TYPENAME", other)) in names} or {name}
            if family.generic == "shmem_wait_until" and own == "long":
                same.add("shmem_wait_until")  # the deprecated function of this very signature
            definitions.append(definition(family, stem, name))
            calls += [call(family, stem, same, constant) for constant in (True, False)]
    definitions.append('C_LINKAGE void (shmem_wait_until)(long *ivar, int cmp, long cmp_value) '
                       '{ enter("shmem_wait_until"); note(AT(ivar)); note((double)cmp); note((double)cmp_value); }')
    used = set(re.findall(r"\b(?:dest|fetched|source)_\w+", "\n".join(calls)))
    objects = [f"static {'const ' if place == 'source' else ''}{c} {place}_{s}[4] = {{0}};"
               for s, c in C_TYPES.items() for place in ("dest", "fetched", "source") if f"{place}_{s}" in used]
    objects.append("static int status_int[4]; static size_t indices_size_t[4]; static uint64_t sig_addr_uint64_t[1]; "
                   "static long pSync_long[4];")
    generic_names = {f.generic for f in families}
    assert len(generic_names) == 65 + 8, f"{len(generic_names)} generic names"
    halves = [calls[i:i + 100] for i in range(0, len(calls), 100)]
    parts = [f"static void part{i}(void) {{\n" + "\n".join(h) + "\n}" for i, h in enumerate(halves)]
    run = "\nint main(void) {\n" + "\n".join(f"  part{i}();" for i in range(len(parts)))
    Path(sys.argv[1]).write_text("\n".join([HEAD, *objects, *definitions, *parts]) + run + TAIL)
    return 0


if __name__ == "__main__":
    sys.exit(main())
