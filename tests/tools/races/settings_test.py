#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The settings OSHEN_RACES_*: the file of reports, suppressions, strict mode, and wrong values.

usage: settings_test.py --bin FOLDER classic.c
"""

import json
import subprocess
from pathlib import Path

import raced_program


class Settings(raced_program.RacedProgram):
    def path(self, text=None):
        path = self.folder / "file"
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text)
        return str(path)

    def test_the_file_of_reports(self):
        path = self.path("what was there\n")
        self.assertEqual(self.run_program("nofence", "wrong", OSHEN_RACES_REPORT=path)[0], 66)
        reports = [json.loads(line) for line in Path(path).read_text().splitlines()]
        self.assertEqual(len(reports), 1)
        first, second = reports[0]["first"], reports[0]["second"]
        self.assertEqual(first | {"line": 0}, {"pe": 0, "thread": 0, "access": "shmem_long_put", "bytes": 512, "writes": True,
                                               "file": "classic.c", "line": 0, "function": "nofence"})
        self.assertEqual((second["pe"], second["access"], second["writes"]), (2, "load", False))
        lines = self.source.read_text().splitlines()
        self.assertIn("shmem_long_put(data", lines[first["line"] - 1])
        self.assertIn("source[0] = data[n - 1]", lines[second["line"] - 1])
        self.assertIn("needs a fence", reports[0]["missing"])
        self.assertEqual(self.run_program("nofence", "right", OSHEN_RACES_REPORT=path)[0], 0)
        self.assertEqual(Path(path).read_text(), "")

    def test_pes_that_cannot_share_the_shadow(self):
        """PEs 1 and 2 in another PID namespace, as in another container or on another host."""
        apart = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("unshare --pid is not allowed here")
        each = f'if [ "$OSHEN_PE" = 0 ]; then exec "$@"; else exec {" ".join(apart)} "$@"; fi'
        job = subprocess.run([self.tools / "oshrun", "--timeout", "100", "-n", "3", "sh", "-c", each, "sh", self.program, "nofence", "right"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = [line for line in job.stdout.splitlines() if line.startswith("oshen:")]
        self.assertEqual((job.returncode, len(lines)), (1, 1), job.stdout)
        self.assertRegex(lines[0], r"^oshen: PE 0: oshcc --races: PE 1 on \S+ has no access to the shadow memory of PE 0 on \S+: expected one machine")

    def test_suppressions(self):
        for text in ("place classic.c:* (nofence)", "# a comment\n\n  object data* (static)*  \n"):
            status, output = self.run_program("nofence", "wrong", OSHEN_RACES_SUPPRESS=self.path(text))
            self.assertEqual((status, output), (0, "done\n"))
        for text in ("", "place classic.c:* (main)", "object source*"):
            self.assertEqual(self.run_program("nofence", "wrong", OSHEN_RACES_SUPPRESS=self.path(text))[0], 66)

    def test_suppressed_races_are_not_counted(self):
        # The put of each of three rounds races with a load, and that of the last two with the put before.
        for pattern, end in (("", "2 races (pairs of places), met 5 times"),
                              ("object data[[]63]*", "1 race (pairs of places), met 2 times"),
                              ("object data[[]0]*", "1 race (pairs of places), met 3 times")):
            suppressions = self.path(f"{pattern}\n")
            status, output = self.run_program("context", "wrong", OSHEN_RACES_SUPPRESS=suppressions)
            self.assertEqual(status, 66, output)
            self.assertIn(f"oshen: {end}\n", output)

    def test_strict(self):
        for name, object in (("broadcast", "counter"), ("stored", "data[0]")):
            status, output = self.run_program(name, "right", OSHEN_RACES_STRICT="1")
            self.assertEqual(status, 66, output)
            self.assertIn(f"oshen: race on {object} (static) of PE 0: ", output)
        self.assertEqual(self.run_program("signals", "right", OSHEN_RACES_STRICT="1"), (0, "done\n"))

    def test_right_programs_when_the_clock_is_at_its_end(self):
        """The clock stops at 2^32 - 1. If it wrapped, old accesses would look newer than all that follows."""
        for name in ("third", "sync", "signals", "bcastbarrier"):
            for left in (1, 2, 3):
                status, output = self.run_program(name, "right", OSHEN_TEST_RACES_CLOCK=str(2**32 - left))
                self.assertEqual(status, 0, f"{name}, {left} left: {output}")
                self.assertNotIn("race on", output)
                self.assertEqual(output.count("PE 0: oshcc --races: this PE has synchronised 2^32 times"), 1, output)
        self.assertEqual(self.run_program("third", "wrong", OSHEN_TEST_RACES_CLOCK=str(2**32 - 1000))[0], 66)

    def test_a_full_table_is_reported(self):
        """A put, a flag and the accesses before them are of more than five kinds."""
        for name, form, status in (("third", "right", 0), ("twowriters", "wrong", 66)):
            found, output = self.run_program(name, form, OSHEN_TEST_RACES_KINDS="5")
            self.assertIn("oshen: oshcc --races: the check is incomplete, races may be unseen: too many kinds of accesses", output)
            self.assertIn(found, (0, status), output)
        self.assertNotIn("incomplete", self.run_program("third", "right")[1])

    def test_wrong_values(self):
        nowhere = f"{self.folder}/no/file"
        for settings, line in (({"OSHEN_RACES_STRICT": "yes"}, "OSHEN_RACES_STRICT='yes': expected 0 or 1"),
                               ({"OSHEN_RACES_SUPPRESS": nowhere}, f"OSHEN_RACES_SUPPRESS: cannot read {nowhere}"),
                               ({"OSHEN_RACES_REPORT": nowhere}, f"OSHEN_RACES_REPORT: cannot write {nowhere}"),
                               ({"OSHEN_RACES_SUPPRESS": self.path("object x\nrace y\n")},
                                f"{self.folder}/file:2: 'race y': expected place PATTERN or object PATTERN")):
            status, output = self.run_program("nofence", "right", **settings)
            self.assertEqual(status, 1, output)
            self.assertRegex(output, r"(?m)^oshen: PE \d: oshcc --races: ")
            self.assertIn(f"oshcc --races: {line}\n", output)


if __name__ == "__main__":
    raced_program.main(Settings)
