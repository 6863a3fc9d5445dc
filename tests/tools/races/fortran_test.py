#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles classic.f90 with `oshfort --races` and runs every race and its right twin.

usage: fortran_test.py --bin FOLDER classic.f90
"""

import os
import re
import subprocess

import raced_program

# For each race: the object, both accesses with the text of their lines, and what the report asks for.
RACES = {
    "nofence": (r"grid::field\[999\] \(static\)", ("shmem_double_put", "call shmem_put(field, source"),
                ("load", "source(1) = field(n)"), "PE 0 needs a fence before the shmem_long_atomic_set"),
    "heap": (r"block\[0\] \(8000 B from shmem_malloc at classic\.f90:\d+ \(\w+\)\)",
             ("shmem_double_put", "call shmem_double_put(block"), ("load", "source(1) = sum(block)"),
             "PE 0 needs a quiet before the shmem_sync_all"),
    "copy": (r"source\[0\] \(static\)", ("shmem_double_put_nbi", "call shmem_put_nbi(field"),
             ("memcpy to|memset|store", "source = block"), "PE 0 needs a quiet between them"),
    "getnbi": (r"grid::field\[1\] \(static\)", ("shmem_double_get_nbi", "call shmem_get_nbi(field"),
               ("load", "field(2) = field(2) + 1"), "PE 0 needs a quiet between them"),
    "nonatomic": (r"grid::counter \(static\)", ("shmem_long_[pg]", "call shmem_p(counter, shmem_g"),
                  ("shmem_long_[pg]", "call shmem_p(counter, shmem_g"), "nothing orders them"),
}


class Fortran(raced_program.RacedProgram):
    @classmethod
    def compile(cls):
        subprocess.run([cls.tools / "oshfort", "--races", "-O2", cls.source, "-o", cls.program, "-J", cls.folder], check=True)
        cls.lines = cls.source.read_text().splitlines()

    def test_races_are_named(self):
        for name, (thing, first, second, missing) in RACES.items():
            status, output = self.run_program(name, "wrong")
            self.assertEqual(status, raced_program.RACES_FOUND, output)
            places = [rf"PE \d (?:{routine}) of \d+ B at classic\.f90:(\d+) \(\w+\)" for routine, _ in (first, second)]
            report = re.search(rf"oshen: race on {thing} of PE \d: {places[0]}, and {places[1]}: {missing}", output)
            self.assertIsNotNone(report, output)
            for place, (_, text) in zip(report.groups(), (first, second)):
                self.assertIn(text, self.lines[int(place) - 1])

    def test_right_twins_are_silent(self):
        for name in RACES:
            self.assertEqual(self.run_program(name, "right"), (0, "done\n"), name)

    def test_other_compilers_are_refused(self):
        job = subprocess.run([self.tools / "oshfort", "--races", self.source], env={**os.environ, "OSHEN_FC": "true"},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((job.returncode, job.stdout), (2, "oshfort: --races: true: expected gfortran; set OSHEN_FC\n"))


if __name__ == "__main__":
    raced_program.main(Fortran)
