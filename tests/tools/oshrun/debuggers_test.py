"""Parallel debuggers: the table of MPIR, in a job that a debugger starts and in one that runs, and oshrun --gdb."""

import os
import re
import shutil
import subprocess
import time
import unittest

from jobs import FAKE_PE, OSHRUN, PATIENCE, JobTest


def gdb(*commands, arguments=(), attach=None):
    """The output of gdb after these commands."""
    words = ["gdb", "-nx", "-q", "-batch"] + (["-p", str(attach)] if attach else [])
    for command in commands:
        words += ["-ex", command]
    if arguments:
        words += ["--args", *map(str, arguments)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    return ended.stdout + ended.stderr


@unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
class Debuggers(JobTest):
    PROGRAM = (FAKE_PE, "say", "hello")

    def test_table_of_a_job_that_a_debugger_starts(self):
        shown = gdb("break main", "run", "set var MPIR_being_debugged=1", "break MPIR_Breakpoint", "continue",
                    "print MPIR_debug_state", "print MPIR_proctable_size", "print MPIR_proctable[2]",
                    'eval "shell cat /proc/%d/status /proc/%d/comm", MPIR_proctable[2].pid, MPIR_proctable[2].pid',
                    "delete", "continue", arguments=(OSHRUN, "-n", 3, *self.PROGRAM))
        self.assertRegex(shown, r"\$1 = 1\n\$2 = 3\n\$3 = \{host_name = .*, executable_name = .*fake_pe\", pid = \d+\}")
        self.assertRegex(shown, r"Name:\s+fake_pe")  # it has executed the program
        self.assertRegex(shown, r"State:\s+T")  # and stands before main
        self.assertIn("exited normally", shown)
        before, _, after = shown.partition("$3 =")
        self.assertNotIn("hello", before)
        self.assertEqual(after.count("hello"), 3)

    def test_table_of_a_job_that_runs(self):
        job = subprocess.Popen([OSHRUN, "-v", "-n", "2", FAKE_PE, "sleep", "1000"], stderr=subprocess.PIPE, text=True)
        try:
            lines = [job.stderr.readline() for _ in range(2)]
            pids = re.findall(r"is process (\d+)", "".join(lines))
            shown = gdb("print MPIR_proctable_size", "print MPIR_proctable[0].pid", "print MPIR_proctable[1].pid",
                        attach=job.pid)
            self.assertIn("$1 = 2\n", shown)
            self.assertEqual(re.findall(r"\$[23] = (\d+)", shown), pids)
        finally:
            job.terminate()
            job.communicate()

    def test_gdb_on_all_pes(self):
        """Each PE reaches the breakpoint, and its number is seen there. gdb has the input, and leaves PEs running."""
        commands = "break main\ncontinue\ninfo inferiors\ncontinue\ncontinue\n"
        ended = subprocess.run([OSHRUN, "-n", "3", "--gdb", *self.PROGRAM], input=commands, capture_output=True, text=True,
                               timeout=PATIENCE, env={**os.environ, "GDB": "gdb"})
        self.assertEqual(ended.returncode, 0, ended)
        self.assertEqual(len(re.findall(r"\n[ *] +\d +process \d+ .*fake_pe", ended.stdout)), 3, ended.stdout)
        self.assertIn("hit Breakpoint", ended.stdout)
        self.assertEqual(ended.stdout.count("hello\n"), 3, ended.stdout)

    def test_missing_gdb(self):
        ended = subprocess.run([OSHRUN, "-n", "2", "--gdb", *self.PROGRAM], capture_output=True, text=True,
                               timeout=PATIENCE, env={**os.environ, "GDB": "/no/gdb"}, stdin=subprocess.DEVNULL)
        self.assertEqual(ended.returncode, 2, ended)
        self.assertEqual(ended.stderr, "oshrun: --gdb: /no/gdb: not found; install gdb, or set GDB to its path\n")
        self.assertEqual(ended.stdout, "")

    def test_program_that_cannot_be_executed(self):
        began = time.monotonic()
        ended = subprocess.run([OSHRUN, "-n", "2", "--gdb", "/no/program"], capture_output=True, text=True,
                               timeout=PATIENCE, stdin=subprocess.DEVNULL)
        self.assertEqual(ended.returncode, 127, ended)
        self.assertEqual(ended.stderr, "oshrun: /no/program: no such program\n")
        self.assertLess(time.monotonic() - began, PATIENCE)

    def test_several_hosts(self):
        ended = self.run_job("--gdb", "--hosts", "nowhere1:1,nowhere2:1", "true")
        self.assertEqual(ended.status, 2, ended)
        self.assertEqual(ended.err, "oshrun: --gdb: not available with --hosts; start gdb on a host: gdb -p PROCESS\n")


if __name__ == "__main__":
    unittest.main()
