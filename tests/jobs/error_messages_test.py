"""Jobs of the library that fail: the PE that is named, the exit status, and no processes left."""

import os
import random
import re
import signal
import time
import unittest

from jobs import JobTest, stretched

PE = os.environ["PE"]  # pe.c


class GoingWrong(JobTest):
    def job(self, what, n_pes=3, *options):
        return self.run_job("-n", n_pes, *options, PE, what)

    def check(self, what, status, line, n_pes=3):
        ended = self.job(what, n_pes)
        self.assertEqual(ended.status, status, ended)
        self.assertRegex(ended.err, line)
        self.assertLess(ended.seconds, stretched(10))  # ends at once, not by a time-out

    def test_all_is_well(self):
        for n_pes in (1, 2, 3, 8):
            ended = self.job("", n_pes)
            self.assertEqual((ended.status, ended.out, ended.err), (0, "up\n" * n_pes, ""))

    def test_killed(self):
        self.check("killed", 137, r"PE 2 \(pid \d+\) was killed by signal 9 \(Killed\)")

    def test_crash(self):
        self.check("crash", 139, r"PE 2 \(pid \d+\) was killed by signal 11 \(Segmentation fault\)")

    def test_exit_with_a_status(self):
        self.check("exit", 7, r"PE 2 .* (exited|ended the job) with status 7")

    def test_exit_behind_the_back_of_the_library(self):
        self.check("quick-exit", 1, r"PE 2 .* without shmem_finalize")

    def test_staying_away(self):
        self.check("stay-away", 1, r"PE 0 .* without shmem_init")

    def test_global_exit(self):
        ended = self.job("global-exit")
        self.assertEqual((ended.status, ended.err), (42, ""), ended)

    def test_return_without_finalize(self):
        ended = self.job("no-finalize")
        self.assertEqual((ended.status, ended.err), (0, ""), ended)

    def test_time_out_names_what_each_pe_waits_for(self):
        lines = [rf"PE {pe}, pid \d+, state [SR], initialised: shmem_barrier_all: waiting" for pe in (0, 1)]
        lines.append(r"PE 2, pid \d+, state S, initialised\n")
        for limit in (3, 12, 48):  # on a busy machine the PEs may need longer to come so far
            ended = self.job("stuck", 3, "--timeout", limit)
            if all(re.search(line, ended.err) for line in lines):
                break
        self.assertEqual(ended.status, 124, ended)
        for line in lines:
            self.assertRegex(ended.err, line)

    def test_children_of_pes_end_with_the_job(self):
        self.assertEqual(self.job("children").status, 0)
        self.assert_nothing_left()


class KilledAtRandomPoints(JobTest):
    def check(self, what, victim, times, longest):
        for _ in range(times):
            process = self.start("-n", 4, PE, what)
            time.sleep(random.uniform(0, longest))
            victim(process)
            self.finish(process)
            self.assert_nothing_left()

    def kill_some_pe(self, front):
        pes = [pid for pid, name in self.marked_processes() if name == "(fail_pe)"]
        os.kill(random.choice(pes) if pes else front.pid, signal.SIGKILL)

    def test_launcher(self):
        self.check("loop", lambda front: front.kill(), 30, 0.05)

    def test_launcher_of_pes_with_children(self):
        self.check("children", lambda front: front.kill(), 20, 0.1)

    def test_pe(self):
        self.check("loop", self.kill_some_pe, 30, 0.05)


if __name__ == "__main__":
    seed = int(os.environ.get("OSHEN_SEED", random.randrange(1 << 30)))
    print(f"seed {seed} (OSHEN_SEED repeats it)", flush=True)
    random.seed(seed)
    unittest.main(verbosity=2)
