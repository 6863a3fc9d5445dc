# SPDX-License-Identifier: BSD-3-Clause
"""oshc++ asks for C++20 where a source includes a header that needs it, and an older standard gives one error. A mistake in
the use of oshen.hpp is one error of the compiler, which names the rule.

  standard_test.py OSHC++
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WRAPPER = sys.argv.pop(1)
INCLUDE = Path(__file__).resolve().parents[3] / "include"
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
        for header in ("oshen", "session", "symmetric", "collectives", "exchange", "fft"):
            done = self.told(f"#include <oshen/{header}.hpp>\n", "-std=c++17", "-fsyntax-only")
            errors = [line for line in done.stderr.splitlines() if "error:" in line]
            self.assertEqual(len(errors), 1, done.stderr)
            self.assertIn("needs C++20: compile with oshc++ or -std=c++20", errors[0])


MISTAKES = {  # statement: words in what the compiler says
    "oshen::symmetric_array<std::vector<int>> a(3);": "is_trivially_copyable_v",
    "const oshen::symmetric_array<double> c = b;": "deleted",
    "counter.fetch_add(0, 1.0);": "countable",
    "counter.fetch_or(0, 1.0);": "maskable",
    "words.wait_until(SHMEM_CMP_EQ, words_t{});": "awaitable",
    "oshen::and_reduce(b, b);": "bitwise",
    "oshen::request r = oshen::or_reduce_async(b, b);": "bitwise",
    "b.put(0, f);": "deleted",
    "b.get(0, f);": "deleted",
    "oshen::pending p = b.put_async(0, f);": "deleted",
    "oshen::pending p = b.get_async(0, f);": "deleted",
    "b.put_signal(0, f, arrived, 1);": "deleted",
    "oshen::pending p = b.put_signal_async(0, f, arrived, 1);": "deleted",
}
BEFORE = """#include <oshen/oshen.hpp>
#include <vector>
struct words_t { long word[2]; };
void use(oshen::symmetric_array<double>& b, std::vector<float>& f, oshen::symmetric<double>& counter,
         oshen::symmetric<words_t>& words, oshen::signal& arrived) {
  (void)b, (void)f, (void)counter, (void)words, (void)arrived;
"""


class Mistakes(unittest.TestCase):
    def told(self, compiler, *statements):
        text = BEFORE + "".join(f"{{ {statement} }}\n" for statement in statements) + "}\n"
        return subprocess.run([compiler, "-std=c++20", "-x", "c++", "-fsyntax-only", f"-I{INCLUDE}", "-"], input=text,
                              capture_output=True, text=True).stderr

    def test_each_is_one_error_and_few_lines(self):
        first = BEFORE.count("\n") + 1
        for compiler in filter(shutil.which, ("g++", "clang++")):
            self.assertEqual(self.told(compiler, "b.put(0, std::vector<double>(3));", "b.put(0, b);"), "")
            told = self.told(compiler, *MISTAKES)
            pieces = re.split(r"^<stdin>:(\d+):\d+: error: ", told, flags=re.M)
            self.assertEqual([int(line) for line in pieces[1::2]], list(range(first, first + len(MISTAKES))), told)
            for (mistake, words), piece in zip(MISTAKES.items(), pieces[2::2], strict=True):
                with self.subTest(compiler=compiler, mistake=mistake):
                    self.assertLessEqual(piece.count("\n"), 24)
                    self.assertIn(words, piece)


if __name__ == "__main__":
    unittest.main()
