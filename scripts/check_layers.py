#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on the direction of includes: down only, siblings apart, src/ private.

  check_layers.py [--root DIR]
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

# The layers, lowest first. Layers in one list are siblings, which the layer above connects.
LAYERS = [["base"], ["os"], ["bootstrap"], ["heap", "transport"], ["world"], ["wait"], ["startup", "op"], ["coll"],
          ["allocation"], ["api"]]
LEVEL = {layer: level for level, layers in enumerate(LAYERS) for layer in layers}

# The rooms of coll, lowest first (docs/design/collectives.md). Every room may include coll/collective.hpp, which
# includes no room.
ROOMS = [["select"], ["shared_memory"], ["protocol"], ["run", "algorithms"], ["team", "neighbor"], ["nonblocking"],
         ["api"]]
ROOM_LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}
TOP_OF_COLL = "collective.hpp"

# Files that the build generates, with their layers.
GENERATED = {"settings_table.hpp": "base"}

# The layers that other folders may include: oshrun shares the lowest ones, oshinfo also prints the registry of
# algorithms. Users of the public interface include none.
LOWEST = {"base", "os", "bootstrap"}
OUTSIDE = {"tools/oshinfo": LOWEST | {"transport", "world", "coll"}, "tools": LOWEST,
           "include": set(), "exchange": set(), "fft": set(), "fftw_mpi": set(), "lammps": set(), "bench": set(), "apps": set()}

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


def room_of(root: Path, name: str) -> str | None:
    """The room of coll of an included file; None if the file is in no room."""
    parts = Path(name).parts
    return parts[1] if len(parts) > 2 and parts[0] == "coll" and (root / "src" / name).exists() else None


def check_rooms(root: Path) -> list[str]:
    problems = []
    for path in sources(root / "src" / "coll"):
        place = path.relative_to(root)
        own = place.parts[2]
        own_level = -1 if own == TOP_OF_COLL else ROOM_LEVEL.get(own)
        if own_level is None:
            problems.append(f"{place}: stands in no room of coll")
            continue
        for number, name in includes(path):
            other = room_of(root, name)
            if other in (None, own):
                continue
            if other not in ROOM_LEVEL or ROOM_LEVEL[other] > own_level:
                problems.append(f"{place}:{number}: upward include of {name}: {own} stands below {other}")
            elif ROOM_LEVEL[other] == own_level:
                problems.append(f"{place}:{number}: sibling include of {name}: {own} and {other} stand side by side")
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
    problems = check_library(root) + check_rooms(root) + check_outside(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    files = len(sources(root / "src"))
    print(f"{files} files of src/ in {len(LEVEL)} layers, {len(problems)} includes against the rule")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
