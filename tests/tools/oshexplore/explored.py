# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of `oshrun --explore` share: programs of this folder are compiled once, in a folder that goes with the tests."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


class ExploredProgram(unittest.TestCase):
    tools: Path
    folder: Path

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="oshen-explore-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def built(self, name, *definitions, more=()):
        """The program of a file of this folder. `more`: arguments of the compiler."""
        program = self.folder / "-".join((name, *definitions))
        if not program.exists():
            subprocess.run([self.tools / "oshcc", "--explore", "-O1", *(f"-D{word}" for word in definitions), HERE / f"{name}.c",
                            *more, "-o", program], check=True)
        return program

    def oshrun(self, *words, timeout=240, more=None):
        """`more`: variables of the environment."""
        return subprocess.run([self.tools / "oshrun", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=timeout, check=False, env={**os.environ, **(more or {})})

    def explored(self, name, *definitions, n_pes=2, options=(), arguments=()):
        return self.oshrun("--explore", "-n", n_pes, *options, self.built(name, *definitions), *arguments)

    def assert_right(self, job):
        """All orders were run, and none fails. Returns the outputs of the orders, if oshrun was asked to list them."""
        self.assertEqual(job.returncode, 0, job.stdout)
        self.assertRegex(job.stdout, r"^explore: all \d+ orders? of \d PEs? \(.* s\): no error")
        return re.split(r"^output of \d+ orders?, first of order \d+:\n", job.stdout, flags=re.M)[1:]

    def assert_wrong(self, job, kind, *texts, status=1):
        """The kind of the failure, and texts of the report."""
        self.assertEqual(job.returncode, status, job.stdout)
        self.assertRegex(job.stdout, rf"^explore: {kind}: ")
        for text in texts:
            self.assertIn(text, job.stdout)

    def assert_refused(self, line, *words):
        job = self.oshrun(*words)
        self.assertEqual((job.returncode, job.stdout), (2, f"{line}\n"))


def option(name, otherwise):
    """The value of an option of the test itself."""
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise


def main():
    """Runs the tests of a file with the tools that the command line names."""
    ExploredProgram.tools = Path(option("--bin", "")).resolve()
    unittest.main(module="__main__", argv=[sys.argv[0]], verbosity=2)
