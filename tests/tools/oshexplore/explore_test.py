# SPDX-License-Identifier: BSD-3-Clause
"""The search of every ordering finds planted errors, and reports nothing of right programs.

  explore_test.py --library build/release/lib/liboshen-explore.so --include DIR [--include DIR ...]

`ninja explore` runs it.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
WRAPPED = ",".join(f"--wrap={name}" for name in ("memcpy", "memmove", "memset", "memcmp"))
asked = argparse.Namespace(library=None, include=[])


class Search(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="oshen-explore-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def built(self, name, *definitions):
        program = self.folder / "-".join((name, *definitions))
        if not program.exists():
            subprocess.run(["cc", "-O1", "-g", *(f"-I{folder}" for folder in asked.include), "-Wp,-fsanitize=thread",
                            *(f"-D{word}" for word in definitions), str(HERE / f"{name}.c"), "-o", str(program),
                            f"-Wl,{WRAPPED}", str(asked.library), f"-Wl,-rpath,{asked.library.parent}"], check=True)
        return program

    def explored(self, name, *definitions, n_pes=2, arguments=()):
        return subprocess.run([str(self.built(name, *definitions)), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=120, check=False, env={**os.environ, "OSHEN_TEST_EXPLORE_PES": str(n_pes)})

    def assert_right(self, job, n_outputs=1):
        self.assertEqual(job.returncode, 0, job.stdout)
        said = re.search(r"^explore: (\d+) orders, 0 redundant, (\d+) different outputs$", job.stdout, re.M)
        self.assertIsNotNone(said, job.stdout)
        self.assertEqual(int(said[2]), n_outputs, job.stdout)

    def assert_wrong(self, job, text):
        self.assertNotEqual(job.returncode, 0, job.stdout)
        self.assertIn(text, job.stdout)

    def test_a_flag_that_is_reset_too_late_is_lost(self):
        for n_pes in (2, 3):
            self.assert_wrong(self.explored("ring", n_pes=n_pes), "deadlock: no PE can go on, and nothing is in flight")

    def test_two_locks_in_two_orders(self):
        self.assert_wrong(self.explored("two_locks"), "deadlock: no PE can go on, and nothing is in flight")

    def test_collectives_in_two_orders(self):
        for n_pes in (2, 3):
            self.assert_wrong(self.explored("collectives", n_pes=n_pes), "where PE 0 calls shmem_long_sum_reduce")

    def test_an_increment_by_get_and_put_is_lost(self):
        for n_pes in (2, 3):
            self.assert_wrong(self.explored("counter", n_pes=n_pes), "c == shmem_n_pes()")
            self.assert_right(self.explored("counter", "ATOMIC", n_pes=n_pes))

    def test_a_source_that_changes_before_quiet(self):
        self.assert_wrong(self.explored("reuse", "EARLY"), "x == 1")
        self.assert_right(self.explored("reuse"))

    def test_a_flag_overtakes_its_message_without_a_fence(self):
        job = self.explored("message")
        self.assert_right(job, 2)
        self.assertIn("x=0", job.stdout)
        self.assert_right(self.explored("message", "FENCE"))

    def test_store_buffering(self):
        self.assert_right(self.explored("store_buffering"), 4)

    def test_a_loop_of_tests_ends(self):
        self.assert_right(self.explored("polling"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--include", action="append", required=True)
    asked, others = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *others])
