"""No legal wait is taken for a deadlock: programs/legal_waits.c has more than 50 ways in which something can still go
on while every PE waits or stands still."""

import os
import subprocess
import unittest

from pe_jobs import VictimTest, program

STALL_MS = 2500    # a deadlock is found after some 1.7 s
PES_AT_ONCE = int(os.environ.get("OSHEN_TEST_PES_AT_ONCE", "40"))  # nearly all of them sleep


def patterns():
    """[(name, PEs)] of all patterns."""
    lines = subprocess.run([program("legal_waits")], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [(name, int(n_pes)) for name, n_pes in map(str.split, lines)]


class LegalWaits(VictimTest):
    def setUp(self):
        super().setUp()
        self.environment |= {"OSHEN_DEADLOCK": "1", "OSHEN_WAIT_WARN": "0", "SHMEM_SYMMETRIC_SIZE": "1M"}

    def begin(self, name, n_pes):
        return name, self.launch(n_pes, "legal_waits", name, STALL_MS, options=("--timeout", "240"))

    def end(self, name, process):
        ended = self.finish(process)
        if ended.status == 77:
            return  # no message queues here
        with self.subTest(name):
            self.assertEqual((ended.status, ended.out, ended.err), (0, "over\n", ""), f"{name}: {ended}")

    def test_all(self):
        waiting, n_running = [], 0
        every = patterns()
        self.assertGreaterEqual(len(every), 54)
        self.assertEqual(len(dict(every)), len(every))
        for name, n_pes in every:
            waiting.append((n_pes, self.begin(name, n_pes)))
            n_running += n_pes
            while n_running >= PES_AT_ONCE:
                n_pes, job = waiting.pop(0)
                self.end(*job)
                n_running -= n_pes
        for _, job in waiting:
            self.end(*job)

    def test_a_deadlock_is_found(self):
        """The same program without any way to go on: the detector is awake."""
        for n_pes in (1, 2):
            ended = self.job(n_pes, "legal_waits", "for-ever", STALL_MS, options=("--timeout", "240"))
            self.check(ended, 1, "deadlock: every PE waits, and nothing has happened for 1 s; ending the job")


if __name__ == "__main__":
    unittest.main(verbosity=2)
