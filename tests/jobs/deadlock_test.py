"""A deadlocked job ends with a list of its PEs and their waits; a job in which one PE can continue does not end."""

import contextlib
import os
import re
import signal
import time
import unittest

from jobs import PATIENCE
from pe_jobs import VictimTest, program, read

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


NETWORKS = [{"OSHEN_TRANSPORT": transport, "OSHEN_NODE_PES": node_pes}
            for transport in ("loop", "tcp", "ofi", "ucx") for node_pes in ("1", "2")]
EVERY_NETWORK = "EVERY_NETWORK" in os.environ  # `ninja fault-deadlock`


def some_networks(number):
    """Every transport. Over libfabric and UCX, whose start takes long, nodes have 1 PE or 2 in turn, by the number of the
    job: each kind of job meets both, and each transport meets each kind."""
    turn = {"ofi": str(1 + number % 2), "ucx": str(2 - number % 2)}
    return [network for network in NETWORKS
            if EVERY_NETWORK or turn.get(network["OSHEN_TRANSPORT"], network["OSHEN_NODE_PES"]) == network["OSHEN_NODE_PES"]]


class BetweenNodes(VictimTest):
    """PEs of several nodes, over every transport; the first PE fetches what the others do."""

    JOBS = ("threads", "cross", "lock", "non-blocking")

    def end(self, how, rows, n_pes=4):
        processes = []
        networks = some_networks(self.JOBS.index(how) + n_pes)
        for network in networks:
            self.environment |= network | {"OSHEN_DEADLOCK": "1"}
            processes.append(self.launch(n_pes, "deadlock", how))
        for process, network in zip(processes, networks):
            with self.subTest(how, **network):
                ended = self.finish(process)
                self.check(ended, 1, r"(?m)^oshen: PE 0: deadlock: every PE waits, and nothing has happened for 1 s; "
                                     r"ending the job$")
                listed = re.findall(r"(?m)^oshen: PE 0:   (PEs? \d.*)$", ended.err)
                for row in rows:
                    self.assertTrue(any(re.fullmatch(row, line) for line in listed), ended)

    def test_a_list_of_all(self):
        self.end("threads", [f"PEs 0 .. 3: {FOR_EVER}"])

    def test_different_routines(self):
        self.end("cross", [f"PE 0: {FOR_EVER}", r"PEs? 3.*|PEs 1 .. 3: shmem_barrier_all: waiting.*, for \d+ s"])

    def test_lock_that_is_not_cleared(self):
        self.end("lock", [r"PE 0: shmem_finalize: waiting.*, for \d+ s"])

    def test_non_blocking_collective(self):
        self.end("non-blocking", [r"PE 0: (shmemx_coll_wait|a non-blocking collective): waiting.*"])

    def test_many(self):
        self.end("cross", [f"PE 0: {FOR_EVER}", r"PEs 1 .. 8: shmem_barrier_all: waiting, for \d+ s"], 9)


class LateAnswers(VictimTest):
    """On a busy host each PE takes a while to answer the PE that writes the list."""

    def full_pipe(self):
        """Both ends of a pipe to which a write blocks, and the bytes in it."""
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        os.set_blocking(writer, False)
        filled = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                filled += os.write(writer, b"x" * 4096)
        os.set_blocking(writer, True)
        return reader, writer, filled

    def wait_until_it_reports(self, process):
        """Waits until PE 0 blocks in writing to stderr. Returns the processes of all PEs."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            pes = self.pes_of(process)
            if re.match(r"(1|20|64|66) 0x2 ", read(f"/proc/{pes.get(0)}/syscall")):  # write, writev
                return pes
            time.sleep(0.02)
        self.fail("PE 0 does not report")

    def test_a_list_waits_as_long_as_answers_come(self):
        self.environment |= {"OSHEN_TRANSPORT": "ofi", "OSHEN_NODE_PES": "1", "OSHEN_DEADLOCK": "1"}
        reader, writer, filled = self.full_pipe()
        process = self.launch(9, "deadlock", "cross", stderr=writer)
        os.close(writer)
        pes = self.wait_until_it_reports(process)
        for pe in range(1, 9):
            os.kill(pes[pe], signal.SIGSTOP)
        text = os.read(reader, filled)
        for pe in range(1, 9):  # longer than one patience in all
            time.sleep(0.8)
            with contextlib.suppress(ProcessLookupError):  # the job has ended too early: its list tells
                os.kill(pes[pe], signal.SIGCONT)
        while part := os.read(reader, 4096):
            text += part
        self.assertEqual(process.wait(PATIENCE), 1)
        self.assertRegex(text.decode(), r"(?m)^oshen: PE 0:   PEs 1 .. 8: shmem_barrier_all: waiting, for \d+ s$")


class NoDeadlock(VictimTest):
    def test_a_pe_can_go_on_between_nodes(self):
        self.environment |= {"OSHEN_DEADLOCK": "1", "OSHEN_WAIT_WARN": "0"}
        for network in NETWORKS:
            self.environment |= network
            processes = [self.launch(3, "deadlock", how)
                         for number, how in enumerate(("computes", "last-computes", "pointer", "thread", "last-thread", "alarm",
                                                       "ctrl-c", "clone", "ring", "stop"))
                         if network in some_networks(number)]
            for process in processes:
                ended = self.finish(process)
                self.assertEqual((ended.status, ended.out, ended.err), (0, "over\n", ""), f"{process.args}: {ended}")

    def test_a_pe_can_go_on(self):
        self.environment |= {"OSHEN_DEADLOCK": "1", "OSHEN_WAIT_WARN": "0"}
        processes = [self.launch(3, "deadlock", how) for how in ("computes", "pointer", "thread", "alarm", "ctrl-c", "clone",
                                                                       "io-uring", "ring", "stop")]
        for process in processes:
            ended = self.finish(process)
            if ended.status == 77:
                continue  # io_uring is not allowed here
            self.assertEqual((ended.status, ended.out, ended.err), (0, "over\n", ""), f"{process.args}: {ended}")

    def test_no_job_is_ended_where_wakes_may_be_missed(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("PEs that share a CPU miss no wakes")
        self.environment |= {"OSHEN_DEADLOCK": "1", "OSHEN_WAIT_WARN": "0"}
        ended = self.job(2, "without_membarrier", program("deadlock"), "cross", options=("--timeout", "6"))
        if ended.status == 77:
            self.skipTest("no seccomp filters here")
        self.assertEqual(ended.status, 124, ended)

    def test_signals_reach_threads_of_the_program_only(self):
        """UCX's own thread must not take a signal for which a thread of the program waits."""
        for network in NETWORKS:
            self.environment |= network | {"OSHEN_DEADLOCK": "1", "OSHEN_WAIT_WARN": "0"}
            ended = self.job(2, "deadlock", "sigwait")
            self.assertEqual((ended.status, ended.out, ended.err), (0, "over\n", ""), f"{network}: {ended}")

    def test_not_wanted(self):
        self.environment["OSHEN_DEADLOCK"] = "0"
        self.assertEqual(self.job(2, "deadlock", "cross", options=("--timeout", "4")).status, 124)


if __name__ == "__main__":
    unittest.main(verbosity=2)
