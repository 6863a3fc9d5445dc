#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on the direction of includes and of Python imports: down only, siblings apart, src/ and the other libraries
private.

  check_layers.py [--root DIR]
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import python_rooms

# The layers, lowest first. Layers in one list are siblings, which the layer above connects.
LAYERS = [["base"], ["os"], ["bootstrap"], ["heap", "transport"], ["world"], ["wait"], ["startup", "op"], ["coll"],
          ["allocation"], ["api"]]
LEVEL = {layer: level for level, layers in enumerate(LAYERS) for layer in layers}

# The rooms of these folders, lowest first (docs/design/collectives.md, exchange.md, fft.md). A file of a folder that
# stands in no room is listed in SHARED; every room may include it, and it includes no room.
ROOMS = {
    "src/coll": [["select"], ["call"], ["shared_memory"], ["protocol"], ["run", "algorithms"], ["team", "neighbor"],
                 ["nonblocking"], ["api"]],
    "exchange": [["group", "copy"], ["plan"], ["run"], ["strategies"], ["choice", "mpi"], ["interface"]],
    "fft": [["geometry"], ["passes"], ["moves"], ["transform"], ["choice"], ["interface"]],
}
SHARED = {"src/coll": {"collective.hpp"}}

# The libraries above src/, and the folders of others that they may include. Everything else of another library is
# private to it: they use its public headers (include/oshen).
LIBRARIES = {"trials": set(), "exchange": {"trials"}, "fft": {"trials"}, "fftw_mpi": set(), "lammps": set()}

# Files that the build generates, with their layers.
GENERATED = {"settings_table.hpp": "base"}

# The layers that other folders may include: oshrun shares the lowest ones, oshinfo also prints the registry of
# algorithms. Users of the public interface include none.
LOWEST = {"base", "os", "bootstrap"}
OUTSIDE = {"tools/oshinfo": LOWEST | {"transport", "world", "coll"}, "tools": LOWEST,
           "include": set(), **{library: set() for library in LIBRARIES}, "bench": set(), "apps": set()}

SOURCES = {".c", ".cc", ".cpp", ".h", ".hpp", ".in"}


def includes(path: Path) -> list[tuple[int, str]]:
    """The line number and name of every include that may be a file of this project."""
    found = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if match := re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line):
            found.append((number, match[1]))
    return found


def layer_of(root: Path, path: Path, name: str) -> str | None:
    """The layer of an included file; None if the file is not in src/."""
    if name in GENERATED:
        return GENERATED[name]
    source = root / "src"
    for candidate in (path.parent / name, source / name, root / name):
        resolved = candidate.resolve()
        if resolved.exists() and resolved.is_relative_to(source):
            return resolved.relative_to(source).parts[0]
    return None


def file_of(root: Path, path: Path, name: str) -> Path | None:
    """The included file, relative to the root; None if it is not a file of this project."""
    for candidate in (path.parent / name, root / "src" / name, root / name):
        resolved = candidate.resolve()
        if resolved.exists() and resolved.is_relative_to(root):
            return resolved.relative_to(root)
    return None


def room_of(folder: str, file: Path | None) -> str | None:
    """The room of a file within the folder; None if it is not there, or shared by all rooms."""
    if file is None or not file.is_relative_to(folder):
        return None
    first = file.relative_to(folder).parts[0]
    return None if first in SHARED.get(folder, set()) else first


def check_rooms(root: Path) -> list[str]:
    problems = []
    for folder, floors in ROOMS.items():
        levels = {room: level for level, rooms in enumerate(floors) for room in rooms}
        for path in sources(root / folder):
            place = path.relative_to(root)
            own = room_of(folder, place)
            if own is not None and own not in levels:
                problems.append(f"{place}: stands in no room of {folder}")
                continue
            own_level = -1 if own is None else levels[own]
            for number, name in includes(path):
                other = room_of(folder, file_of(root, path, name))
                if other in (None, own):
                    continue
                if levels.get(other, len(levels)) > own_level:
                    problems.append(f"{place}:{number}: upward include of {name}: {own} stands below {other}")
                elif levels[other] == own_level:
                    problems.append(f"{place}:{number}: sibling include of {name}: {own} and {other} stand side by side")
    return problems


def check_libraries(root: Path) -> list[str]:
    """No private header of one library in another."""
    problems = []
    for library, allowed in LIBRARIES.items():
        for path in sources(root / library):
            for number, name in includes(path):
                file = file_of(root, path, name)
                owner = file.parts[0] if file is not None else None
                if owner in LIBRARIES and owner != library and owner not in allowed:
                    problems.append(f"{path.relative_to(root)}:{number}: private include of {name}: it belongs to {owner}/")
    return problems


def sources(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix in SOURCES and p.is_file())


def check_library(root: Path) -> list[str]:
    problems = []
    for path in sources(root / "src"):
        place = path.relative_to(root)
        own = place.parts[1]
        if own not in LEVEL:
            problems.append(f"{place}: {own} is not a layer")
            continue
        for number, name in includes(path):
            other = layer_of(root, path, name)
            if other in (None, own):
                continue
            if other not in LEVEL or LEVEL[other] > LEVEL[own]:
                problems.append(f"{place}:{number}: upward include of {name}: {own} stands below {other}")
            elif LEVEL[other] == LEVEL[own]:
                problems.append(f"{place}:{number}: sibling include of {name}: {own} and {other} stand side by side")
    return problems


def check_outside(root: Path) -> list[str]:
    problems, seen = [], set()
    for folder, allowed in OUTSIDE.items():  # the first folder that contains the file decides
        for path in (p for p in sources(root / folder) if p not in seen):
            seen.add(path)
            for number, name in includes(path):
                layer = layer_of(root, path, name)
                if layer is not None and layer not in allowed:
                    place = path.relative_to(root)
                    problems.append(f"{place}:{number}: private include of {name}: {layer} belongs to src/")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    problems = check_library(root) + check_rooms(root) + check_libraries(root) + check_outside(root)
    problems += python_rooms.check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    files = len(sources(root / "src"))
    rooms = sum(len(floor) for floors in ROOMS.values() for floor in floors)
    print(f"{files} files of src/ in {len(LEVEL)} layers, {rooms} rooms, {len(problems)} includes and imports against the rule")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
