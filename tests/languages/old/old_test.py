#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of old standards of C and C++, and the names that other libraries give to the wrappers and to the library.

  old_test.py BIN    BIN: the folder of oshcc
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from patience import patient

HERE = Path(__file__).resolve().parent
BIN = Path(sys.argv.pop(1))
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")


class Old(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="oshen-old-")
        self.addCleanup(self.folder.cleanup)
        self.program = Path(self.folder.name) / "program"

    def told(self, *command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def works(self, compiler, source, *flags, launcher="oshrun"):
        with self.subTest(compiler=compiler, flags=flags):
            self.told(BIN / compiler, *flags, HERE / source, "-o", self.program)
            self.assertEqual(self.told(*patient([str(BIN / launcher), "--timeout", "60"]), "-n", 2, self.program), "old: ok\n")

    def test_standards_of_cxx(self):
        for standard in ("-std=c++98", "-std=gnu++98", "-std=c++03", "-ansi", "-std=c++11", "-std=c++14", "-std=c++20"):
            self.works("oshc++", "old.cpp", *WARNINGS, "-Wno-long-long", standard)

    def test_standards_of_c(self):
        for standard in ("-std=c99", "-std=gnu99", "-std=c11", "-std=gnu17"):
            self.works("oshcc", "old.c", *WARNINGS, standard)
            self.works("oshcc", "old.c", *WARNINGS, standard, "-DOSHEN_LEGACY_NAMES")
        self.works("oshcc", "old.c", "-std=gnu89", "-DOSHEN_LEGACY_NAMES")

    def test_the_names_of_a_program_stay_its_own(self):
        """A program may call its own variables my_pe and num_pes."""
        source = Path(self.folder.name) / "own.c"
        source.write_text("#include <shmem.h>\nint my_pe, num_pes;\nint main(void) { return my_pe + num_pes; }\n")
        self.told(BIN / "oshcc", *WARNINGS, source, "-o", self.program)

    def test_names_of_wrappers_and_libraries(self):
        self.works("shmemcc", "old.c", "-lsma", launcher="shmemrun")
        for wrapper in ("shmemc++", "shmemcxx", "shmemCC", "oshCC"):
            self.works(wrapper, "old.cpp", "-loshmem", launcher="shmemrun")
        self.assertEqual(self.told(BIN / "shmemcc", "--showme:libs"), "oshen pthread\n")
        self.assertIn("fort", self.told(BIN / "shmemfort", "--showme:command"))
        self.assertEqual(self.told(BIN / "oshcc", "--showme:libdirs").strip(), str((BIN / "../lib").resolve()))
        self.assertTrue((Path(self.told(BIN / "oshcc", "--showme:incdirs").strip()) / "shmem.h").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
