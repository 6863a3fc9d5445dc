# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings as reStructuredText: lists of arguments in two columns, and the fields Parameters, Returns, Raises and Example."""

from __future__ import annotations

import re

FIELD = re.compile(r"(Parameters|Returns|Raises|Example):(?: (.*))?")
COLUMNS = re.compile(r"([\w*][^ ]*(?: [^ ]+)*) {2,}(\S.*)")


def field(name: str, first: str, block: list[str]) -> list[str]:
    """A field, whose text begins on its own line or is indented below it."""
    if name == "Example":
        code = [f"    {first}"] * bool(first) + block
        return ["", "**Example**", "", ".. code-block:: python", "", *code, ""]
    if name == "Parameters":
        items = [re.sub(r"^(\s*)([\w*, ]+): ", r"* **\2**: ", line) if re.match(r"    \S", line) else "  " + line.strip()
                 for line in block]
        return ["", "**Parameters**", "", *items, ""]
    return ["", f"**{name}** {' '.join([first, *(line.strip() for line in block)]).strip()}", ""]


def with_fields(lines: list[str]) -> list[str]:
    found: list[str] = []
    at = 0
    while at < len(lines):
        match = FIELD.fullmatch(lines[at])
        if not match:
            found.append(lines[at])
            at += 1
            continue
        end = at + 1
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
            end += 1
        found += field(match[1], match[2] or "", [line for line in lines[at + 1:end] if line.strip() or match[1] == "Example"])
        at = end
    return found


def as_markup(lines: list[str]) -> list[str]:
    """Lines such as `name    meaning`, with indented continuations, become items."""
    found: list[str] = []
    in_list = False
    for line in lines:
        item = COLUMNS.fullmatch(line)
        continued = in_list and line.startswith("  ")
        if item:
            found += ([""] if not in_list else []) + [f"* **{item[1]}**: {item[2]}"]
            in_list = True
        elif continued:
            found.append("  " + line.strip())
        else:
            found += [""] if in_list and line.strip() else []
            found.append(line)
            in_list = False
    return found


def on_docstring(app, kind, name, thing, options, lines: list[str]) -> None:
    lines[:] = as_markup(with_fields(lines))
