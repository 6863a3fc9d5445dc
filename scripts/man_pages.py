#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages from spec/.

  man_pages.py DIR             writes DIR/man3: a page for each family of calls.def, and for each of its functions (1788 and
                               the extensions) a line that refers to it; DIR/man7/oshen-environment.7: the settings
  man_pages.py DIR --tool NAME PROGRAM [OPTION]    writes DIR/man1/NAME.1 from the output of PROGRAM --help, or OPTION,
                               and from spec/tools.def
"""

from __future__ import annotations

import datetime
import os
import re
import sys
from pathlib import Path

import manual
import tool_pages
from api_spec import Spec, version
from manual import Page, Section


def escaped(text: str) -> str:
    """The text escaped, so that troff finds no commands in it."""
    text = text.replace("…", "...").replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def day() -> str:
    """The date of the release if SOURCE_DATE_EPOCH gives it, so that the same source gives the same page."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc) if seconds else None
    return moment.strftime("%Y-%m-%d") if moment else ""


def head(name: str, section: int, what: str) -> list[str]:
    return [f'.TH "{name}" {section} "{day()}" "Oshen {version()}" "{what}"']


def section(part: Section) -> list[str]:
    lines = [f".SH {escaped(part.title)}" if part.level == 1 else f".SS {escaped(part.title)}"]
    for i, paragraph in enumerate(part.paragraphs):
        lines += [".PP"] * (i > 0) + [escaped(paragraph)]
    if part.code:
        lines += [".PP"] * bool(part.paragraphs) + [".nf", escaped(part.code), ".fi"]
    for term, meaning in part.terms:
        lines += [".TP", f".B {escaped(term)}", escaped(meaning)]
    return lines


def written(page: Page) -> str:
    lines = head(page.name, 3, "OpenSHMEM")
    lines += [".SH NAME", f"{escaped(page.name)} \\- {escaped(page.summary)}"]
    lines += [line for part in page.sections for line in section(part)]
    lines += [".SH SEE ALSO", *(f".BR {escaped(other)} (3)," for other in page.see_also), ".BR oshrun (1)"]
    return "\n".join(lines) + "\n"


def section_3(spec: Spec) -> dict[str, str]:
    pages = manual.pages(spec)
    texts = {page.name: written(page) for page in pages}
    for page in pages:
        for other in page.functions:
            texts.setdefault(other, f".so man3/{page.name}.3\n")
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
    summary, parts, see_also = tool_pages.page(name, program, option)
    lines = head(name, 1, "Oshen")
    lines += [".SH NAME", f"{escaped(name)} \\- {escaped(summary)}"]
    lines += [line for part in parts for line in section(part)]
    references = [re.sub(r"(.*)\((\d)\)", lambda m: f".BR {escaped(m[1])} ({m[2]})", other) for other in see_also]
    lines += [".SH SEE ALSO", *(f"{line}," for line in references[:-1]), references[-1]]
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
