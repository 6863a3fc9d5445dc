"""The ways in which programs end: exit handlers, destructors, twice, unevenly, from a child, with other threads running."""

import os
import re
import signal
import unittest

from jobs import stretched
from pe_jobs import VictimTest, read


def has_state(pid, letter):
    return re.search(rf"(?m)^State:\s+{letter}", read(f"/proc/{pid}/status")) is not None


class Ending(VictimTest):
    def ends(self, how, out, n_pes=3, program="ending"):
        ended = self.job(n_pes, program, *([how] if how else []))
        self.assertEqual((ended.status, sorted(ended.out.splitlines()), ended.err), (0, sorted(out), ""), ended)
        self.assertLess(ended.seconds, stretched(30))

    def test_exit_handler_asks_frees_and_finalizes(self):
        for n_pes in (1, 3):
            self.ends("handler-finalizes", [f"PE {pe} asked" for pe in range(n_pes)], n_pes)

    def test_exit_handler_asks_and_frees(self):
        self.ends("handler-asks", [f"PE {pe} asked" for pe in range(3)])

    def test_destructor_of_a_static_object_frees_and_finalizes(self):
        self.ends("", [f"PE {pe} leaves" for pe in range(3)], program="ending_static")

    def test_exit_handler_of_a_pe_that_fails_does_not_wait(self):
        ended = self.job(3, "ending", "handler-exit3")
        self.check(ended, 3, r"(?m)^oshrun: PE 1 \(pid \d+\) exited with status 3")
        self.assertLess(ended.seconds, stretched(30))

    def test_second_finalize_is_ignored(self):
        self.ends("twice", [], 1)
        self.ends("twice", [])
        self.environment["SHMEM_DEBUG"] = "1"
        self.assertRegex(self.job(2, "ending", "twice").err, r"PE 1: \[[\d.]+\] shmem_finalize: ignored: ")

    def test_some_finalize_and_some_return(self):
        self.ends("uneven", [])
        self.ends("uneven-nested", [])

    def test_status_that_is_not_0_stays_so(self):
        ended = self.job(3, "ending", "global256")
        self.assertEqual((ended.status, ended.err), (1, ""), ended)
        self.ends("exit256", [])  # the system turns 256 into 0

    def test_the_first_of_two_ends_counts(self):
        """oshrun is stopped until both PEs have requested the end of the job."""
        process = self.launch(3, "ending", "global-twice")
        pids = self.wait_for_pes(process, 3)
        supervisor = self.supervisor_of(process)
        os.kill(supervisor, signal.SIGSTOP)
        self.wait_until(lambda: has_state(supervisor, "T"), "oshrun is not stopped")
        for pe in (1, 2):
            os.kill(pids[pe], signal.SIGUSR1)
            self.wait_until(lambda pe=pe: has_state(pids[pe], "Z"), f"PE {pe} has not ended")
        os.kill(supervisor, signal.SIGCONT)
        ended = self.finish(process)
        self.assertEqual((ended.status, ended.err), (3, ""), ended)

    def test_child_by_fork_finalizes(self):
        self.ends("child-finalizes", ["child ended with 0"] * 3)

    def test_child_by_fork_calls(self):
        for how, routine in (("child-calls", "shmem_barrier_all"), ("child-starts", "shmem_init")):
            ended = self.job(3, "ending", how)
            self.check(ended, 0, rf"oshen: PE \d: {routine}: called in a child that a PE made by fork\(\)")
            self.assertEqual(ended.out, "child ended with 1\n" * 3, ended)

    def test_thread_loses_no_store(self):
        self.ends("thread", ["lost 0"] * 2, 2)

    def test_nothing_is_left_by_each_start(self):
        self.ends("again", ["0 mappings more"] * 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
