"""Jobs over hosts made of namespaces: they start, communicate over the network, and end when a host is lost."""

import os
import re
import shlex
import subprocess
import time
import unittest

import lab
import spec_over_hosts
from patience import stretched

HELLO, PE = os.environ["HELLO"], os.environ["PE"]


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Hosts(unittest.TestCase):
    def launcher(self, name, n_hosts, n):
        hosts = [lab.address(f"h{i + 1}") for i in range(n_hosts)]
        words = shlex.split(spec_over_hosts.command(name, hosts).replace("{n}", str(n)))
        if subprocess.run(["sh", "-c", f"command -v {words[0]}"], capture_output=True).returncode != 0:
            self.skipTest(f"{words[0]} is not installed")
        return words

    def hello(self, name):
        words = self.launcher(name, 3, 6)
        with lab.Lab(3) as laboratory:
            job = laboratory.start("h1", [*words, HELLO], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            out, err = job.communicate(timeout=240)
        wanted = sorted(f"hello from PE {pe} of 6: PE {(pe + 5) % 6} wrote to me" for pe in range(6))
        self.assertEqual((job.returncode, sorted(out.splitlines())), (0, wanted), err)

    def test_hydra(self):
        self.hello("hydra")

    def test_openmpi(self):
        self.hello("openmpi")

    def test_a_cable_that_is_cut_ends_the_job(self):
        words = self.launcher("hydra", 2, 4)
        with lab.Lab(2) as laboratory:
            job = laboratory.start("h1", [*words, PE, "loop"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
            while "up" not in job.stdout.readline():
                self.assertIsNone(job.poll())
            laboratory.cut("h2")
            cut = time.monotonic()
            line = ""
            while not re.search("PE [23] .*on h2.* is lost: its host does not answer", line):
                line = job.stderr.readline()
                self.assertNotEqual(line, "", "no line named the host")
            self.assertLess(time.monotonic() - cut, stretched(20))  # 3 s, plus time for a busy machine
            job.kill()


if __name__ == "__main__":
    unittest.main(verbosity=2)
