"""PEs, hosts and cables that fail, with hosts made of namespaces: every survivor ends soon, and a line names PE and host."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest

import lab
import spec_over_hosts

OSHRUN, PE = os.environ["OSHRUN"], os.environ["PE"]
N_HOSTS, N = 3, 6
WATCHDOG = 120


@unittest.skipIf(lab.obstacle(), f"no laboratory: {lab.obstacle()}")
class Failures(unittest.TestCase):
    """Hydra is not among these launchers, because it ends its processes itself and drops their lines: see hosts_test.py."""

    def command(self, launcher, *words):
        if launcher == "oshrun over ssh":
            hosts = ",".join(f"h{i + 1}:2" for i in range(N_HOSTS))
            return [OSHRUN, "--launcher", "ssh", "--ssh", str(lab.AGENT), "--hosts", hosts, *words]
        hosts = [lab.address(f"h{i + 1}") for i in range(N_HOSTS)]
        first, *others = shlex.split(spec_over_hosts.command(launcher, hosts).replace("{n}", str(N)))
        if shutil.which(first) is None:
            self.skipTest(f"{first} is not installed")
        if " " in first:
            self.skipTest("PRRTE does not start daemons from a path with a space")
        return [first, *others, *words]

    def start(self, laboratory, launcher, program, **env):
        return laboratory.start("h1", self.command(launcher, PE, program), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=env)

    def up(self, job):
        said = ""
        while said.count("up") < N:
            part = job.stdout.read(1)
            self.assertNotEqual(part, "", said)
            said += part

    def ends(self, laboratory, job, line):
        """Checks that there is a line, and no PE on any host that has power. (Launchers may wait for a lost host.)"""
        began = time.monotonic()
        self.hears(job, line)
        while laboratory.processes(PE):
            self.assertLess(time.monotonic() - began, WATCHDOG)
            time.sleep(0.1)
        print(f"ended after {time.monotonic() - began:.1f} s")  # not tested, because the machine may be busy
        job.kill()

    def hears(self, job, line):
        said = []
        while not said or not re.search(line, said[-1]):
            said.append(job.stderr.readline())
            self.assertNotEqual(said[-1], "", f"no line like {line} in {said}")

    def test_a_pe_dies(self):
        for launcher in ("oshrun over ssh", "openmpi"):
            with self.subTest(launcher), lab.Lab(N_HOSTS) as laboratory:
                job = self.start(laboratory, launcher, "killed")
                out, err = job.communicate(timeout=WATCHDOG)
                self.assertRegex(err, r"PE 5 \(pid \d+ on h3\) ended without shmem_finalize")
                self.assertNotEqual(job.returncode, 0)
                self.assertEqual(laboratory.processes(PE), 0)

    def test_a_host_vanishes(self):
        with lab.Lab(N_HOSTS) as laboratory:
            job = self.start(laboratory, "openmpi", "loop")
            self.up(job)
            laboratory.power_off("h2")
            self.ends(laboratory, job, r"PE [23] \(pid \d+ on h2\) is lost: its host does not answer \(PEs 2 to 3\)")

    def test_a_cable_is_cut(self):
        with lab.Lab(N_HOSTS) as laboratory:
            job = self.start(laboratory, "oshrun over ssh", "loop")
            self.up(job)
            laboratory.cut("h3")
            # Either side may notice first, because the launcher's connection to h3 is intact.
            self.ends(laboratory, job, r"PE ([45] \(pid \d+ on h3\)|0 on h1) is lost: its host does not answer")

    def test_a_host_that_stands_still_is_named_and_not_killed(self):
        with lab.Lab(N_HOSTS) as laboratory:
            job = self.start(laboratory, "oshrun over ssh", "loop", OSHEN_WAIT_WARN="1")
            self.up(job)
            laboratory.signal("h2", PE, signal.SIGSTOP)
            self.hears(job, r"oshen: PE \d: .*: waiting .*for \d+ s now .*on h2")
            self.assertIsNone(job.poll())
            laboratory.signal("h2", PE, signal.SIGCONT)
            self.assertEqual(laboratory.processes(PE), N)
            job.kill()  # the laboratory ends the rest


if __name__ == "__main__":
    unittest.main(verbosity=2)
