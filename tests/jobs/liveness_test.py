"""PEs without a supervisor: the others notice the end of a PE, and never report a live PE."""

import subprocess
import unittest

from jobs import PATIENCE
from pe_jobs import VictimTest, program


class Unwatched(VictimTest):
    def runs(self, how):
        return subprocess.run([program("unreaped"), how], env=self.environment, text=True, capture_output=True,
                              timeout=PATIENCE)

    def test_gone_is_noticed(self):
        for how in ("killed", "exits", "execs"):
            with self.subTest(how):
                ended = self.runs(how)
                self.assertEqual((ended.returncode, ended.stdout), (1, ""), ended)
                self.assertRegex(ended.stderr, r"^oshen: PE 0: shmem_barrier_all: PE 1 \(pid \d+\) is gone without "
                                               r"shmem_finalize; ending the job\n$")

    def test_one_that_closes_all_descriptors_lives(self):
        ended = self.runs("closes")
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "past the barrier\n", ""), ended)


if __name__ == "__main__":
    unittest.main(verbosity=2)
