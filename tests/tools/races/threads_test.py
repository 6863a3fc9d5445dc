#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles threads.c and openmp.c with `oshcc --races` and runs every race and its right twin.

usage: threads_test.py --bin FOLDER FOLDER_OF_SOURCES
"""

import os
import shutil
import subprocess

import raced_program

BETWEEN_THREADS = r"nothing orders them: the threads need a lock or a barrier"
# The object of each race, and what the report asks for.
THREADS = {
    "start": ("sum", BETWEEN_THREADS), "join": (r"data\[0\]", BETWEEN_THREADS), "unlocked": ("sum", BETWEEN_THREADS),
    "meet": (r"data\[\d\]", BETWEEN_THREADS), "signals": (r"data\[1\]", BETWEEN_THREADS),
    "posts": (r"data\[1\]", BETWEEN_THREADS),
    # The thread that tells may also be the first.
    "tells": (r"data\[0\]", "(PE 0 needs to synchronise its threads before the shmem_long_atomic_set|nothing orders them)"),
    "learns": (r"data\[63\]", "nothing orders them: PE [01] must tell PE [01]"),
    "quiets": (r"data\[3\]", "PE 0 needs a quiet between them"),
}
OPENMP = {"region": (r"data\[\d+\]", BETWEEN_THREADS), "loop": (r"data\[\d+\]", BETWEEN_THREADS),
          "critical": ("sum", BETWEEN_THREADS), "locks": ("sum", BETWEEN_THREADS)}


class Threads(raced_program.RacedProgram):
    @classmethod
    def compile(cls):
        """Each test compiles its own program."""

    def compiled(self, compiler, name, flag):
        program = self.folder / f"{name}_{compiler}"
        done = subprocess.run([self.tools / "oshcc", "--races", "-O1", flag, self.source / f"{name}.c", "-o", program],
                              stderr=subprocess.DEVNULL, env={**os.environ, "OSHEN_CC": compiler})
        return program if done.returncode == 0 else None

    def run_case(self, program, name, form):
        return raced_program.run(self.tools / "oshrun", program, 2, name, form)

    def check_races(self, program, races):
        for name, (thing, missing) in races.items():
            status, output = self.run_case(program, name, "wrong")
            self.assertEqual(status, raced_program.RACES_FOUND, f"{name}: {output}")
            self.assertRegex(output, rf"oshen: race on {thing} \(static\) of PE \d: [^\n]*: {missing}")

    def check_silence(self, program, names):
        for name in names:
            self.assertEqual(self.run_case(program, name, "right"), (0, "done\n"), name)

    def test_posix_threads(self):
        for compiler in filter(shutil.which, ("gcc", "clang")):
            program = self.compiled(compiler, "threads", "-pthread")
            self.check_races(program, THREADS)
            self.check_silence(program, THREADS)

    def test_openmp(self):
        program = self.compiled("gcc", "openmp", "-fopenmp")
        self.check_races(program, OPENMP)
        self.check_silence(program, [*OPENMP, "tasks"])

    def test_openmp_of_llvm_is_silent(self):
        program = self.compiled("clang", "openmp", "-fopenmp") if shutil.which("clang") else None
        if program is None:
            self.skipTest("clang has no OpenMP here")
        self.check_silence(program, [*OPENMP, "tasks"])


if __name__ == "__main__":
    raced_program.main(Threads)
