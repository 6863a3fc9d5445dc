"""Where a mutant is planted: a file by the end of its path, and in it a function by its name.

Files move and functions are rewritten around the place; neither shall make a mutant stale.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from c_functions import definitions  # noqa: E402

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
    return (definitions if path.suffix in (".c", ".cpp", ".h", ".hpp") else indented_bodies)(text, function)
