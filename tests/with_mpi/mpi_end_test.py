"""Jobs of MPI's launchers end when a PE ends them: by an error message, shmem_global_exit or a failing exit.

  mpi_end_test.py <program> <launcher> [its options ...]"""

import os
import signal
import subprocess
import sys
import time
import unittest

from patience import stretched

PROGRAM, LAUNCHER = None, None
PATIENCE = stretched(60)  # a hang never ends


class Ended(unittest.TestCase):
    def run_it(self, how, over):
        process = subprocess.Popen([*LAUNCHER, "-n", "3", PROGRAM, how, over], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.addCleanup(self.put_away, process)
        began = time.monotonic()
        try:
            out, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.fail(f"{how} over {over}: the job did not end in {PATIENCE} s")
        return process.returncode, out, time.monotonic() - began

    @staticmethod
    def put_away(process):
        for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    if file.read().startswith(PROGRAM.encode() + b"\0"):
                        os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        process.kill()
        process.wait()
        process.stdout.close()

    def test_global_exit(self):
        for over in ("world", "sub"):
            status, out, _ = self.run_it("global_exit", over)
            self.assertEqual(status, 5, out)

    def test_bad_use(self):
        for over in ("world", "sub"):
            status, out, _ = self.run_it("bad_use", over)
            self.assertNotEqual(status, 0, out)
            self.assertRegex(out, r"oshen: PE 1: shmem_long_p: pe = 99")

    def test_exit_of_one(self):
        status, out, _ = self.run_it("exit", "world")
        self.assertNotEqual(status, 0, out)


if __name__ == "__main__":
    PROGRAM, *LAUNCHER = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
