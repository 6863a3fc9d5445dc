# SPDX-License-Identifier: BSD-3-Clause
"""Runs shmem4py's own suite, from PyPI, with oshen.shmem in place of shmem4py.

  shmem4py_suite.py --suite FOLDER --oshrun PATH -n N    FOLDER: the suite as unpacked by interop.shmem4py.build
  shmem4py_suite.py --inside TESTS                       one PE of such a run
"""

import argparse
import re
import subprocess
import sys
import types
import unittest
from pathlib import Path

from patience import patient

FEWEST_TESTS = 100
# Tests of shmem4py's internals, and two that NumPy 2 itself refuses (-1 as an unsigned number).
NOT_FOR_US = ("test_buf", "TestRMA.testGet", "TestRMA.testGetNBI")


def wanted(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from wanted(test)
        elif not any(name == test.id() or test.id().endswith(f".{name}") or test.id().startswith(f"{name}.")
                     for name in NOT_FOR_US):
            yield test


def inside(tests: str) -> int:
    import cffi

    import oshen
    from oshen import shmem

    shmem.ffi = cffi.FFI()  # the suite reads addresses with it
    shmem.lib = types.SimpleNamespace(SHMEM_TEAM_NUM_CONTEXTS=1)
    package = types.ModuleType("shmem4py")
    package.shmem, package.rc = shmem, oshen.rc
    sys.modules.update({"shmem4py": package, "shmem4py.shmem": shmem, "shmem4py.rc": oshen.rc})
    suite = unittest.TestSuite(wanted(unittest.TestLoader().discover(tests)))
    return 0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path)
    parser.add_argument("--oshrun")
    parser.add_argument("-n")
    parser.add_argument("--inside")
    options = parser.parse_args()
    if options.inside:
        return inside(options.inside)
    tests = next(options.suite.glob("shmem4py-*/test"), None)
    if tests is None:
        print("skipped: shmem4py is not there; PyPI could not be reached")
        return 77
    runner = str(Path(__file__).resolve().parents[2] / "run.py")
    done = subprocess.run(patient([options.oshrun, "-n", options.n, "-l", "--timeout", "300", sys.executable, runner, __file__,
                                   "--inside", str(tests)]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    ran = [int(n) for n in re.findall(r"^\[\d+\] Ran (\d+) tests", done.stdout, re.MULTILINE)]
    if done.returncode or len(ran) != int(options.n) or min(ran) < FEWEST_TESTS:
        print(f"{done.stdout}\nstatus {done.returncode}; tests run by each PE: {ran}")
        return 1
    print(f"{min(ran)} tests of shmem4py passed on each of {options.n} PEs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
