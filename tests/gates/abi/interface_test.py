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


def check(folder: Path, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-B", ROOT / "scripts/check_symbols.py", "interface", folder / "known.abi", "--cc", GCC,
                           "--headers", folder / "include", *words], capture_output=True, text=True)


class Interface(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="oshen-interface-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        shutil.copytree(ROOT / "include", cls.folder / "include")
        check(cls.folder, "--write").check_returncode()

    def changed(self, header: str, old: str, new: str) -> subprocess.CompletedProcess:
        path = self.folder / "include" / header
        before = path.read_text()
        self.assertIn(old, before)
        path.write_text(before.replace(old, new, 1))
        done = check(self.folder)
        path.write_text(before)
        return done

    def breaks(self, header: str, old: str, new: str, says: str) -> None:
        done = self.changed(header, old, new)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, says)

    def test_the_same(self):
        self.assertEqual(check(self.folder).returncode, 0)

    def test_new_functions(self):
        old = "int shmemx_heap_info("
        self.assertEqual(self.changed("shmemx.h", old, f"int shmemx_news(int);\n{old}").returncode, 0)

    def test_function_removed(self):
        self.breaks("oshen/exchange.h", "void oshen_plan_destroy(", "void oshen_plan_forget(", "Removed function[^{]*{oshen_plan_destroy}")

    def test_argument_type(self):
        self.breaks("oshen/fft.h", "int oshen_fft_test(oshen_fft_t* fft);", "int oshen_fft_test(oshen_fft_t* fft, int patience);",
                    "oshen_fft_test")
        self.breaks("oshen/fft.h", "oshen_fft_need_t* need);", "oshen_plan_attr_t* need);", "pointed to type")

    def test_structure_member(self):
        self.breaks("oshen/exchange.h", "  size_t bytes;    /* length", "  int bytes; /* length", "oshen_message")
        self.breaks("oshen/exchange.h", "  const char* strategy; /*", "  long wish;\n  const char* strategy; /*", "oshen_plan_attr")

    def test_value_of_an_enumeration(self):
        self.breaks("oshen/fft.h", "OSHEN_FFT_DOUBLE = 0,", "OSHEN_FFT_HALF = 0, OSHEN_FFT_DOUBLE,", "enumerator")


if __name__ == "__main__":
    unittest.main(verbosity=2)
