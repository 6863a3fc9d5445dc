"""A PE that is stopped: the others print a warning, may give up, and continue when it continues."""

import contextlib
import os
import re
import signal
import threading
import time
import unittest

from jobs import GRACE_AFTER_REQUEST, PATIENCE
from pe_jobs import VictimTest, program, read


class Speaking(VictimTest):
    def read_until(self, process, *patterns):
        """Reads stderr until every pattern is found, and returns it. Kills a job that does not print them in time."""
        timer = threading.Timer(PATIENCE, process.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        text = ""
        while late := [pattern for pattern in patterns if not re.search(pattern, text)]:
            line = process.stderr.readline()
            self.assertNotEqual(line, "", f"ended before {late}: {text}")
            text += line
        timer.cancel()
        return text


class Stopped(Speaking):
    """PE 1 is stopped as soon as it has its memory. The place at which the others wait for it is random."""

    # PE 1 may have been stopped between a finalize and the next init.
    WARNING = r"oshen: PE [02]: shmem_\w+: waiting[^\n]*, for \d+ s now \([^\n]*PE 1 stopped"

    def stopped(self, name, *arguments, **settings):
        self.environment |= settings
        process = self.launch(3, name, *arguments)
        victim = self.wait_for_pes(process, 3)[1]
        os.kill(victim, signal.SIGSTOP)
        return process, victim

    def test_others_say_who_they_wait_for_and_go_on(self):
        process, victim = self.stopped("ring", "1", OSHEN_WAIT_WARN="1")
        self.read_until(process, self.WARNING)
        os.kill(victim, signal.SIGCONT)
        ended = self.finish(process)
        self.assertEqual((ended.status, ended.out), (0, "right 3\n"), ended)

    def test_others_in_many_kinds_of_waits(self):
        process, victim = self.stopped("journey", "1000", OSHEN_WAIT_WARN="1")
        self.read_until(process, self.WARNING)
        os.kill(victim, signal.SIGCONT)
        process.send_signal(signal.SIGTERM)  # the rest of the program would take long
        self.assertEqual(self.finish(process).status, 128 + signal.SIGTERM)

    def test_a_waiting_pe_is_told_from_a_late_one(self):
        self.environment["OSHEN_WAIT_WARN"] = "1"
        process = self.launch(3, "crowd", "sleep", "1000")  # PE 0 arrives late
        self.read_until(process, *(rf"(?m)^oshen: PE {pe}: shmem_barrier_all: waiting.* for \d+ s now "
                                   rf"\(PE 0 alive, PE {other} waiting too in shmem_barrier_all\)$"
                                   for pe, other in ((1, 2), (2, 1))))

    def test_limit_ends_the_job(self):
        process, _ = self.stopped("journey", OSHEN_WAIT_WARN="0", OSHEN_WAIT_ABORT="2")
        before = time.monotonic()
        ended = self.finish(process)
        self.assertEqual(ended.status, 1, ended)
        self.assertRegex(ended.err, r"oshen: PE [02]: shmem_\w+:.* waited \d+ s \(OSHEN_WAIT_ABORT\)")
        self.assertRegex(ended.err, r"(?m)^oshrun: PE [02] \(pid \d+\) ended the job with status 1; "
                                    r"the other (2 PEs were|PE still running was) ended$")
        self.assertGreater(time.monotonic() - before, 1.5)

    def test_time_out_says_what_every_pe_does(self):
        jobs = {"crowd": ("sleep", r"shmem_barrier_all: waiting( for PE \d)?"),
                "ring": ("", r"shmem_long_wait_until: waiting on 0x[0-9a-f]+ \(static data \+ \d+\) to be != 0")}
        self.environment["OSHEN_WAIT_WARN"] = "1"
        limit = 20  # all must wait this long
        processes = {name: self.launch(3, name, *how[0].split(), "1000", options=("--timeout", limit))
                     for name, how in jobs.items()}
        for name, process in processes.items():
            self.read_until(process, *(rf"(?m)^oshen: PE {pe}: {jobs[name][1]}, for" for pe in (1, 2)))
            os.kill(self.pes_of(process)[1], signal.SIGSTOP)
        for name, process in processes.items():
            wait = jobs[name][1]
            with self.subTest(name):
                ended = self.finish(process)
                self.assertEqual(ended.status, 124, ended)
                for line in (f"oshrun: time-out after {limit} s; 3 of 3 PEs have not ended:",
                             r"oshrun:   PE 0, pid \d+, state S, initialised",  # it sleeps outside the library
                             rf"oshrun:   PE 1, pid \d+, state T, initialised: {wait} \(for \d+\.\d s\)",
                             rf"oshrun:   PE 2, pid \d+, state [SR], initialised: {wait} \(for \d+\.\d s\)"):
                    self.assertRegex(ended.err, rf"(?m)^{line}$")

    def test_time_out_of_a_crowd_is_a_few_lines(self):
        ended = self.job(20, "crowd", "sleep", "1000", options=("--timeout", "20"))
        lines = re.findall(r"(?m)^oshrun:   (.*)$", ended.err)
        self.assertEqual((ended.status, len(lines)), (124, 2), ended)
        self.assertRegex(lines[0], r"^PE 0, state S, initialised$")
        self.assertRegex(lines[1], r"^PEs 1 \.\. 19, state S, initialised: shmem_barrier_all: waiting \(for \d+\.\d s\)$")

    def test_stopped_pe_may_be_killed(self):
        process, victim = self.stopped("journey")
        time.sleep(0.3)
        os.kill(victim, signal.SIGKILL)
        ended = self.finish(process)
        self.check(ended, 137, rf"PE 1 \(pid {victim}\) was killed by signal 9")


class LateToStartUp(Speaking):
    """PE 1 sleeps before it calls shmem_init; the others are in the launcher's barrier, where no world exists yet."""

    @staticmethod
    def catches(pid, number):
        caught = re.search(r"SigCgt:\s*(\w+)", read(f"/proc/{pid}/status"))
        return caught is None or int(caught[1], 16) >> (number - 1) & 1

    def test_others_say_who_they_wait_for_and_go_on(self):
        self.environment["OSHEN_WAIT_WARN"] = "1"
        process = self.launch(3, "ring", "late", "1000")
        late = self.wait_for_pes(process, 3, joined=False)[1]
        self.read_until(process, *(rf"(?m)^oshen: PE {pe}: shmem_init: waiting for PE 1, for \d+ s now "
                                   r"\(PE 1 not initialised\)$" for pe in (0, 2)))
        while not self.catches(late, signal.SIGUSR1):
            time.sleep(0.01)
        while process.poll() is None:  # repeated, because the PE may not be asleep yet
            with contextlib.suppress(ProcessLookupError):
                os.kill(late, signal.SIGUSR1)
            time.sleep(0.1)
        ended = self.finish(process)
        self.assertEqual((ended.status, ended.out), (0, "right 3\n"), ended)

    def test_a_late_pe_that_is_stopped_is_called_so(self):
        self.environment["OSHEN_WAIT_WARN"] = "1"
        process = self.launch(3, "ring", "late", "1000")
        os.kill(self.wait_for_pes(process, 3, joined=False)[1], signal.SIGSTOP)
        self.read_until(process, r"oshen: PE [02]: shmem_init: waiting for PE 1, for \d+ s now \(PE 1 stopped\)\n")

    def test_of_a_crowd_one_speaks(self):
        self.environment["OSHEN_WAIT_WARN"] = "1"
        process = self.launch(12, "ring", "late", "1000")
        said = r"(?m)^oshen: PE (\d+): shmem_init: waiting for PE 1, for"
        self.read_until(process, r"oshen: PE 0: shmem_init: waiting for PE 1")
        later = self.read_until(process, r"oshen: PE 0: shmem_init: waiting for PE 1")
        self.assertEqual(set(re.findall(said, later)), {"0"})

    def test_limit_ends_the_job(self):
        self.environment["OSHEN_WAIT_ABORT"] = "1"
        ended = self.job(3, "ring", "late", "30")
        self.check(ended, 1, r"(?m)^oshen: PE [02]: shmem_init: waiting for PE 1: "
                             r"waited \d+ s \(OSHEN_WAIT_ABORT\); ending the job$")

    def test_the_others_leave_by_themselves_when_one_gives_up(self):
        script = (f"test $OSHEN_PE != 0 || export OSHEN_WAIT_ABORT=1; {program('ring')} late 1000; "
                  "echo PE $OSHEN_PE left with $?")
        left = ["PE 0 left with 1", "PE 2 left with 1"]
        ended = self.unhindered(lambda: self.finish(self.start("-n", 3, "sh", "-c", script)),
                                lambda ended: sorted(ended.out.splitlines()) == left, 1 + GRACE_AFTER_REQUEST)
        self.check(ended, 1, r"(?m)^oshen: PE 0: shmem_init: waiting for PE 1: waited \d+ s \(OSHEN_WAIT_ABORT\)")
        self.assertEqual(sorted(ended.out.splitlines()), left, ended)

    def test_time_out_says_what_every_pe_does(self):
        ended = self.job(3, "ring", "late", "1000", options=("--timeout", "8"))
        waits = r"state [SR], initialised: shmem_init: waiting for PE 1 \(for \d\.\d s\)"
        self.check(ended, 124, *(rf"(?m)^oshrun:   PE {pe}, pid \d+, {waits}$" for pe in (0, 2)),
                   r"(?m)^oshrun:   PE 1, pid \d+, state S, not initialised$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
