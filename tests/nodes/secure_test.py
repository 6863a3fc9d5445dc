"""Jobs over transport tcp with OSHEN_SECURE=1, and a host between the PEs that changes what they send. The job ends with one
line, no byte is wrong, and nothing listens after it."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

import lab

FLOOD = os.environ["FLOOD"]
PROXY = str(Path(__file__).resolve().parent / "data_proxy.py")
PORTS = (40000, 40001)
WATCHDOG = 100
FORGED = (r"^oshen: PE [01]: .*transport tcp: the stream was changed on the way: a record is not authentic, is missing or came twice; "
          r"ending the job\n$")

LISTENERS = r"""
print(sum(line.split()[3] == "0A" for name in ("tcp", "tcp6") for line in open("/proc/net/" + name).readlines()[1:]))
"""


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Secure(unittest.TestCase):
    """PE 0 on h1, PE 1 on h2. Both are reached through a proxy on h3."""

    @classmethod
    def setUpClass(cls):
        cls.laboratory = lab.Lab(3)
        cls.laboratory.__enter__()
        cls.addClassCleanup(cls.laboratory.__exit__)
        cls.port = 5000

    def run_on(self, host, *words, **options):
        return self.laboratory.start(host, list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **options)

    def start(self, pe, env):
        type(self).port += pe == 0
        env = {"WORLD_SIZE": "2", "RANK": str(pe), "LOCAL_RANK": "0", "MASTER_ADDR": lab.address("h1"),
               "MASTER_PORT": str(self.port), "OSHEN_JOB_SECRET": "of-a-secure-job", "SHMEM_SYMMETRIC_SIZE": "16M",
               "OSHEN_TRANSPORT": "tcp", "OSHEN_TCP_ADDRESS": lab.address("h3"), "OSHEN_TCP_PORTS": str(PORTS[pe])} | env
        return self.run_on(f"h{pe + 1}", FLOOD, "1", "4", env=env, stderr=subprocess.PIPE)

    def job(self, fault, at=3 << 19, secure="1"):
        routes = [f"{PORTS[pe]}={lab.address(f'h{pe + 1}')}" for pe in range(2)]
        proxy = self.run_on("h3", sys.executable, PROXY, fault, str(at), *routes)
        try:
            self.assertEqual(proxy.stdout.readline(), "ready\n")
            pes = [self.start(pe, {"OSHEN_SECURE": secure}) for pe in range(2)]
            ended = [pe.communicate(timeout=WATCHDOG) for pe in pes]
            if fault == "replay":
                self.assertEqual(proxy.stdout.readline(), "refused\n")
        finally:
            self.laboratory.signal("h3", sys.executable, 9)
            proxy.communicate(timeout=WATCHDOG)
        for host in ("h1", "h2"):
            listening, _ = self.run_on(host, sys.executable, "-c", LISTENERS).communicate(timeout=WATCHDOG)
            self.assertEqual(listening, "0\n")
        return [pe.returncode for pe in pes], ended[0][0], "".join(err for _, err in ended)

    def finishes(self, *how, **options):
        self.assertEqual(self.job(*how, **options), ([0, 0], "".join(f"round {i}\n" for i in range(1, 5)), ""))

    def test_the_proxy_changes_nothing_by_itself(self):
        self.finishes("none")
        self.finishes("none", secure="0")

    def test_a_changed_byte_is_wrong_without_the_setting(self):
        status, _, err = self.job("flip", secure="0")
        self.assertRegex(err, r"word \d+ of PE [01] is wrong|keep to the protocol")
        self.assertNotIn(0, status)

    def test_a_changed_stream_ends_the_job(self):
        for fault in ("flip", "repeat", "skip"):
            with self.subTest(fault=fault):
                status, _, err = self.job(fault)
                self.assertNotIn(0, status, err)
                self.assertRegex(err, FORGED)
                self.assertNotIn("is wrong", err)

    def test_a_stream_that_ends_too_soon_ends_the_job(self):
        for secure in ("0", "1"):
            with self.subTest(secure=secure):
                status, _, err = self.job("cut", secure=secure)
                self.assertNotIn(0, status, err)
                self.assertRegex(err, r"transport tcp: (the PE there has closed the connection, or has ended|cannot \w+: .*); ending the job")
                self.assertNotIn("is wrong", err)

    def test_a_stream_that_is_sent_again_is_refused(self):
        self.finishes("replay")


if __name__ == "__main__":
    unittest.main(verbosity=2)
