#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C program that takes the address of every function of the standard, and of its pshmem_ form. It links only if all
functions exist.

  make_link_test.py OUTPUT
"""

import sys
from pathlib import Path

from check_symbols import standard_names

names = [form + name for form in ("", "p") for name in sorted(standard_names())]
rows = "".join(f"  {{\"{name}\", (function *)&{name}}},\n" for name in names)
Path(sys.argv[1]).write_text(f"""\
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
