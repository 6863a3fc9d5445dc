#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on the lines of sources: at most 120 columns (.clang-format), and in src/ no return that calls another function
before a comma. Longer lines are allowed in generated headers, for prototypes, in the lines for run_spec.py (// @...), which cannot
be broken, and in texts of several lines in Python, which are printed as they stand.

  check_columns.py [--root DIR]
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from pathlib import Path

COLUMNS = 120
FOLDERS = ["src", "trials", "exchange", "fft", "fftw_mpi", "lammps", "tools", "apps", "bench", "tests"]
SOURCES = {".c", ".h", ".cpp", ".hpp"}
COMMA_RETURN = re.compile(r'\s*(if \(.*\) )?return [^"]*\), [\w:]+;')
PYTHON = ["bench", "lammps", "tools/oshprof", "tools/oshtune", "tools/shared", "tests/bench"]


def wrong_lines(root: Path) -> list[str]:
    problems = []
    for path in sorted(p for folder in FOLDERS for p in (root / folder).rglob("*") if p.suffix in SOURCES):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if len(line) > COLUMNS and not line.startswith("// @"):
                problems.append(f"{path.relative_to(root)}:{number}: {len(line)} columns: expected at most {COLUMNS}")
            if path.is_relative_to(root / "src") and COMMA_RETURN.match(line):
                problems.append(f"{path.relative_to(root)}:{number}: a comma in a return: expected two statements")
    return problems


def texts_of(source: str) -> set[int]:
    """The lines of texts that are printed as they stand: strings of several lines, without docstrings."""
    tree, docstrings, found = ast.parse(source), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
            docstrings.add(node.body[0].value)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node not in docstrings and node.end_lineno > node.lineno:
            lines = source.splitlines()[node.lineno - 1:node.end_lineno]
            found |= set(range(node.lineno, node.end_lineno + 1)) if any('"""' in line for line in lines) else set()
    return found


def too_long_in_python(root: Path) -> list[str]:
    problems = []
    for path in sorted(p for folder in PYTHON for p in (root / folder).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        wide = {number: len(line) for number, line in enumerate(source.splitlines(), 1) if len(line) > COLUMNS}
        for number in sorted(wide.keys() - texts_of(source) if wide else ()):
            place = path.relative_to(root)
            problems.append(f"{place}:{number}: {wide[number]} columns: expected at most {COLUMNS}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    problems = wrong_lines(root) + too_long_in_python(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(problems)} lines that are longer than {COLUMNS} columns or return after a comma")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
