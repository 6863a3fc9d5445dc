"""Where a mutant is planted: a file by the end of its path, and in it a function by its name.

Files move and functions are rewritten around the place; neither shall make a mutant stale.
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path

# Brackets in quotes and comments do not count.
SKIPPED = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])'""", re.S)
AFTER_PARAMETERS = re.compile(r"\s+|const\b|noexcept\b|override\b|final\b|mutable\b|->\s*[\w:<>,&* ]+|\[\[[^]]*\]\]", re.S)


@functools.cache
def files(root: Path) -> list[str]:
    """The sources, without builds and hidden folders."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build", "__pycache__"))]
        found += [str(Path(folder, name).relative_to(root)) for name in names]
    return found


@functools.cache
def file_of(root: Path, name: str) -> Path | None:
    """The only file whose path ends with these components."""
    if (root / name).is_file():
        return root / name
    found = [path for path in files(root) if path.endswith("/" + name)]
    return root / found[0] if len(found) == 1 else None


def closing(text: str, at: int) -> int:
    """The place behind the bracket that closes the one at `at`; -1 if none does."""
    depth = 0
    while at < len(text):
        if skipped := SKIPPED.match(text, at):
            at = skipped.end()
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        at += 1
        if depth == 0:
            return at
    return -1


def body_after(text: str, at: int) -> int:
    """The place of the body's bracket after the parameters of a function; -1 if there is none."""
    while at < len(text):
        if text[at] == "{":
            return at
        skipped = SKIPPED.match(text, at) or AFTER_PARAMETERS.match(text, at)
        if skipped:
            at = skipped.end()
        elif text[at] == "(":  # of noexcept
            at = closing(text, at)
        elif text[at] == ":" and text[at:at + 2] != "::":  # members
            at += 1
            while member := re.compile(r"\s*[\w:<>]+\s*(?=[({])").match(text, at):
                at = closing(text, member.end())
                if not (comma := re.compile(r"\s*,").match(text, at)):
                    break
                at = comma.end()
        else:
            return -1
    return -1


def c_bodies(text: str, function: str) -> list[tuple[int, int]]:
    found = []
    for match in re.finditer(rf"(?<![\w.>]){re.escape(function)}\s*(?=\()", text):
        parameters = closing(text, match.end())
        body = body_after(text, parameters) if parameters > 0 else -1
        if body > 0:
            found.append((match.start(), closing(text, body)))
    return found


def indented_bodies(text: str, function: str) -> list[tuple[int, int]]:
    """Of Python, or of a shell script."""
    found = []
    for match in re.finditer(rf"^( *)(?:def {re.escape(function)}\(|{re.escape(function)}\(\) {{)", text, re.M):
        end = re.compile(rf"^ {{0,{len(match[1])}}}\S", re.M).search(text, match.end())
        found.append((match.start(), end.end() if end else len(text)))
    return found


def regions(path: Path, text: str, function: str) -> list[tuple[int, int]]:
    """The parts of a text that define this function; all of it without a name."""
    if not function:
        return [(0, len(text))]
    return (c_bodies if path.suffix in (".c", ".cpp", ".h", ".hpp") else indented_bodies)(text, function)
