"""A PE dies inside each phase of start-up (OSHEN_FAULT=phase@pe); the environment refuses parts of start-up."""

import os
import unittest

from jobs import stretched
from pe_jobs import VictimTest

PHASES = ("pe_info", "segment", "attach", "statics", "ready")


class KilledInStartUp(VictimTest):
    def killed_in(self, phase, pe, handover, n_pes=4):
        self.environment |= {"OSHEN_FAULT": f"{phase}@{pe}", "OSHEN_SEGMENT_HANDOVER": handover}
        ended = self.job(n_pes, "ring")
        self.check(ended, 137, rf"(?m)^oshrun: PE {pe} \(pid \d+\) was killed by signal 9 \(Killed\); "
                               r"the other 3 PEs were ended$")
        self.assertLess(ended.seconds, stretched(5), ended)
        self.assertNotIn("right", ended.out)
        self.assert_nothing_left()

    def each_phase(self, handover):
        for phase in PHASES:
            for pe in (0, 3):
                with self.subTest(phase=phase, pe=pe):
                    self.killed_in(phase, pe, handover)

    def test_descriptor_through_proc(self):
        self.each_phase("proc")

    def test_descriptor_by_socket(self):
        self.each_phase("socket")

    def test_another_pe_and_another_phase_are_no_fault(self):
        self.environment["OSHEN_FAULT"] = "attach@7"
        ended = self.job(3, "ring")
        self.assertEqual((ended.status, ended.out), (0, "right 3\n"), ended)

    def test_single_pe(self):
        self.environment["OSHEN_FAULT"] = "statics@0"
        self.check(self.job(1, "ring"), 137, r"PE 0 .* was killed by signal 9")


class HandedOver(VictimTest):
    def test_both_ways_work(self):
        for way in ("proc", "socket"):
            for n_pes in (1, 2, 5):
                self.environment["OSHEN_SEGMENT_HANDOVER"] = way
                ended = self.job(n_pes, "ring", "0.01")
                self.assertEqual((ended.status, ended.out, ended.err), (0, f"right {n_pes}\n", ""), ended)

    def test_undumpable_processes_of_a_plain_user(self):
        """/proc/PID/fd is not accessible in this case; the library chooses the handover by socket itself."""
        ended = self.job_of_nobody("ring", "undumpable")
        if ended.status == 77:
            self.skipTest("/proc/PID/fd of an undumpable process is open to this user")
        self.assertEqual((ended.status, ended.out), (0, "right 3\n"), ended)

    def test_plain_user(self):
        ended = self.job_of_nobody("ring")
        self.assertEqual((ended.status, ended.out, ended.err), (0, "right 3\n", ""), ended)

    def job_of_nobody(self, *command):
        if os.getuid() != 0:
            return self.job(3, *command)
        try:
            return self.job(3, *command, user=65534, group=65534, extra_groups=[], cwd="/")
        except PermissionError:
            self.skipTest("the build folder is closed to the user nobody")


if __name__ == "__main__":
    unittest.main(verbosity=2)
