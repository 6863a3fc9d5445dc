# SPDX-License-Identifier: BSD-3-Clause
"""Reads spec/manual.def: what manual pages say besides calls.def."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from api_spec import ROOT, SPEC

EXAMPLES = ROOT / "spec/examples"
KEYS = ("summary", "returns", "order", "error", "note", "example", "see")


@dataclass
class Text:
    """The text of one page."""

    arguments: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    returns: str = ""
    order: str = ""
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    example: str = ""
    see: list[str] = field(default_factory=list)

    def add(self, key: str, value: str) -> None:
        if key.startswith("argument "):
            self.arguments[key.removeprefix("argument ")] = value
        elif key == "error":
            self.errors.append(value)
        elif key == "note":
            self.notes.append(value)
        elif key == "see":
            self.see += value.split()
        else:
            setattr(self, key, value)


@dataclass(frozen=True)
class Entry:
    patterns: tuple[str, ...]  # of page names; none for arguments of all pages
    key: str
    value: str


def read() -> list[Entry]:
    entries, patterns = [], ()
    text = re.sub(r"^#.*\n", "", (SPEC / "manual.def").read_text(), flags=re.M)
    for line in re.sub(r"\n {4,}", " ", text).splitlines():
        if line.startswith("for "):
            patterns = tuple(line.split()[1:])
        elif line.strip():
            key, value = line.strip().split(": ", 1)
            name = key.split()[0]
            assert name in KEYS or name == "argument", f"manual.def: {line}"
            entries.append(Entry(patterns if line[0] == " " else (), key, value))
    return entries


def text_of(page: str, arguments: list[str], entries: list[Entry]) -> Text:
    """The text of a page whose routines have these arguments."""
    found = Text()
    for entry in entries:
        of_all, name = not entry.patterns, entry.key.partition(" ")[2]
        if of_all and name in arguments:
            found.add(entry.key.replace("error " + name, "error"), entry.value)
        elif any(fnmatchcase(page, pattern) for pattern in entry.patterns):
            found.add(entry.key, entry.value)
    found.errors = list(dict.fromkeys(found.errors))
    found.see = [name for name in dict.fromkeys(found.see) if name != page]
    return found
