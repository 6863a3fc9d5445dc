"""Every PE is served although strangers hold connections to PE 0: idle ones, and some that send garbage or half a greeting.

Counted, not timed: PE 0 sends the same bytes in the same rounds as without strangers, and no PE prints that it waits.
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import lab
from hub_jobs import Job, free_port, greetings

HELLO = os.environ["HELLO"]
STRANGERS = str(Path(__file__).resolve().parent / "unauthenticated.py")
WATCHDOG = 120
N = 6
LOCAL = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}


def rounds(err):
    return re.findall(r"hub: round (\d+): (\d+) bytes of each PE; PE 0 has sent (\d+) bytes", err)


class Crowd(unittest.TestCase):
    def ready(self, strangers):
        self.addCleanup(strangers.wait, WATCHDOG)
        self.addCleanup(strangers.stdout.close)
        self.addCleanup(strangers.stdin.close)
        self.addCleanup(strangers.kill)
        self.assertEqual(strangers.stdout.readline(), "ready\n")

    def job(self, n_strangers):
        port = free_port()
        how = {"port": port, "OSHEN_JOB_SECRET": "behind-strangers", "SHMEM_DEBUG": "1"}
        first = Job(N, [HELLO], absent=range(1, N), **how)
        if n_strangers:
            self.ready(subprocess.Popen([sys.executable, STRANGERS, "127.0.0.1", str(port), str(n_strangers)], **LOCAL))
        others = Job(N, [HELLO], absent=(0,), **how)
        ended = [others.end(), first.end()]
        self.assertEqual([status for status, _, _ in ended], [{0}, {0}], ended)
        self.assertEqual(sorted("".join(out for _, out, _ in ended).splitlines()), greetings(N))
        err = "".join(err for _, _, err in ended)
        self.assertNotIn("waiting for", err)
        self.assertNotIn("retrying", err)
        return rounds(err)

    def test_every_pe_is_served(self):
        alone = self.job(0)
        self.assertTrue(alone)
        for n_strangers in (200, 400):  # fewer and more than PE 0 keeps
            self.assertEqual(self.job(n_strangers), alone)

    @unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
    def test_every_pe_of_another_host_is_served(self):
        """Here the PEs share the listener with the strangers."""
        with lab.Lab(2) as laboratory:
            def start(host, pe):
                env = {"WORLD_SIZE": str(N), "RANK": str(pe), "LOCAL_RANK": str(pe), "MASTER_ADDR": lab.address("h1"),
                       "MASTER_PORT": "5000", "OSHEN_JOB_SECRET": "behind-strangers", "SHMEM_SYMMETRIC_SIZE": "1M"}
                return laboratory.start(host, [HELLO], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

            pes = [start("h1", 0)]
            self.ready(laboratory.start("h2", [sys.executable, STRANGERS, lab.address("h1"), "5000", "200"], **LOCAL))
            pes += [start("h2", pe) for pe in range(1, N)]
            ended = [pe.communicate(timeout=WATCHDOG) for pe in pes]
        self.assertEqual([pe.returncode for pe in pes], [0] * N, ended)
        self.assertEqual(sorted("".join(out for out, _ in ended).splitlines()), greetings(N))
        self.assertEqual("".join(err for _, err in ended), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
