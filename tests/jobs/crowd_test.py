"""More PEs than CPUs: no test collapses, and no waiting PE uses the CPU of others."""

import os
import re
import unittest

from jobs import stretched
from pe_jobs import VictimTest, program

PES = 16
CPUS = sorted(os.sched_getaffinity(0))[:2]


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

    def beginnings(self, n_pes, all_but_first):
        """{PE: the CPU to which it was moved, or None}. PE 0 may use all of `CPUS`, or only the first."""
        if len(CPUS) < 2:
            self.skipTest("one CPU")
        several = ",".join(map(str, CPUS))
        of_first = CPUS[0] if all_but_first else several
        script = f'[ $OSHEN_PE = 0 ] && cpus={of_first} || cpus={several}; exec taskset -c $cpus "$0"'
        ended = self.finish(self.start("-n", n_pes, "--bind", "none", "sh", "-c", script, program("placement")))
        self.assertEqual((ended.status, ended.err), (0, ""), ended)
        found = {}
        for pe, moves, cpu, may_use in re.findall(r"PE (\d+): (\d+) moves, to (\S+); may use (.*)\n", ended.out):
            self.assertIn(moves, ("0", "1"), ended.out)
            mine = CPUS[:1] if pe == "0" and all_but_first else CPUS
            self.assertEqual([int(cpu) for cpu in may_use.split()], mine, ended.out)  # as before
            found[int(pe)] = int(cpu) if moves == "1" else None
        self.assertEqual(sorted(found), list(range(n_pes)), ended.out)
        return found

    def test_begins_evenly(self):
        a, b = CPUS[0], CPUS[-1]
        self.assertEqual(self.beginnings(5, False), {0: a, 1: b, 2: a, 3: b, 4: a})
        self.assertEqual(self.beginnings(4, True), {0: None, 1: a, 2: b, 3: a})  # only PEs with the same CPUs are moved
        self.assertEqual(self.beginnings(2, False), {0: None, 1: None})

    def test_right_however_long_it_spins(self):
        for spin in ("0", "1000"):
            self.environment["OSHEN_SPIN"] = spin
            self.cpu_seconds("meet", "20")


if __name__ == "__main__":
    unittest.main(verbosity=2)
