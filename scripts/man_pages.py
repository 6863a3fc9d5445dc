#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages from spec/.

  man_pages.py DIR             writes DIR/man3: a page for each family of calls.def, and for each of its functions (1788 and
                               the extensions) a line that refers to it; DIR/man7/oshen-environment.7: the settings
  man_pages.py DIR --tool NAME PROGRAM [OPTION]    writes DIR/man1/NAME.1 from the output of PROGRAM --help, or OPTION
"""

from __future__ import annotations

import datetime
import os
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

from api_spec import Function, Row, Spec, on_form, version


def escaped(text: str) -> str:
    """The text escaped, so that troff finds no commands in it."""
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.M)


def day() -> str:
    """The date of the release if SOURCE_DATE_EPOCH gives it, so that the same source gives the same page."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc) if seconds else None
    return moment.strftime("%Y-%m-%d") if moment else ""


def head(name: str, section: int, what: str) -> list[str]:
    return [f'.TH "{name}" {section} "{day()}" "Oshen {version()}" "{what}"']


def base(row: Row) -> str:
    """The name of a family without its placeholders for types, sizes and contexts."""
    return re.sub(r"\[ctx_\]|TYPENAME_?|SIZE", "", row.name)


def synopsis(row: Row) -> list[str]:
    lines = []
    for on_context in (False, True) if "[ctx_]" in row.name else (False,):
        form = on_form(row, on_context)
        arguments = ", ".join(map(str, form.arguments)) or "void"
        returns = form.returns if form.returns.endswith("*") else form.returns + " "
        lines.append(f"{returns}{form.name}({arguments});")
    if row.generic:
        lines.append(f"/* C11 and C++: {row.generic}(...) */")
    return lines


def types(functions: list[Function]) -> list[str]:
    named = {f.type.stem: f.type.c for f in functions if f.type}
    if not named:
        return []
    text = ", ".join(f"{stem} ({c})" for stem, c in named.items())
    return [".SH TYPES", escaped("TYPENAME (TYPE) is one of: " + text + ".")]


def page(name: str, rows: list[Row], functions: list[Function], siblings: list[str]) -> str:
    header = "shmemx.h" if rows[0].status == "ext" else "shmem.h"
    first = (rows[0].doc or rows[0].heading).split(". ")[0].split(": ")[0]
    lines = head(name, 3, "OpenSHMEM")
    lines += [".SH NAME", f"{escaped(name)} \\- {escaped(first[:1].lower() + first[1:].rstrip('.'))}"]
    lines += [".SH SYNOPSIS", ".nf", f"#include <{header}>", ""]
    lines += [escaped(line) for row in rows for line in synopsis(row)] + [".fi"]
    lines += [".SH DESCRIPTION", escaped(rows[0].doc or rows[0].heading)]
    old = {base(row) for row in rows if row.status == "old"}
    gone = {base(row) for row in rows if row.status == "gone"}
    if old:
        lines += [".PP", escaped("Deprecated: " + ", ".join(sorted(old)) + ".")]
    if gone:
        lines += [".PP", escaped("No longer in the standard, kept for old programs: " + ", ".join(sorted(gone)) + ".")]
    if header == "shmem.h":
        lines += [".PP", escaped("Each function has a profiling twin, with a p in front, in pshmem.h.")]
    else:
        lines += [".PP", "An extension of Oshen."]
    lines += types(functions)
    lines += [".SH STANDARD", escaped(f"OpenSHMEM 1.6: {rows[0].heading}.")]
    others = [s for s in siblings if s != name][:12]
    lines += [".SH SEE ALSO", *(f".BR {escaped(other)} (3)," for other in others), ".BR oshrun (1)"]
    return "\n".join(lines) + "\n"


def families(spec: Spec) -> list[tuple[str, list[Row]]]:
    """Groups of rows with the same documentation. A group has one page, named after its first row."""
    groups: dict[str, list[Row]] = {}
    for (heading, doc), rows in groupby(spec.rows, lambda r: (r.heading, r.doc)):
        for part in ([list(rows)] if doc else [[row] for row in rows]):
            groups.setdefault(base(part[0]), []).extend(part)
    return list(groups.items())


def section_3(spec: Spec) -> dict[str, str]:
    pages, pages_of_heading = families(spec), {}
    for name, rows in pages:
        pages_of_heading.setdefault(rows[0].heading, []).append(name)
    texts = {}
    for name, rows in pages:
        functions = [f for row in rows for f in spec.expand(row)]
        texts[name] = page(name, rows, functions, pages_of_heading[rows[0].heading])
    for name, rows in pages:
        for other in {f.name for row in rows for f in spec.expand(row)} | {row.generic for row in rows if row.generic}:
            texts.setdefault(other, f".so man3/{name}.3\n")
    return {f"man3/{name}.3": text for name, text in texts.items()}


def section_7(spec: Spec) -> dict[str, str]:
    lines = head("oshen-environment", 7, "Oshen")
    lines += [".SH NAME", "oshen\\-environment \\- variables of the environment that Oshen reads", ".SH DESCRIPTION"]
    for s in spec.settings:
        alias = f" (or {s.alias})" if s.alias else ""
        default = f" Default: {s.fallback}." if s.fallback else ""
        lines += [".TP", f".B {escaped(s.name)}", escaped(f"{s.type}{alias}: {s.about.rstrip('.')}.{default}")]
    lines += [".SH SEE ALSO", ".BR oshinfo (1),", ".BR oshrun (1)"]
    return {"man7/oshen-environment.7": "\n".join(lines) + "\n"}


def section_1(name: str, program: str, option: str = "--help") -> dict[str, str]:
    told = subprocess.run([program, option], check=True, capture_output=True, text=True).stdout.strip()
    paragraphs = (" ".join(part.split()) for part in told.split("\n\n"))
    paragraph = next(part for part in paragraphs if not part.lower().startswith("usage")).split(". ")[0]
    paragraph = paragraph.strip().removeprefix(f"{name}: ")
    lines = head(name, 1, "Oshen")
    lines += [".SH NAME", f"{escaped(name)} \\- {escaped(paragraph.rstrip('.'))}", ".SH DESCRIPTION", ".nf", escaped(told), ".fi"]
    lines += [".SH SEE ALSO", ".BR oshen\\-environment (7)"]
    return {f"man1/{name}.1": "\n".join(lines) + "\n"}


def main() -> int:
    words = sys.argv[1:]
    if len(words) == 1:
        spec = Spec.read()
        texts = {**section_3(spec), **section_7(spec)}
    elif len(words) in (4, 5) and words[1] == "--tool":
        texts = section_1(*words[2:])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for path, text in texts.items():
        target = Path(words[0]) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
