"""A PE that does not go on: the others say so, may give up, and go on when it does."""

import os
import re
import signal
import threading
import time
import unittest

from victims import VictimTest


class Stopped(VictimTest):
    """PE 1 is stopped as soon as it has its memory. Where the others come to wait for it is left to chance."""

    # It may have been stopped between a finalize and the next init.
    WARNING = r"oshen: PE [02]: shmem_\w+: waiting[^\n]*, for \d+ s now \([^\n]*PE 1 (alive|waiting too|finalized)"

    def stopped(self, name, *arguments, **settings):
        self.environment |= settings
        process = self.launch(3, name, *arguments)
        victim = self.wait_for_pes(process, 3)[1]
        os.kill(victim, signal.SIGSTOP)
        return process, victim

    def read_until(self, process, pattern, seconds=20):
        """Reads stderr up to a line that matches. A job that does not say it in time is killed, which ends stderr."""
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        self.addCleanup(timer.cancel)
        text = ""
        while not re.search(pattern, text):
            line = process.stderr.readline()
            self.assertNotEqual(line, "", f"ended before {pattern!r}: {text}")
            text += line
        timer.cancel()

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
        process.send_signal(signal.SIGTERM)  # the rest of the journey is long
        self.assertEqual(self.finish(process).status, 128 + signal.SIGTERM)

    def test_who_waits_too_is_told_from_who_is_late(self):
        self.environment["OSHEN_WAIT_WARN"] = "1"
        ended = self.job(3, "crowd", "sleep", "3")  # PE 0 comes late
        self.assertEqual(ended.status, 0, ended)
        for pe, other in ((1, 2), (2, 1)):
            self.assertRegex(ended.err, rf"(?m)^oshen: PE {pe}: shmem_barrier_all: waiting.* for [12] s now "
                                        rf"\(PE 0 alive, PE {other} waiting too\)$")

    def test_limit_ends_the_job(self):
        process, _ = self.stopped("journey", OSHEN_WAIT_WARN="0", OSHEN_WAIT_ABORT="2")
        before = time.monotonic()
        ended = self.finish(process)
        self.assertEqual(ended.status, 1, ended)
        self.assertRegex(ended.err, r"oshen: PE [02]: shmem_\w+:.* waited 2 s \(OSHEN_WAIT_ABORT\)")
        self.assertRegex(ended.err, r"(?m)^oshrun: PE [02] \(pid \d+\) ended the job with status 1; "
                                    r"the other (2 PEs were|PE still running was) ended$")
        self.assertGreater(time.monotonic() - before, 1.5)

    def test_time_out_says_what_every_pe_does(self):
        for name, wait in (("crowd", r"shmem_barrier_all: waiting( for PE \d)?"),
                           ("ring", r"shmem_long_wait_until: waiting on 0x[0-9a-f]+ \(static data \+ \d+\) to be != 0")):
            with self.subTest(name):
                arguments = ("sleep", "1000") if name == "crowd" else ("1000",)
                process = self.launch(3, name, *arguments, options=("--timeout", "3"))
                self.wait_for_pes(process, 3)
                time.sleep(0.7)
                os.kill(self.pes_of(process)[1], signal.SIGSTOP)
                ended = self.finish(process)
                self.assertEqual(ended.status, 124, ended)
                for line in ("oshrun: time-out after 3 s; 3 of 3 PEs have not ended:",
                             r"oshrun:   PE 0, pid \d+, state S, initialised",  # it sleeps outside the library
                             rf"oshrun:   PE 1, pid \d+, state T, initialised: {wait} \(for \d\.\d s\)",
                             rf"oshrun:   PE 2, pid \d+, state [SR], initialised: {wait} \(for \d\.\d s\)"):
                    self.assertRegex(ended.err, rf"(?m)^{line}$")

    def test_stopped_pe_may_be_killed(self):
        process, victim = self.stopped("journey")
        time.sleep(0.3)
        os.kill(victim, signal.SIGKILL)
        ended = self.finish(process)
        self.check(ended, 137, rf"PE 1 \(pid {victim}\) was killed by signal 9")


class LateToStartUp(VictimTest):
    """PE 1 sleeps before it calls shmem_init; the others are in the launcher's barrier, where no world exists yet."""

    def test_others_say_who_they_wait_for_and_go_on(self):
        self.environment["OSHEN_WAIT_WARN"] = "1"
        ended = self.job(3, "ring", "late", "2.6")
        self.assertEqual((ended.status, ended.out), (0, "right 3\n"), ended)
        for pe in (0, 2):
            for seconds in (1, 2):
                self.assertIn(f"oshen: PE {pe}: shmem_init: waiting for PE 1, for {seconds} s now "
                              "(PE 1 not initialised)\n", ended.err)

    def test_limit_ends_the_job(self):
        self.environment["OSHEN_WAIT_ABORT"] = "1"
        ended = self.job(3, "ring", "late", "30")
        self.check(ended, 1, r"(?m)^oshen: PE [02]: shmem_init: waiting for PE 1: "
                             r"waited 1 s \(OSHEN_WAIT_ABORT\); ending the job$")

    def test_time_out_says_what_every_pe_does(self):
        ended = self.job(3, "ring", "late", "30", options=("--timeout", "1"))
        waits = r"state [SR], initialised: shmem_init: waiting for PE 1 \(for \d\.\d s\)"
        self.check(ended, 124, *(rf"(?m)^oshrun:   PE {pe}, pid \d+, {waits}$" for pe in (0, 2)),
                   r"(?m)^oshrun:   PE 1, pid \d+, state S, not initialised$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
