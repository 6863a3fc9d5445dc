#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on the width of sources: at most 120 columns (.clang-format). Longer lines are allowed in generated headers, for
prototypes, and in the lines for run_spec.py (// @...), which cannot be broken.

  check_columns.py [--root DIR]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

COLUMNS = 120
FOLDERS = ["src", "trials", "exchange", "fft", "fftw_mpi", "lammps", "tools", "apps", "bench", "tests"]
SOURCES = {".c", ".h", ".cpp", ".hpp"}


def too_long(root: Path) -> list[str]:
    problems = []
    for path in sorted(p for folder in FOLDERS for p in (root / folder).rglob("*") if p.suffix in SOURCES):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if len(line) > COLUMNS and not line.startswith("// @"):
                problems.append(f"{path.relative_to(root)}:{number}: {len(line)} columns: expected at most {COLUMNS}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    problems = too_long(parser.parse_args().root.resolve())
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(problems)} lines longer than {COLUMNS} columns")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
