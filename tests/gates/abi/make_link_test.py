#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C program that takes the address of every function in a list. It links only if all functions exist.

  make_link_test.py LIST OUTPUT [twins]     names are the first words of the lines; "twins" adds their pshmem_ forms
"""

import sys
from pathlib import Path

names = [line.split()[0] for line in Path(sys.argv[1]).read_text().splitlines()]
if "twins" in sys.argv[3:]:
    names += ["p" + name for name in names]
rows = "".join(f"  {{\"{name}\", (function *)&{name}}},\n" for name in names)
Path(sys.argv[2]).write_text(f"""\
#include <pshmem.h>
#include <shmem.h>

#include <stdio.h>

typedef void function(void);
static const struct {{ const char *name; function *address; }} table[] = {{
{rows}}};

int main(void) {{
  size_t n = sizeof table / sizeof table[0], missing = 0;
  for (size_t i = 0; i < n; i++)
    if (!table[i].address) printf("%s has no address\\n", table[i].name), missing++;
  printf("%zu functions linked\\n", n - missing);
  return missing != 0 || n != {len(names)};
}}
""")
