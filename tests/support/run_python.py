#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_python.py FILE [ARGUMENT ...]: runs a test, which may import the helpers of tests/support and the sources below.

The folders are in sys.path of this process only. PYTHONPATH would also reach the installed tools that a test starts, and
these must find their own modules.
"""

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("tests/support", "tests/spec", "scripts", "tools/hosts", "tools/shared", "tools/oshtune", "tools/oshprof", "tools/races",
           "lammps", "bench", "bench/scale")

if __name__ == "__main__":
    del sys.argv[0]
    sys.path[:1] = [str(Path(sys.argv[0]).resolve().parent), *(str(ROOT / folder) for folder in FOLDERS)]
    runpy.run_path(sys.argv[0], run_name="__main__")
