#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The sweep over the mini-apps (coverage.py), with a launcher that only prints the output of a program."""

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SWEEP = Path(__file__).with_name("coverage.py")
JOBS = 20  # of an app: five numbers of PEs, one and two threads, with and without delays
LAUNCHER = """#!/bin/sh
echo "run $*" >> {log}
[ "$2" = 8 ] && {at_8}
echo 'barrier            0.000100 s        1.000 Mcell/s  compute 100%  0123456789abcdef right'
echo 'checksum {checksum}'
echo 'result   right'
"""


class Sweep(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="coverage-")
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        (self.place / "fake").mkdir()
        (self.place / "fake/daxpy").touch()
        self.launcher()

    def launcher(self, checksum: str = "0123456789abcdef", at_8: str = "true") -> None:
        file = self.place / "launch"
        file.write_text(LAUNCHER.format(log=self.place / "log", checksum=checksum, at_8=at_8))
        file.chmod(0o755)

    def sweep(self, *more: str, status: int = 0) -> str:
        command = [sys.executable, "-B", SWEEP, self.place, "--mpi", self.place / "fake", self.place / "launch", "--state",
                   self.place / "state.json", "--only", "fake/daxpy/*", *more]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def launched(self) -> int:
        log = self.place / "log"
        count = len(log.read_text().splitlines()) if log.exists() else 0
        log.unlink(missing_ok=True)
        return count

    def test_what_has_passed_is_not_run_again_until_its_program_is_newer(self) -> None:
        self.assertIn(f"fake: {JOBS} of {JOBS} jobs right", self.sweep())
        self.assertEqual(self.launched(), JOBS)
        self.sweep()
        self.assertEqual(self.launched(), 0)
        later = time.time() + 10
        os.utime(self.place / "fake/daxpy", (later, later))
        self.sweep()
        self.assertEqual(self.launched(), JOBS)

    def test_what_fails_is_told_and_run_again(self) -> None:
        self.launcher(at_8="exit 3")
        said = self.sweep(status=1)
        self.assertIn("fake/daxpy/8/t1: status 3", said)
        self.assertIn(f"fake: {JOBS - 4} of {JOBS} jobs right", said)
        self.launched()
        self.launcher()
        self.sweep()
        self.assertEqual(self.launched(), 4)

    def test_what_hangs_is_ended(self) -> None:
        self.launcher(at_8="sleep 60")
        self.assertIn("fake/daxpy/8/t2/late: not ready in 1 s", self.sweep("--seconds", "1", status=1))

    def test_checksums_that_differ_are_told(self) -> None:
        self.sweep()
        (self.place / "state.json").write_text((self.place / "state.json").read_text().replace("0123456789abcdef", "f", 1))
        self.assertIn("fake/daxpy: checksums differ", self.sweep(status=1))


if __name__ == "__main__":
    unittest.main()
