"""The stream between a PE and PE 0 is authenticated: a job ends with one line if a host between them changes it."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

import lab
from hub_jobs import greetings

HELLO = os.environ["HELLO"]
PROXY = str(Path(__file__).resolve().parent / "proxy.py")
WATCHDOG = 120
FROM_HUB = r"oshen: (PE 1: )?the stream from PE 0 to PE 1 \(pid \d+\) was changed on the way: "
# A PE may leave unread bytes behind. TCP then discards the notice that it has sent last, and the other PE sees the end of the stream.
PE_1_ENDED = r"(oshen: PE 0: PE 1 \(pid \d+ on h2\) ended without shmem_finalize; ending the job\n)?"
PE_0_ENDED = r"(oshen: PE 1: PE 0 on 127\.0\.0\.1 has ended, or has closed its stream; ending this PE\n)?"
TO_HUB = r"oshen: PE 0: the stream from PE 1 \(pid \d+ on h2\) to PE 0 was changed on the way: "


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Authentic(unittest.TestCase):
    """PE 0 on h1, PE 1 on h2, where a proxy stands between them."""

    @classmethod
    def setUpClass(cls):
        cls.laboratory = lab.Lab(2)
        cls.laboratory.__enter__()
        cls.addClassCleanup(cls.laboratory.__exit__)
        cls.port = 5000

    def start(self, host, pe, address, port):
        env = {"WORLD_SIZE": "2", "RANK": str(pe), "LOCAL_RANK": "0", "MASTER_ADDR": address, "MASTER_PORT": str(port),
               "OSHEN_JOB_SECRET": "of-an-authentic-job", "SHMEM_SYMMETRIC_SIZE": "1M"}
        return self.laboratory.start(host, [HELLO], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True)

    def job(self, way, fault, number):
        type(self).port += 2
        words = [str(self.port + 1), lab.address("h1"), str(self.port), way, fault, str(number)]
        zero = self.start("h1", 0, lab.address("h1"), self.port)
        proxy = self.laboratory.start("h2", [sys.executable, PROXY, *words], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(proxy.stdout.readline(), "ready\n")
            pes = [zero, self.start("h2", 1, "127.0.0.1", self.port + 1)]
            ended = [pe.communicate(timeout=WATCHDOG) for pe in pes]
        finally:
            self.laboratory.signal("h2", sys.executable, 9)
            proxy.wait(WATCHDOG)
            proxy.stdout.close()
        return [pe.returncode for pe in pes], "".join(out for out, _ in ended), "".join(err for _, err in ended)

    def test_nothing_is_changed(self):
        status, out, err = self.job("pe", "none", 0)
        self.assertEqual((status, sorted(out.splitlines()), err), ([0, 0], greetings(2), ""))

    def test_a_changed_stream_ends_the_job(self):
        # A PE waits for each result, so the hub sends nothing after a missing one: "drop" has one direction.
        for way, line, *faults in (("pe", TO_HUB, ("flip-head", 3), ("flip-body", 0), ("replay", 1), ("drop", 2)),
                                   ("hub", FROM_HUB, ("flip-head", 0), ("flip-body", 0), ("replay", 1))):
            for fault, number in faults:
                with self.subTest(way=way, fault=fault, number=number):
                    status, _, err = self.job(way, fault, number)
                    self.assertNotIn(0, status, err)
                    changed = line + "a message is not authentic, is missing or came twice; ending the job\n"
                    self.assertRegex(err, f"^{PE_1_ENDED}{changed}{PE_0_ENDED}$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
