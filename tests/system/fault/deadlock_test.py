"""A deadlocked job ends with a list of its PEs and their waits; a job in which one PE can continue does not end."""

import os
import re
import unittest

from victims import VictimTest, program

FOR_EVER = r"shmem_long_wait_until: waiting on \(static data \+ \d+\) to be == 1, for \d+ s"


class Deadlock(VictimTest):
    def setUp(self):
        super().setUp()
        self.environment |= {"OSHEN_DEADLOCK": "1", "OSHEN_COLL_SYNC": "dissemination"}  # names the PE that it waits for

    def ends(self, how, rows, n_pes=3):
        """`rows`: the expected lines of the list."""
        ended = self.job(n_pes, "deadlock", how, options=("--timeout", "240"))
        self.check(ended, 1, r"(?m)^oshen: PE \d+: deadlock: every PE waits, and nothing has happened for 1 s; "
                             r"ending the job$")
        listed = re.findall(r"(?m)^oshen: PE \d+:   (PEs? \d.*)$", ended.err)
        self.assertEqual(len(listed), len(rows), ended)
        for line, row in zip(listed, rows):
            self.assertRegex(line, f"^{row}$")

    def test_different_routines(self):
        self.ends("cross", [f"PE 0: {FOR_EVER}", r"PEs 1 .. 2: shmem_barrier_all: waiting for PE 0, for \d+ s"])

    def test_lock_that_is_not_cleared(self):
        self.ends("lock", [r"PE 0: shmem_finalize: waiting for PE \d, for \d+ s",
                           r"PE 1: shmem_set_lock: waiting for PE \d, for \d+ s",
                           r"PE 2: shmem_set_lock: waiting for PE \d, for \d+ s"])

    def test_one_that_leaves(self):
        for how in ("return", "thread-exit"):
            with self.subTest(how):
                self.ends(how, [f"PE 0: {FOR_EVER}", r"PE 1: shmem_finalize: waiting for PE \d, for \d+ s",
                                f"PE 2: {FOR_EVER}"])

    def test_of_one_pe(self):
        self.ends("cross", [f"PE 0: {FOR_EVER}"], 1)

    def test_many(self):
        self.ends("cross", [f"PE 0: {FOR_EVER}", r"PEs 1 .. 19: shmem_barrier_all: waiting, for \d+ s"], 20)

    def test_threads(self):
        for how in ("threads", "pool"):
            with self.subTest(how):
                self.ends(how, [f"PEs 0 .. 2: {FOR_EVER}"])

    def test_handler_that_only_answers(self):
        self.ends("cpu-time", [f"PEs 0 .. 2: {FOR_EVER}"])

    def test_thread_of_the_library(self):
        for progress in ("calls", "thread"):
            with self.subTest(progress):
                self.environment["OSHEN_PROGRESS"] = progress
                self.ends("non-blocking", [r"PE 0: shmemx_coll_wait: waiting.*", f"PEs 1 .. 2: {FOR_EVER}"])


class NoDeadlock(VictimTest):
    def test_somebody_can_go_on(self):
        self.environment |= {"OSHEN_DEADLOCK": "1", "OSHEN_WAIT_WARN": "0"}
        processes = [self.launch(3, "deadlock", how) for how in ("computes", "pointer", "thread", "alarm", "ctrl-c", "clone",
                                                                       "io-uring", "ring")]
        for process in processes:
            ended = self.finish(process)
            if ended.status == 77:
                continue  # io_uring is not allowed here
            self.assertEqual((ended.status, ended.out, ended.err), (0, "over\n", ""), f"{process.args}: {ended}")

    def test_where_wakes_may_be_missed_nobody_is_ended(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("PEs that share a CPU miss no wakes")
        self.environment |= {"OSHEN_DEADLOCK": "1", "OSHEN_WAIT_WARN": "0"}
        ended = self.job(2, "without_membarrier", program("deadlock"), "cross", options=("--timeout", "6"))
        if ended.status == 77:
            self.skipTest("no seccomp filters here")
        self.assertEqual(ended.status, 124, ended)

    def test_not_wanted(self):
        self.environment["OSHEN_DEADLOCK"] = "0"
        self.assertEqual(self.job(2, "deadlock", "cross", options=("--timeout", "4")).status, 124)


if __name__ == "__main__":
    unittest.main(verbosity=2)
