"""Child processes of a PE do not disturb the job, and programs that a PE starts are not PEs."""

import unittest

from pe_jobs import VictimTest


class Children(VictimTest):
    def test_each_kind(self):
        for kind in ("exit0", "exit9", "abort", "exec", "system", "popen", "page"):
            with self.subTest(kind):
                ended = self.job(3, "children", kind)
                self.assertEqual((ended.status, ended.out, ended.err), (0, "right\n", ""), ended)


if __name__ == "__main__":
    unittest.main(verbosity=2)
