#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cases of a user's own: the file of docs/user/bench-own.md is measured, and each mistake in such a file gets its
message."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OSHBENCH = Path(os.environ["BIN"]) / "oshbench"
PAGE = ROOT / "docs/user/bench-own.md"
EXAMPLE = re.search(r"```c\n(// mine\.c\n.*?)```", PAGE.read_text(), re.S)[1]
WATCHDOG = 240


class OwnCases(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        """All tests share compiled programs, but each has a folder of its own."""
        cls.shared = tempfile.TemporaryDirectory(prefix="oshbench-own-")
        cls.addClassCleanup(cls.shared.cleanup)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="oshbench-own-")
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)

    def write(self, text: str, name: str = "mine.c") -> str:
        (self.place / name).write_text(text)
        return name

    def oshbench(self, *words: object, status: int) -> str:
        env = os.environ | {"XDG_CONFIG_HOME": str(self.place / "config"), "NO_COLOR": "1"}
        done = subprocess.run([sys.executable, "-B", OSHBENCH, *map(str, words), "--work", f"{self.shared.name}/work"],
                              cwd=self.place, env=env, capture_output=True, text=True, timeout=WATCHDOG, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def run_it(self, *words: object, status: int = 0) -> str:
        return self.oshbench("run", *words, "-L", "oshen", "-r", 1, "--no-doctor", "-o", "run.json", status=status)

    def refused(self, text: str) -> str:
        return self.run_it("--cases", self.write(text), status=2)

    def test_the_file_of_the_page_is_measured(self) -> None:
        said = self.run_it("--cases", self.write(EXAMPLE))
        self.assertRegex(said, r"my\.halo +8 B .*a halo, written and handed over")
        saved = json.loads((self.place / "run.json").read_text())
        self.assertEqual(saved["command"], "oshbench run my.halo --cases mine.c -r 1 -L oshen")
        (launch,) = saved["launches"]
        self.assertEqual({entry["case"] for entry in launch["records"]}, {"my.halo"})
        self.assertEqual({entry["size"] for entry in launch["records"]}, {8, 1024, 65536})
        self.assertIn("a halo, written and handed over", self.oshbench_show())

    def oshbench_show(self) -> str:
        """A later command has only the file of the run, not that of the cases."""
        done = subprocess.run([sys.executable, "-B", OSHBENCH, "show", "run.json"], cwd=self.place, capture_output=True,
                              text=True, timeout=WATCHDOG, check=True)
        return done.stdout

    def test_its_faults_are_planted(self) -> None:
        said = self.oshbench("verify", "--cases", self.write(EXAMPLE), status=0)
        self.assertIn("ok  no fault\nok  put omits the last number: my.halo\n", said)
        said = self.oshbench("verify", "--cases", self.write(EXAMPLE.replace("return false;", "return true;")),
                             status=1)
        self.assertIn("BAD put omits the last number: my.halo  NOT NOTICED by my.halo", said)

    def test_a_wrong_result_is_told_also_without_a_kind(self) -> None:
        text = re.sub(r"BENCH_KINDS.*\n", "", EXAMPLE).replace("operation + i;", "operation;")
        said = self.run_it("--cases", self.write(text), status=1)
        self.assertIn("! WRONG RESULT in oshen: my.halo", said)
        self.assertRegex(said, r"my\.halo .*a case of your own")

    def test_what_the_compiler_says_is_shown(self) -> None:
        said = self.refused(EXAMPLE.replace("shmem_long_put(arrived", "shmem_lnog_put(arrived"))
        self.assertIn("--cases mine.c: does not compile for oshen\n", said)
        self.assertRegex(said, r"mine\.c:\d+:\d+: error: implicit declaration of function .shmem_lnog_put")
        self.assertIn("^~~~", said)

    def test_a_clashing_name_is_refused(self) -> None:
        said = self.refused(EXAMPLE.replace("my.halo", "put"))
        self.assertIn("--cases mine.c: case put: oshbench has cases put; choose another name, for example my.put", said)
        self.write(EXAMPLE, "second.c")
        said = self.run_it("--cases", self.write(EXAMPLE), "--cases", "second.c", status=2)
        self.assertIn("--cases mine.c second.c: case my.halo is registered 2 times", said)

    def test_a_file_without_a_case_is_refused(self) -> None:
        self.assertIn("no cases are registered; BENCH_CASES(bench_any_pes, cases) is expected",
                      self.refused(EXAMPLE.replace("BENCH_CASES(bench_any_pes, cases)\n", "")))
        self.assertIn("case my.halo: it has no function 'valid'",
                      self.refused(EXAMPLE.replace("body, valid,", "body, NULL,")))
        self.assertIn("axis 'pt3pt': one of pt2pt, ", self.refused(EXAMPLE.replace('"pt2pt"', '"pt3pt"')))

    def test_a_file_that_is_not_there_is_named(self) -> None:
        self.assertEqual(self.run_it("--cases", "none.c", status=2), "oshbench: --cases none.c: no such file\n")
        self.assertIn("a C file is expected", self.run_it("--cases", self.write("", "mine.txt"), status=2))
        self.assertIn("a profile or cases are expected, or --cases FILE.c", self.run_it(status=2))
        self.assertIn("quick is a profile", self.run_it("quick", "--cases", self.write(EXAMPLE), status=2))
        self.assertIn("no MPI library is chosen", self.run_it("--mpi-cases", self.write(EXAMPLE), status=2))

    def test_a_library_that_does_not_compile_is_named(self) -> None:
        said = self.oshbench("run", "--cases", self.write(EXAMPLE), "--library", "bad=shmem:false:true", "-L", "bad",
                             "-r", 1, "--no-doctor", status=2)
        self.assertIn("bad does not work: does not compile", said)


if __name__ == "__main__":
    unittest.main()
