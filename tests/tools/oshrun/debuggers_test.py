"""Parallel debuggers: the table of MPIR, in a job that a debugger starts and in one that runs, oshrun --gdb, and
--gdb=tmux with a server of tmux for each test."""

import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

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


@unittest.skipUnless(shutil.which("gdb") and shutil.which("tmux"), "gdb or tmux is not installed")
class Panes(JobTest):
    """oshrun --gdb=tmux, typed into a shell in tmux."""

    def setUp(self):
        super().setUp()
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.environment |= {"HOME": str(self.folder), "GDB": "gdb", "DEBUGINFOD_URLS": ""}
        self.environment.pop("TMUX", None)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "60", "sh")
        self.addCleanup(self.tmux, "kill-server")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.folder / "socket", *map(str, words)], env=self.environment, cwd=self.folder,
                              capture_output=True, text=True, timeout=PATIENCE, check=True).stdout

    def panes(self):
        """Window and pane of each, without that of the shell."""
        return [line.split() for line in self.tmux("list-panes", "-s", "-F", "#{window_id} #{pane_id}").splitlines()][1:]

    def oshrun(self, n_pes, *command):
        """Starts a job in the shell. Returns its panes, in the order of PEs."""
        line = f"{OSHRUN} -n {n_pes} --gdb=tmux {' '.join(map(str, command))} >out 2>err; echo $? >status"
        self.tmux("send-keys", line, "Enter")
        self.wait("a pane for each PE", lambda: len(self.panes()) == n_pes)
        return [pane for _, pane in self.panes()]

    def shown(self, pane):
        return self.tmux("capture-pane", "-p", "-J", "-t", pane)

    def type(self, pane, text, expected):
        self.tmux("send-keys", "-t", pane, text, "Enter")
        self.wait(f"{expected!r} in {pane}", lambda: expected in self.shown(pane))

    def wait(self, what, is_true):
        end = time.monotonic() + PATIENCE
        while not is_true():
            if time.monotonic() > end:  # a pane may close while it is looked at, so only then
                self.fail(f"no {what}: {[self.shown(pane) for _, pane in self.panes()]}")
            time.sleep(0.05)

    def status(self):
        self.wait("end of the job", lambda: (self.folder / "status").exists() and (self.folder / "status").read_text())
        return int((self.folder / "status").read_text())

    def text(self, name):
        return (self.folder / name).read_text()

    def test_one_gdb_for_each_pe(self):
        """Each gdb stops its PE before main, and only this one. PEs run on where gdb quits or its pane is closed."""
        panes = self.oshrun(3, FAKE_PE, "say", "hello")
        for pe, pane in enumerate(panes):
            self.wait(f"prompt of PE {pe}", lambda pane=pane, pe=pe: f"(PE {pe})" in self.shown(pane))
            self.type(pane, "info inferiors", "fake_pe")
        self.type(panes[1], "break main", "Breakpoint 1 at")
        self.type(panes[1], "continue", "Breakpoint 1, main")
        self.assertEqual(self.text("out"), "")
        self.tmux("kill-pane", "-t", panes[0])
        self.wait("output of PE 0", lambda: self.text("out") == "hello\n")
        self.type(panes[2], "quit", "(y or n)")
        self.tmux("send-keys", "-t", panes[2], "y", "Enter")
        self.wait("output of PE 2", lambda: self.text("out") == "hello\n" * 2)
        self.tmux("send-keys", "-t", panes[1], "continue", "Enter")
        self.assertEqual((self.status(), self.text("out"), self.text("err")), (0, "hello\n" * 3, ""))
        self.tmux("kill-pane", "-t", panes[1])

    def test_at_most_nine_panes_in_a_window(self):
        self.environment["GDB"] = str(self.folder / "gdb")
        (self.folder / "gdb").write_text("#!/bin/sh\nexec cat\n")
        (self.folder / "gdb").chmod(0o755)
        self.tmux("set-environment", "-g", "GDB", self.environment["GDB"])
        self.tmux("respawn-pane", "-k", "-e", f"GDB={self.environment['GDB']}", "sh")
        panes = self.oshrun(10, "true")
        self.assertEqual([sum(window == one for window, _ in self.panes()) for one in dict(self.panes())], [9, 1])
        for pane in panes:
            self.tmux("kill-pane", "-t", pane)
        self.assertEqual((self.status(), self.text("err")), (0, ""))

    def refused(self, option, **environment):
        ended = subprocess.run([OSHRUN, "-n", "2", option, FAKE_PE, "say", "hello"], capture_output=True, text=True,
                               timeout=PATIENCE, env={**self.environment, **environment}, stdin=subprocess.DEVNULL)
        self.assertEqual(ended.stdout, "")
        return ended.returncode, ended.stderr

    def test_what_is_missing(self):
        self.assertEqual(self.refused("--gdb=tmux"),
                         (2, "oshrun: --gdb=tmux: not inside tmux: start tmux, and this command in it; or use --gdb\n"))
        bin = self.folder / "bin"
        bin.mkdir()
        (bin / "gdb").symlink_to(shutil.which("gdb"))
        self.assertEqual(self.refused("--gdb=tmux", PATH=str(bin)),
                         (2, "oshrun: --gdb=tmux: tmux: not found in PATH; install it, or use --gdb\n"))
        self.assertEqual(self.refused("--gdb=screen"), (2, "oshrun: --gdb=screen: expected --gdb or --gdb=tmux\n"))

    def test_no_pane_no_job(self):
        """Where tmux opens no pane, no PE runs without its gdb."""
        status, errors = self.refused("--gdb=tmux", TMUX="/no/socket,1,0")
        self.assertEqual(status, 1)
        self.assertIn("oshrun: --gdb=tmux: tmux cannot open a pane for each of 2 PEs; enlarge the terminal, or use --gdb\n", errors)


if __name__ == "__main__":
    unittest.main()
