"""Base of all tests of jobs: runs oshrun, collects the output, and checks that no process is left."""

import contextlib
import os
import signal
import subprocess
import time
import unittest
import uuid

from patience import stretched

OSHRUN = os.environ["OSHRUN"]    # no default: another oshrun may be in PATH
FAKE_PE = os.environ["FAKE_PE"]  # fake_pe.cpp
IMPATIENT = "OSHEN_TEST_IMPATIENT" in os.environ  # the first failure is enough, and hangs are likely: tests/mutants
PATIENCE = stretched(60 if IMPATIENT else 240)  # seconds until a hanging oshrun fails its test
CLEANING = 15 if IMPATIENT else 60   # seconds within which all processes of a job must be gone
# Seconds that oshrun gives PEs to end by themselves (tools/oshrun/supervisor.cpp).
GRACE_AFTER_REQUEST = 0.3
GRACE_AFTER_SIGNAL = 2
ATTEMPTS = 10


class Ended:
    """The result of a finished oshrun: `status` (negative: signal), `out`, `err`, `seconds`."""

    def __init__(self, process, out, err, seconds):
        self.status, self.out, self.err, self.seconds = process.returncode, out, err, seconds

    def __str__(self):
        return (f"status {self.status} after {self.seconds:.2f} s\n"
                f"{(self.out or '')[-2000:]}\n{(self.err or '')[-2000:]}")


class JobTest(unittest.TestCase):
    """Every process of a test has a mark in its environment; none may be left at the end."""

    def setUp(self):
        self.mark = uuid.uuid4().hex
        self.environment = {**os.environ, "OSHEN_TEST_MARK": self.mark}
        self.environment.pop("OSHEN_BIND", None)
        self.addCleanup(self.assert_nothing_left)  # the first added is the last to run

    def start(self, *arguments, **how):
        """Starts oshrun in a session of its own, as a batch system would."""
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL,
               "text": True, "start_new_session": True, "env": self.environment} | how
        process = subprocess.Popen([OSHRUN, *map(str, arguments)], **how)
        process.started = time.monotonic()
        self.addCleanup(self.put_away, process)
        return process

    def run(self, result=None):
        if IMPATIENT and result is not None:
            result.failfast = True
        return super().run(result)

    @staticmethod
    def put_away(process):
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    def finish(self, process, text=None):
        out, err = process.communicate(text, timeout=PATIENCE)
        return Ended(process, out, err, time.monotonic() - process.started)

    def run_job(self, *arguments, text=None, **how):
        if text is not None:
            how["stdin"] = subprocess.PIPE
        return self.finish(self.start(*arguments, **how), text)

    def unhindered(self, run, is_right, seconds):
        """The result of a job. Where it is not right although PEs had `seconds`, the machine may have been too busy for them, and
        the job is run again."""
        for _ in range(ATTEMPTS):
            ended = run()
            if is_right(ended) or ended.seconds < seconds:
                break
        return ended

    def wait_until(self, holds, otherwise):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), deadline, otherwise)
            time.sleep(0.01)

    def run_shell(self, n_pes, script, *options):
        """`script` runs in every PE, with $pe and $fake set."""
        return self.run_job(*self.shell(n_pes, script, *options))

    def shell(self, n_pes, script, *options):
        return ["-n", n_pes, *options, "sh", "-c", f"pe=$OSHEN_PE; fake='{FAKE_PE}'; {script}"]

    def wait_for_line(self, process, line, count=1):
        """Reads stdout until `line` has occurred `count` times."""
        while count > 0:
            text = process.stdout.readline()
            self.assertNotEqual(text, "", f"oshrun ended before it printed {line!r}")
            count -= text.strip() == line

    def marked_processes(self):
        """(pid, name) of every live process of this test."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    marked = self.mark.encode() in file.read()
                with open(f"/proc/{pid}/stat") as file:
                    stat = file.read()
            except OSError:
                continue  # the process has ended
            if marked and stat.rpartition(")")[2].split()[0] != "Z":
                found.append((int(pid), stat[stat.index("("):stat.rindex(")") + 1]))
        return found

    def pid_of(self, name):
        return next((pid for pid, comm in self.marked_processes() if comm == f"({name})"), None)

    def assert_nothing_left(self, seconds=CLEANING):
        deadline = time.monotonic() + stretched(seconds)
        while left := self.marked_processes():
            if time.monotonic() > deadline:
                for pid, _ in left:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                self.fail(f"processes left behind: {left}")
            time.sleep(0.01)
        files = [f"{where}/{name}" for where in ("/dev/shm", "/tmp") for name in os.listdir(where)
                 if "oshen-job" in name or "oshrun" in name]
        self.assertEqual(files, [])
