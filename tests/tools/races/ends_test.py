#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PEs that end in different ways: the detectors of all PEs end together, also where OSHEN_CHECK compares their calls.

usage: ends_test.py --bin FOLDER ends.c
"""

import raced_program
from raced_program import RACES_FOUND

TOGETHER = (["finalize"], ["main"], ["finalize", "main"], ["main", "finalize"], ["finalize", "exit", "main"], ["main", "fork"])


class Ends(raced_program.RacedProgram):
    def test_right_programs_end_well(self):
        for check in ("0", "1"):
            for ways in TOGETHER:
                with self.subTest(ways, check=check):
                    self.assertEqual(self.run_program("right", *ways, OSHEN_CHECK=check), (0, "done\n"))

    def test_races_change_the_status(self):
        for check in ("0", "1"):
            for ways in TOGETHER:
                with self.subTest(ways, check=check):
                    status, output = self.run_program("wrong", *ways, OSHEN_CHECK=check)
                    self.assertEqual(status, RACES_FOUND, output)
                    self.assertIn("oshen: race on data (static) of PE 0: ", output)
                    self.assertIn("oshen: 1 race (pairs of places), met 1 time\n", output)

    def test_a_pe_that_ends_the_job_waits_for_no_other(self):
        self.assertEqual(self.run_program("right", "finalize", "global_exit"), (0, "done\n"))
        status, output = self.run_program("right", "main", "fail")
        self.assertEqual(status, 3, output)


if __name__ == "__main__":
    raced_program.main(Ends)
