"""Every way in which a PE can leave, combined with every way in which the others can wait."""

import re
import unittest

from jobs import GRACE_AFTER_REQUEST, stretched
from pe_jobs import VictimTest

IN_LIBRARY = ("barrier", "wait", "lock")
EVERYWHERE = (*IN_LIBRARY, "compute")
NAP = 0.2  # seconds, of the PE that leaves


class LeavesAlone(VictimTest):
    """PE 2 of three leaves; the job ends soon, independent of the others' activity."""

    def leaves(self, how, where, pe=2):
        ended = self.job(3, "leave", how, where, pe)
        self.assertLess(ended.seconds, stretched(5), ended)
        return ended

    def each_place(self, how, status, line):
        for where in EVERYWHERE:
            with self.subTest(where=where):
                self.check(self.leaves(how, where), status, line)

    def test_exit_with_a_status(self):
        self.each_place("exit3", 3, r"(?m)^oshrun: PE 2 \(pid \d+\) exited with status 3; the other 2 PEs were ended$")

    def test_exit_behind_the_back_of_the_library(self):
        self.each_place("_exit0", 1, r"(?m)^oshrun: PE 2 \(pid \d+\) exited with status 0 without shmem_finalize")

    def test_abort(self):
        self.each_place("abort", 134, r"(?m)^oshrun: PE 2 \(pid \d+\) was killed by signal 6 \(Aborted\)")

    def test_crash(self):
        self.each_place("segv", 139, r"(?m)^oshrun: PE 2 \(pid \d+\) was killed by signal 11 \(Segmentation fault\)")

    def test_crash_beside_a_network(self):
        """The libraries of networks have handlers of their own for SIGSEGV."""
        for transport in ("ofi", "ucx"):
            with self.subTest(transport=transport):
                ended = self.job(3, "leave", "segv", "barrier", env={"OSHEN_TRANSPORT": transport, "OSHEN_NODE_PES": "1"})
                if re.search("cannot be opened|no provider|is not built in", ended.err):
                    self.skipTest(ended.err)
                self.assertNotRegex(ended.err, "libc.so")  # no foreign backtrace
                self.check(ended, 139, r"(?m)^oshrun: PE 2 \(pid \d+\) was killed by signal 11 \(Segmentation fault\)")

    def test_global_exit(self):
        for how, status in (("global7", 7), ("global0", 0)):
            for where in EVERYWHERE:
                for pe in (0, 2):
                    with self.subTest(how=how, where=where, pe=pe):
                        # A PE that waits in the library leaves by itself and keeps its output; one that computes is
                        # killed.
                        kept = [f"PE {i} was here" for i in (range(3) if where in IN_LIBRARY else [pe])]
                        ended = self.unhindered(lambda how=how, where=where, pe=pe: self.leaves(how, where, pe),
                                                lambda ended, kept=kept: sorted(ended.out.splitlines()) == kept,
                                                NAP + GRACE_AFTER_REQUEST)
                        self.assertEqual((ended.status, ended.err), (status, ""), ended)
                        self.assertEqual(sorted(ended.out.splitlines()), kept)


class LeaveTogether(VictimTest):
    def together(self, how, n_pes=3):
        return self.job(n_pes, "leave", how, "with")

    def test_without_finalize(self):
        for how in ("return", "start_pes", "exit0"):
            for n_pes in (1, 3):
                with self.subTest(how=how, n_pes=n_pes):
                    ended = self.together(how, n_pes)
                    self.assertEqual((ended.status, ended.err), (0, ""), ended)
                    self.assertEqual(sorted(ended.out.splitlines()), [f"PE {i} was here" for i in range(n_pes)])

    def test_with_a_status(self):
        self.check(self.together("exit3"), 3, r"(?m)^oshrun: PE \d \(pid \d+\) exited with status 3")

    def test_behind_the_back_of_the_library(self):
        self.check(self.together("_exit0"), 1, "without shmem_finalize")

    def test_global_exit_of_all(self):
        ended = self.together("global7", 5)
        self.assertEqual((ended.status, ended.err), (7, ""), ended)
        self.assertEqual(ended.out.count("was here"), 5, ended)


if __name__ == "__main__":
    unittest.main(verbosity=2)
