# SPDX-License-Identifier: BSD-3-Clause
"""The imports of the Python packages that have rooms: down only, and without cycles between modules. A package that
another one builds on imports nothing of it. check_layers.py runs this."""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

# The rooms of each package, lowest first; rooms in one list are siblings. Modules beside the rooms stand above all of
# them.
ROOMS = {
    "bench/oshbench": [["common"], ["cases"], ["libraries"], ["results"], ["machine", "statistics"], ["report"],
                       ["measure"], ["correctness"]],
    "bench/record": [],  # no order: only cycles are refused
}
# Packages that a package must not import, although they stand in the same folder.
FORBIDDEN = {"bench/oshbench": {"record"}}
TOP = "the top"


def modules(package: Path) -> dict[str, Path]:
    """The modules of a package by their dotted names within it; "" is the package itself."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(package: Path, name: str, known: dict[str, Path]) -> Iterator[tuple[int, str]]:
    """Line and name of each imported module of the package. The name of another package begins with a slash."""
    path = known[name]
    own = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, _within(package, alias.name, known)
        elif isinstance(node, ast.ImportFrom):
            front = own[:len(own) - node.level + 1] if node.level else None
            for alias in node.names:
                parts = [*(front or []), *((node.module or "").split(".") if node.module else []), alias.name]
                whole = ".".join(filter(None, parts))
                yield node.lineno, _resolved(whole, known) if front is not None else _within(package, whole, known)


def _within(package: Path, whole: str, known: dict[str, Path]) -> str:
    first, _, rest = whole.partition(".")
    return _resolved(rest, known) if first == package.name else f"/{first}"


def _resolved(whole: str, known: dict[str, Path]) -> str:
    """The module: the last word may be a name in it."""
    return whole if whole in known else whole.rpartition(".")[0]


def room_of(package: str, module: str) -> str:
    first = module.partition(".")[0]
    return first if any(first in rooms for rooms in ROOMS[package]) else TOP


def check_package(root: Path, package: str) -> list[str]:
    """The imports against the rule."""
    folder = root / package
    known = modules(folder)
    level = {room: number for number, rooms in enumerate(ROOMS[package]) for room in rooms} | {TOP: len(ROOMS[package])}
    problems, arrows = [], {}
    for name, path in known.items():
        own, place = room_of(package, name), path.relative_to(root)
        if ROOMS[package] and own == TOP and path.parent != folder:
            problems.append(f"{place}: stands in no room of {package}")
        arrows[name] = set()
        for line, target in imports(folder, name, known):
            if target.startswith("/"):
                if target[1:] in FORBIDDEN.get(package, ()):
                    problems.append(f"{place}:{line}: imports {target[1:]}, which is built on {folder.name}")
                continue
            other = room_of(package, target)
            if target != name and target in known:
                arrows[name].add(target)
            if other != own and level[other] > level[own] and target:
                problems.append(f"{place}:{line}: upward import of {target}: {own} stands below {other}")
            elif other != own and level[other] == level[own]:
                problems.append(f"{place}:{line}: sibling import of {target}: {own} and {other} stand side by side")
    try:
        graphlib.TopologicalSorter(arrows).prepare()
    except graphlib.CycleError as cycle:
        problems.append(f"{package}: modules import each other: {' -> '.join(cycle.args[1])}")
    return problems


def check(root: Path) -> list[str]:
    return [problem for package in ROOMS if (root / package).exists() for problem in check_package(root, package)]
