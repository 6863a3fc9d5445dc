#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on the sizes of files and functions in C, C++ and Python (docs/style/code.md).

  check_sizes.py [--root DIR]
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

from c_functions import functions

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["src", "trials", "exchange", "fft", "fftw_mpi", "lammps", "tools", "apps", "bench", "python", "scripts", "include/oshen", "tests"]
SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".py"}
MOST_LINES = 550
MOST_TEST_LINES = 850  # cases of one fixture stand together
MOST_FUNCTION_LINES = 60


def functions_of(path: Path, text: str) -> list[tuple[str, int, int]]:
    """The name, first line and number of lines of each function."""
    if path.suffix != ".py":
        return functions(text)
    return [(node.name, node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1) for node in ast.walk(ast.parse(text))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def problems_of(path: Path, name: str) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    lines, most = text.count("\n"), MOST_TEST_LINES if name.startswith("tests/") else MOST_LINES
    problems = [f"{name}: {lines} lines: expected at most {most}"] if lines > most else []
    return problems + [f"{name}:{first}: {function} has {count} lines: expected at most {MOST_FUNCTION_LINES}"
                       for function, first, count in functions_of(path, text) if count > MOST_FUNCTION_LINES]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT)
    root = parser.parse_args().root.resolve()
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in SUFFIXES and path.is_file()]
    problems = [problem for path in paths for problem in problems_of(path, str(path.relative_to(root)))]
    print(*problems, f"{len(paths)} files, {len(problems)} problems", sep="\n")
    return 1 if problems or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
