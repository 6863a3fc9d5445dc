# SPDX-License-Identifier: BSD-3-Clause
"""oshc++ asks for C++20 where a source includes a header that needs it, and an older standard gives one error.

  standard_test.py OSHC++
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WRAPPER = sys.argv.pop(1)
WITH_HEADER = "  #  include <oshen/oshen.hpp>\nint main() { return oshen::my_pe(); }\n"
WITHOUT = "// #include <oshen/oshen.hpp>\nint main() {}\n"


class Standard(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="oshen standard ")
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def told(self, text, *options, after=(), compiler=None):
        source = self.folder / "program.cpp"
        source.write_text(text)
        environment = {**os.environ, **({"OSHEN_CXX": str(compiler)} if compiler else {})}
        return subprocess.run([WRAPPER, *options, source, *after], capture_output=True, text=True, env=environment)

    def test_the_compiler_accepts_it(self):
        done = self.told(WITH_HEADER, "-fsyntax-only")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_only_where_it_is_needed(self):
        old = self.folder / "old compiler"  # one whose default is C++17, or C++23
        for default, expected in ((201703, True), (202302, False)):
            old.write_text(f'#!/bin/sh\necho "#define __cplusplus {default}L"\n')
            old.chmod(0o755)
            compiler = self.folder / "compiler"
            compiler.unlink(missing_ok=True)
            compiler.symlink_to(old)
            os.environ["PATH"] = f"{self.folder}:{os.environ['PATH']}"
            told = self.told(WITH_HEADER, "-show", compiler="compiler").stdout
            self.assertEqual("-std=gnu++20" in told, expected, told)
            self.assertNotIn("-std=", self.told(WITHOUT, "-show", compiler="compiler").stdout)
        self.assertNotIn("gnu++20", self.told(WITH_HEADER, "-show", "-std=c++23").stdout)
        self.assertNotIn("gnu++20", self.told(WITH_HEADER, "-show", after=("-std=c++17",)).stdout)

    def test_an_older_standard_is_one_error(self):
        for header in ("oshen", "exchange", "fft"):
            done = self.told(f"#include <oshen/{header}.hpp>\n", "-std=c++17", "-fsyntax-only")
            errors = [line for line in done.stderr.splitlines() if "error:" in line]
            self.assertEqual(len(errors), 1, done.stderr)
            self.assertIn("needs C++20: compile with oshc++ or -std=c++20", errors[0])


if __name__ == "__main__":
    unittest.main()
