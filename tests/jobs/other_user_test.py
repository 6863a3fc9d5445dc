"""Another user cannot access a job: not by /proc, not by its memory, not by the socket of the handover."""

import os
import shutil
import subprocess
import tempfile
import time
import unittest

from jobs import OSHRUN, PATIENCE, stretched
from pe_jobs import VictimTest, program

STRANGER = 65534


class Stranger(VictimTest):
    def setUp(self):
        super().setUp()
        if os.getuid() != 0:
            self.skipTest("only root can make a process of another user")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)  # the build folder may be inaccessible to other users
        self.folder = folder.name
        self.copy = self.copy_of("other_user")

    def copy_of(self, name):
        return shutil.copy(program(name), self.folder)

    def stranger(self, seconds, *pids):
        process = subprocess.Popen([self.copy, str(seconds), *map(str, pids)], user=STRANGER, group=STRANGER,
                                   extra_groups=[], cwd="/", text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment)
        self.addCleanup(self.put_away, process)
        return process

    def test_processes_are_closed(self):
        job = self.launch(3, "journey")
        pids = [*self.wait_for_pes(job, 3).values(), self.supervisor_of(job), job.pid]
        out, _ = self.stranger(0, *pids).communicate(timeout=PATIENCE)
        self.assertEqual(out, "looking\nconnects 0\n")
        self.assertIsNone(job.poll())
        job.terminate()
        self.finish(job)

    def test_the_door_is_closed(self):
        self.environment |= {"OSHEN_SEGMENT_HANDOVER": "socket", "OSHEN_WAIT_WARN": "0"}
        stranger = self.stranger(4)
        self.assertEqual(stranger.stdout.readline(), "looking\n")
        for n_pes in (2, 5, 16, 16, 5):
            ended = self.job(n_pes, "ring", "0")
            self.assertEqual((ended.status, ended.out, ended.err), (0, f"right {n_pes}\n", ""), ended)
        out, _ = stranger.communicate(timeout=PATIENCE)
        self.assertRegex(out, r"^connects \d+\n$")

    def test_a_pe_of_another_user_does_not_delay_the_start(self):
        other = f"exec setpriv --reuid={STRANGER} --clear-groups {self.copy_of('ring')} 0"
        for its in (0, 1):
            began = time.monotonic()
            ended = self.finish(self.start("-n", 3, "sh", "-c", f"test $OSHEN_PE = {its} && {other}; exec {program('ring')} 0"))
            self.assertEqual((ended.status, ended.out), (0, "right 3\n"), ended)
            self.assertLess(time.monotonic() - began, stretched(10))  # a handover waits 20 s

    def test_the_number_of_the_user_is_not_enough(self):
        """In a user namespace without a mapping the job and all others have one number of the user."""
        namespace = ["unshare", "--user"]
        if subprocess.run([*namespace, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("no user namespace can be made")
        self.environment |= {"OSHEN_SEGMENT_HANDOVER": "socket", "OSHEN_WAIT_WARN": "0"}
        stranger = self.stranger(8)
        self.assertEqual(stranger.stdout.readline(), "looking\n")
        while stranger.poll() is None:
            done = subprocess.run([*namespace, OSHRUN, "-n", "4", program("ring"), "0"], capture_output=True, text=True,
                                  timeout=PATIENCE, env=self.environment, stdin=subprocess.DEVNULL, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "right 4\n", ""), done)
        out, _ = stranger.communicate(timeout=PATIENCE)
        self.assertRegex(out, r"^connects [1-9]\d*\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
