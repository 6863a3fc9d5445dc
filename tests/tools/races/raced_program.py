# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of a program with the detector share: the program is compiled once, in a folder that goes with the tests."""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RACES_FOUND = 66  # the exit status of a program in which races were found


def compile_with(oshcc: Path, compiler: str, source: Path, program: Path) -> None:
    command = [oshcc, "--races", "-O2", source, "-o", program]
    subprocess.run(command, check=True, env={**os.environ, "OSHEN_CC": compiler})


def run(oshrun: Path, program: Path, pes: int, name: str, form: str) -> tuple[int, str]:
    command = [oshrun, "--timeout", "100", "-n", str(pes), program, name, form]
    job = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return job.returncode, job.stdout


class RacedProgram(unittest.TestCase):
    tools: Path
    source: Path  # a file, or the folder of several
    folder: Path
    program: Path

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.program = cls.folder / cls.source.stem
        cls.compile()

    @classmethod
    def compile(cls):
        compile_with(cls.tools / "oshcc", "gcc", cls.source, cls.program)

    def run_program(self, *words, **settings):
        """The status and the output of three PEs."""
        command = [self.tools / "oshrun", "--timeout", "100", "-n", "3", self.program, *words]
        job = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **settings})
        return job.returncode, job.stdout


def main(tests):
    """Runs the tests of a class with the tools and the source that the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("source", type=Path)
    options = parser.parse_args()
    tests.tools, tests.source = options.bin, options.source
    unittest.main(argv=[sys.argv[0]], verbosity=2)
