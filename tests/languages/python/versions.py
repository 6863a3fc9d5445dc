#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests of the Python package with every Python that it promises, and with NumPy 1 and 2: `ninja python-versions`.

  versions.py BUILD    fetches the interpreters into BUILD/pythons (about 400 MB), and runs each test with two PEs
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from interpreters import RELEASES, interpreter

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[2] / "python"
RUNS = (["-n", "2"], ["-n", "2", "--nodes", "2"])
ABOUT = "import sys, numpy; print('Python', sys.version.split()[0], 'NumPy', numpy.__version__)"


def passes(build: Path, python: Path, test: Path, options: list[str]) -> bool:
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE), "OSHEN_LIBRARY": str(build / "lib"), "PYTHONDONTWRITEBYTECODE": "1",
                   "PYTHONWARNINGS": "error::DeprecationWarning:oshen", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([build / "bin/oshrun", *options, "--timeout", "200", python, test], capture_output=True, text=True,
                          env=environment)
    print(f"versions:   {'ok' if done.returncode == 0 else 'FAILED'}  oshrun {' '.join(options)} {test.name}", flush=True)
    if done.returncode != 0:
        print(done.stdout + done.stderr)
    return done.returncode == 0


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    tests = [*(HERE / f"{name}_test.py" for name in ("shmem", "exchange", "fft", "mistakes", "docstrings")), HERE / "after_finalize.py"]
    results = []
    for release in RELEASES:
        python = interpreter(release, build / "pythons")
        print(f"versions: {subprocess.check_output([python, '-c', ABOUT], text=True)}", end="", flush=True)
        results += [passes(build, python, test, options) for options in RUNS for test in tests]
    print(f"versions: {results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
