#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a test in Python, which may import the helpers of tests/support and the sources that it tests.

  tests/run.py FILE [ARGUMENT ...]    such as: tests/run.py tests/bench/judge_test.py Alarms

The folders are in sys.path of this process only. PYTHONPATH would also reach the installed tools that a test starts, and
these must find their own modules.
"""

import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("tests/support", "tests/spec", "scripts", "tools/hosts", "tools/shared", "tools/oshtune", "tools/oshprof",
           "lammps", "bench", "bench/scale", "tools")

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    del sys.argv[0]
    sys.path[:1] = [str(Path(sys.argv[0]).resolve().parent), *(str(ROOT / folder) for folder in FOLDERS)]
    runpy.run_path(sys.argv[0], run_name="__main__")
