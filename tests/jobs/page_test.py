"""The handover of the job page from oshrun to a PE: lost variables, closed descriptors, other files, two claims."""

import os
import shlex
import struct
import subprocess
import unittest

from jobs import PATIENCE, stretched
from pe_jobs import VictimTest, program

RING = shlex.quote(program("ring")) + " 0.01"
MAGIC = b"!OSHENJ"


class OnTheWay(VictimTest):
    def script(self, text, n_pes=2, shell="bash"):
        return self.finish(self.start("-n", n_pes, shell, "-c", text))

    def refused(self, text, line):
        ended = self.script(text)
        self.check(ended, 1, line)
        self.assertEqual(ended.out, "", ended)
        self.assertLess(ended.seconds, stretched(20), ended)

    def test_a_cleaned_environment_is_no_job_of_one(self):
        line = r"(?m)^oshen: started by oshrun, but its variables OSHEN_PE and OSHEN_JOB_FD are missing"
        self.refused(f"exec env -i {RING}", line)
        self.refused(f"exec env -u OSHEN_JOB_FD {RING}", line)
        self.refused(f"env -i sh -c 'env -i {RING}; exit $?'", line)

    def test_what_the_line_says_works(self):
        ended = self.script(f"exec env -i OSHEN_PE=$OSHEN_PE OSHEN_JOB_FD=$OSHEN_JOB_FD {RING}")
        self.assertEqual((ended.status, ended.out, ended.err), (0, "right 2\n", ""), ended)

    def test_login_of_another_user(self):
        if os.getuid() != 0 or not os.path.exists("/usr/bin/su"):
            self.skipTest("su needs root here")
        # A user without login scripts, because root's scripts are unknown, and oshrun would end them early.
        login = ["su", "-", "nobody", "-s", "/bin/sh", "-c"]
        if subprocess.run([*login, f"test -x {program('ring')}"], capture_output=True, timeout=60).returncode != 0:
            self.skipTest("the build folder is closed to the user nobody")
        self.refused(f"{shlex.join(login)} '{RING}'", "started by oshrun, but its variables")

    def test_closed_descriptor(self):
        self.refused(f"exec 100>&-; exec {RING}", r"(?m)^oshen: OSHEN_JOB_FD = 100: the descriptor of oshrun's job page is closed")

    def test_another_file_in_its_place(self):
        for other in ("< /etc/passwd", "< /dev/zero", "<> <(sleep 0)"):
            with self.subTest(other):
                self.refused(f"exec 100{other}; exec {RING}", r"(?m)^oshen: OSHEN_JOB_FD = 100 is not the job page of oshrun: ")

    def test_number_that_is_no_pe(self):
        for number in ("2", "-1"):
            self.refused(f"OSHEN_PE={number} exec {RING}", rf"(?m)^oshen: OSHEN_PE = {number}: expected 0 .. 1")

    def test_another_release(self):
        for magic, line in ((MAGIC + b"0", "of different releases"), (b"?OSHENJ1", "is not the job page of oshrun")):
            page = os.memfd_create("oshen-job")
            os.write(page, struct.pack("8sIi", magic, 576, 1) + bytes(4096))
            done = subprocess.run([program("ring")], capture_output=True, text=True, timeout=PATIENCE, pass_fds=[page],
                                  env=self.environment | {"OSHEN_PE": "0", "OSHEN_JOB_FD": str(page)})
            os.close(page)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done)
            self.assertRegex(done.stderr, rf"^oshen: [^\n]*{line}[^\n]*\n$")

    def test_two_processes_at_once_are_not_one_pe(self):
        ended = self.script(f"{RING} & {RING}; wait; exit 0")
        self.check(ended, 1, r"(?m)^oshen: process \d+ is PE [01] already, and process \d+ claims the same number",
                   r"(?m)^oshrun: PE [01] \(pid \d+\) ended the job with status 1")
        self.assertLess(ended.seconds, stretched(20), ended)

    def test_who_has_finalized_may_linger(self):
        """The other process is the PE, although the first one still lives."""
        lingers = f"{shlex.quote(program('ending'))} lingers"
        ended = self.script(f"{{ {lingers} & }} | {{ read line; {RING}; }}", 3)
        self.assertEqual((ended.status, ended.out, ended.err), (0, "right 3\n", ""), ended)

    def test_one_after_the_other_is_normal(self):
        ended = self.script(f"{RING}; {RING}; exec {RING}", 3)
        self.assertEqual((ended.status, ended.out, ended.err), (0, "right 3\n" * 3, ""), ended)


class TuningFile(VictimTest):
    def test_pipes_and_devices_are_refused(self):
        pipe = f"/tmp/oshen.fifo.{self.mark}"
        os.mkfifo(pipe)
        self.addCleanup(os.unlink, pipe)
        for path in (pipe, "/dev/zero", "/"):
            with self.subTest(path):
                self.environment |= {"OSHEN_COLL_TUNING": path}
                ended = self.job(2, "ring", "0.01")
                self.check(ended, 1, rf"OSHEN_COLL_TUNING: cannot read {path}: not a regular file")
                self.assertLess(ended.seconds, stretched(20), ended)


if __name__ == "__main__":
    unittest.main(verbosity=2)
