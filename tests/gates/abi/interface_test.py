#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The gate on the interface notices each way of breaking programs of the last release, and accepts additions.

  interface_test.py GCC
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GCC = sys.argv.pop(1)


def check(root: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-B", ROOT / "scripts/check_symbols.py", "interface", "--cc", GCC, "--root", root],
                          capture_output=True, text=True)


class Interface(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A clone in which 0.1.0 is released, with the headers of today."""
        cls.root = Path(tempfile.mkdtemp(prefix="oshen-interface-"))
        cls.addClassCleanup(shutil.rmtree, cls.root)
        shutil.copytree(ROOT / "include", cls.root / "include")
        cls.grown = cls.root / "tests/gates/abi/grown.abignore"
        cls.grown.parent.mkdir(parents=True)
        shutil.copy(ROOT / "tests/gates/abi/grown.abignore", cls.grown)
        cls.changes = cls.root / "CHANGELOG.md"
        cls.changes.write_text("# Changelog\n\n## Unreleased\n\n## 0.1.0\n")
        who = ("-c", "user.name=a test", "-c", "user.email=nobody@localhost")
        for words in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "0.1.0"), ("tag", "v0.1.0")):
            subprocess.run(["git", *words], cwd=cls.root, check=True)

    def changed(self, header: str, old: str, new: str) -> subprocess.CompletedProcess:
        path = self.root / "include" / header
        before = path.read_text()
        self.assertIn(old, before)
        path.write_text(before.replace(old, new, 1))
        done = check(self.root)
        path.write_text(before)
        return done

    def breaks(self, header: str, old: str, new: str, says: str) -> None:
        done = self.changed(header, old, new)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, says)

    def test_the_same(self):
        done = check(self.root)
        self.assertEqual((done.returncode, done.stdout), (0, "interface against 0.1.0: all is there\n"), done.stderr)

    def test_before_the_first_release(self):
        before = self.changes.read_text()
        self.changes.write_text("# Changelog\n\n## Unreleased\n")
        done = check(self.root)
        self.changes.write_text(before)
        self.assertEqual((done.returncode, done.stdout), (0, "interface: nothing is released yet\n"), done.stderr)

    def test_a_release_without_its_tag(self):
        before = self.changes.read_text()
        self.changes.write_text(before.replace("0.1.0", "0.2.0"))
        done = check(self.root)
        self.changes.write_text(before)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("git fetch origin tag v0.2.0", done.stderr)

    def test_a_structure_that_grows(self):
        """Only if it is named, and only at its end."""
        end, begin = "} oshen_message_t;", "  long wish;\n} oshen_message_t;"
        self.breaks("oshen/exchange.h", end, begin, "oshen_message")
        before = self.grown.read_text()
        self.grown.write_text("[suppress_type]\n  name = oshen_message\n  has_data_member_inserted_at = end\n")
        self.addCleanup(self.grown.write_text, before)
        done = self.changed("oshen/exchange.h", end, begin)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.breaks("oshen/exchange.h", "  size_t bytes;    /* length", "  int bytes; /* length", "oshen_message")

    def test_a_structure_that_a_call_fills_grows(self):
        end, begin = "} shmemx_heap_info_t;", "  size_t wish;\n} shmemx_heap_info_t;"
        self.breaks("shmemx.h", end, begin, "shmemx_heap_info_t")
        before = self.grown.read_text()
        self.grown.write_text("[suppress_type]\n  name = shmemx_heap_info_t\n  has_data_member_inserted_at = end\n")
        self.addCleanup(self.grown.write_text, before)
        done = self.changed("shmemx.h", end, begin)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_new_functions(self):
        old = "int shmemx_heap_info("
        self.assertEqual(self.changed("shmemx.h", old, f"int shmemx_news(int);\n{old}").returncode, 0)

    def test_function_removed(self):
        self.breaks("oshen/exchange.h", "void oshen_plan_destroy(", "void oshen_plan_forget(", "Removed function[^{]*{oshen_plan_destroy}")

    def test_argument_type(self):
        self.breaks("oshen/fft.h", "int oshen_fft_test(oshen_fft_t* fft);", "int oshen_fft_test(oshen_fft_t* fft, int patience);",
                    "oshen_fft_test")
        self.breaks("oshen/fft.h", "oshen_fft_need_t* need, size_t", "oshen_plan_attr_t* need, size_t", "pointed to type")

    def test_structure_member(self):
        self.breaks("oshen/exchange.h", "  size_t bytes;    /* length", "  int bytes; /* length", "oshen_message")
        self.breaks("oshen/exchange.h", "  const char* strategy; /*", "  long wish;\n  const char* strategy; /*", "oshen_plan_attr")

    def test_value_of_an_enumeration(self):
        self.breaks("oshen/fft.h", "OSHEN_FFT_DOUBLE = 0,", "OSHEN_FFT_HALF = 0, OSHEN_FFT_DOUBLE,", "enumerator")


if __name__ == "__main__":
    unittest.main(verbosity=2)
