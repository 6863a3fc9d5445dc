#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PEs that end in different ways: the detectors of all PEs end together, also where OSHEN_CHECK compares their calls.

usage: ends_test.py --bin FOLDER ends.c
"""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RACES_FOUND = 66
TOGETHER = (["finalize"], ["main"], ["finalize", "main"], ["main", "finalize"], ["finalize", "exit", "main"], ["main", "fork"])


class Ends(unittest.TestCase):
    tools: Path
    source: Path

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.program = Path(folder.name) / "ends"
        subprocess.run([cls.tools / "oshcc", "--races", "-O2", cls.source, "-o", cls.program], check=True)

    def run_ways(self, *words, check="0"):
        job = subprocess.run([self.tools / "oshrun", "--timeout", "100", "-n", "3", self.program, *words],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "OSHEN_CHECK": check})
        return job.returncode, job.stdout

    def test_right_programs_end_well(self):
        for check in ("0", "1"):
            for ways in TOGETHER:
                with self.subTest(ways, check=check):
                    self.assertEqual(self.run_ways("right", *ways, check=check), (0, "done\n"))

    def test_races_change_the_status(self):
        for check in ("0", "1"):
            for ways in TOGETHER:
                with self.subTest(ways, check=check):
                    status, output = self.run_ways("wrong", *ways, check=check)
                    self.assertEqual(status, RACES_FOUND, output)
                    self.assertIn("oshen: race on data (static) of PE 0: ", output)
                    self.assertIn("oshen: 1 race (pairs of places), met 1 time\n", output)

    def test_a_pe_that_ends_the_job_waits_for_no_other(self):
        self.assertEqual(self.run_ways("right", "finalize", "global_exit"), (0, "done\n"))
        status, output = self.run_ways("right", "main", "fail")
        self.assertEqual(status, 3, output)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("source", type=Path)
    options = parser.parse_args()
    Ends.tools, Ends.source = options.bin, options.source
    unittest.main(argv=[sys.argv[0]], verbosity=2)
