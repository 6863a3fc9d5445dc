"""The detector of deadlocks and OSHEN_CHECK=1 over hosts made of namespaces, started over ssh."""

import os
import re
import subprocess
import unittest

import lab

OSHRUN, DEADLOCK, CALLS = os.environ["OSHRUN"], os.environ["DEADLOCK"], os.environ["CALLS"]
N_HOSTS, WATCHDOG = 3, 120
FOR_EVER = r"shmem_long_wait_until: waiting on \(static data \+ \d+\) to be == 1, for \d+ s"


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class OverHosts(unittest.TestCase):
    def setUp(self):
        self.laboratory = self.enterContext(lab.Lab(N_HOSTS))

    def start(self, pes_of_host, *words, **variables):
        hosts = ",".join(f"h{i + 1}:{pes_of_host}" for i in range(N_HOSTS))
        return self.laboratory.start("h1", [OSHRUN, "--launcher", "ssh", "--ssh", str(lab.AGENT), "--hosts", hosts, *words],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                     env=variables)

    def end(self, job):
        out, err = job.communicate(timeout=WATCHDOG)
        for program in (DEADLOCK, CALLS):
            self.assertEqual(self.laboratory.processes(program), 0)
        return job.returncode, out, err

    def deadlock(self, pes_of_host, how):
        """The lines of the list."""
        status, out, err = self.end(self.start(pes_of_host, DEADLOCK, how, OSHEN_DEADLOCK="1", OSHEN_COLL_SYNC="dissemination"))
        self.assertEqual((status, out), (1, ""), err)
        self.assertRegex(err, r"(?m)^oshen: PE 0: deadlock: every PE waits, and nothing has happened for 1 s; ending the job$")
        return re.findall(r"(?m)^oshen: PE 0:   (PEs? \d.*)$", err), err

    def test_the_list_names_the_hosts(self):
        lines, err = self.deadlock(1, "cross")
        self.assertEqual(len(lines), 2, err)
        self.assertRegex(lines[0], f"^PE 0 on h1: {FOR_EVER}$")
        self.assertRegex(lines[1], r"^PEs 1 .. 2 on h2 .. h3: shmem_barrier_all: waiting for PE 0, for \d+ s$")

    def test_threads_of_two_pes_on_each_host(self):
        lines, err = self.deadlock(2, "threads")
        self.assertEqual(len(lines), 1, err)
        self.assertRegex(lines[0], f"^PEs 0 .. 5 on h1 .. h3: {FOR_EVER}$")

    def test_a_job_that_can_continue_is_not_ended(self):
        jobs = [self.start(1, DEADLOCK, how, OSHEN_DEADLOCK="1", OSHEN_WAIT_WARN="0")
                for how in ("last-computes", "last-thread", "ctrl-c", "stop")]
        for job in jobs:
            self.assertEqual((*job.communicate(timeout=WATCHDOG), job.returncode), ("over\n", "", 0), job.args)

    def test_calls_that_differ_between_hosts(self):
        status, _, err = self.end(self.start(1, CALLS, "barrier_against_broadcast", OSHEN_CHECK="1"))
        self.assertNotEqual(status, 0)
        self.assertRegex(err, r"oshen: PE \d: shmem_\w+: PE \d calls shmem_(barrier_all|broadcastmem) instead")


if __name__ == "__main__":
    unittest.main(verbosity=2)
