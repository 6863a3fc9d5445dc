"""kill -9 at random points of a program that uses all parts of the library: of a PE, of oshrun, of a PE under MPI's launchers.

  kill_test.py [--count N] [--promise SECONDS] [unittest options]    N kills in each case, by default 6
OSHEN_SEED repeats a run."""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
import unittest

from pe_jobs import VictimTest, all_pids, mapped_memory, parent_of, program

COUNT = 6
PROMISE = 60  # seconds within which the job must end after a death; fault-long, on a quiet machine, allows 5
SPAN = 0.5   # seconds from the start within which the kills fall: start-up and some rounds


class Killed(VictimTest):
    def children_of(self, pid):
        return [child for child in all_pids() if parent_of(child) == pid]

    def strike(self, choose, joined=False):
        """Starts a job and kills the process that `choose` returns, at a random time, counted from the start or, if `joined`, from
        the moment when all PEs have their memory. Returns process, victim and time."""
        n_pes = random.choice((2, 3, 5, 8))
        process = self.launch(n_pes, "journey", options=random.choice(((), ("-l",))))
        if joined:
            self.wait_for_pes(process, n_pes)
        time.sleep(random.uniform(0, SPAN))
        while not (victims := choose(process)):
            self.assertIsNone(process.poll(), "oshrun ended early")
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        return process, victims[0], time.monotonic()

    def ended(self, process, struck):
        end = self.finish(process)
        self.assertLess(time.monotonic() - struck, PROMISE, end)
        return end

    def some_pe(self, process):
        """Kills a PE, perhaps before exec, when it is only known as a child of the supervisor."""
        supervisor = self.supervisor_of(process)
        pes = self.children_of(supervisor) if supervisor else []
        for pid in pes:
            self.memory |= mapped_memory(pid)
        return [random.choice(pes)] if pes else []

    def test_a_pe(self):
        for number in range(4 * COUNT):
            process, victim, struck = self.strike(self.some_pe, joined=number % 4 == 0)
            end = self.ended(process, struck)
            self.check(end, 137, rf"(?m)^oshrun: PE \d+ \(pid {victim}\) was killed by signal 9 \(Killed\)")
            self.assert_nothing_left()
        self.assertTrue(self.memory, "no memory of a job was seen: nothing was looked for")

    def test_oshrun(self):
        for _ in range(COUNT):
            process, _, struck = self.strike(lambda process: self.pes_of(process) and [process.pid])
            self.assertEqual(self.ended(process, struck).status, -signal.SIGKILL)
            self.assert_nothing_left(PROMISE)

    def test_the_supervisor_of_the_job(self):
        for _ in range(COUNT):
            process, _, struck = self.strike(lambda process: self.pes_of(process) and [self.supervisor_of(process)])
            self.check(self.ended(process, struck), 137, "its supervisor .* was killed by signal 9")
            self.assert_nothing_left(PROMISE)

    def test_both_processes_of_oshrun(self):
        for _ in range(COUNT):
            process, _, struck = self.strike(
                lambda process: self.pes_of(process) and [process.pid, self.supervisor_of(process)])
            self.assertEqual(self.ended(process, struck).status, -signal.SIGKILL)
            self.assert_nothing_left(PROMISE)

    def test_signals_to_oshrun(self):
        for sent in (signal.SIGTERM, signal.SIGINT):
            for _ in range(COUNT // 2):
                process = self.launch(3, "journey")
                self.wait_for_pes(process, 3, joined=False)
                time.sleep(random.uniform(0, SPAN))
                process.send_signal(sent)
                end = self.ended(process, time.monotonic())
                self.assertEqual((end.status, end.err), (128 + sent, ""), end)
                self.assert_nothing_left()


class KilledUnderMpi(VictimTest):
    """Without oshrun, the launcher or the other PEs must notice the death."""

    def strike(self, mpi, *options):
        mpiexec = f"/usr/bin/mpiexec.{mpi}"
        victim_program = program(f"mpi_journey.{mpi}")
        if not os.path.exists(mpiexec) or not os.path.exists(victim_program):
            self.skipTest(f"no MPI library here that is called {mpi}")
        as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        process = subprocess.Popen([mpiexec, *options, "-n", "3", victim_program], text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment | as_root)
        process.started = time.monotonic()
        self.addCleanup(self.put_away, process)
        pids = [int(re.fullmatch(r"PE \d+ pid (\d+)\n", process.stdout.readline())[1]) for _ in range(3)]
        for pid in pids:
            self.memory |= mapped_memory(pid)
        time.sleep(random.uniform(0, 0.2))
        os.kill(random.choice(pids), signal.SIGKILL)
        struck = time.monotonic()
        end = self.finish(process)
        self.assertLess(time.monotonic() - struck, PROMISE, end)
        self.assertNotEqual(end.status, 0, end)
        self.assert_nothing_left()

    def test_mpich(self):
        for _ in range(max(1, COUNT // 3)):
            self.strike("mpich")

    def test_openmpi(self):
        for _ in range(max(1, COUNT // 3)):
            self.strike("openmpi", "--oversubscribe")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--promise", type=float, default=PROMISE)
    asked, rest = parser.parse_known_args()
    COUNT, PROMISE = asked.count, asked.promise
    seed = int(os.environ.get("OSHEN_SEED", random.randrange(1 << 30)))
    print(f"seed {seed} (OSHEN_SEED repeats it)", flush=True)
    random.seed(seed)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
