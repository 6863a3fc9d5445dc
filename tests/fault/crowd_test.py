"""More PEs than CPUs: nobody collapses, and nobody burns the CPU of others while it waits."""

import re
import unittest

from job_test import stretched
from victims import VictimTest

PES = 16


class Crowd(VictimTest):
    def cpu_seconds(self, *arguments):
        ended = self.job(PES, "crowd", *arguments)
        self.assertEqual((ended.status, ended.err), (0, ""), ended)
        return float(re.fullmatch(r"([\d.]+) CPU seconds\n", ended.out)[1]), ended.seconds

    def test_many_meetings(self):
        _, seconds = self.cpu_seconds("meet", "200")
        self.assertLess(seconds, stretched(30))  # about 0.2 s on an idle machine, tens of seconds when PEs spin

    def test_waiting_costs_no_cpu(self):
        used, _ = self.cpu_seconds("sleep", "2")
        self.assertLess(used, 0.6)  # 15 PEs that spin would use 4 s on two CPUs

    def test_right_however_long_it_spins(self):
        for spin in ("0", "1000"):
            self.environment["OSHEN_SPIN"] = spin
            self.cpu_seconds("meet", "20")


if __name__ == "__main__":
    unittest.main(verbosity=2)
