#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Oshen within another project, by FetchContent and by add_subdirectory (embedded/CMakeLists.txt).

  embedded_test.py configure   configures it both ways; what it contains, and what it leaves to the containing project
  embedded_test.py build       also builds and runs its programs (minutes)

Environment: SOURCE, the checkout.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("SOURCE", Path(__file__).resolve().parents[2]))
PROJECT = Path(__file__).resolve().parent / "embedded"


def run(*words):
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class EmbeddedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)

    def command(self, *words):
        done = run(*words)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def configure(self, how, *options):
        self.command("cmake", "-G", "Ninja", "-S", PROJECT, "-B", self.build, f"-DHOW={how}", f"-DOSHEN_SOURCE={SOURCE}",
                     "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options)
        return self.command("ninja", "-C", self.build, "-t", "targets", "all")

    def compiled(self):
        """The files that `ninja` compiles."""
        return [entry["file"] for entry in json.loads((self.build / "compile_commands.json").read_text())]


class Configured(EmbeddedTest):
    def test_it_contains_the_libraries_and_what_runs_programs(self):
        for how in ("fetch", "add"):
            with self.subTest(how):
                targets = self.configure(how)
                for wanted in ("liboshen.so", "liboshen.a", "liboshen-exchange.a", "bin/oshrun", "bin/oshinfo"):
                    self.assertIn(wanted, targets)
                for file in self.compiled():
                    self.assertNotRegex(file, f"^{SOURCE}/(tests/(?!packages)|bench|apps|lammps|python)/")

    def test_it_leaves_the_project_alone(self):
        targets = self.configure("add")
        for taken in ("manual", "wheel", "deb", "tarball", "clients"):
            self.assertNotRegex(targets, rf"(?m)^{taken}: phony")
        cache = (self.build / "CMakeCache.txt").read_text()
        self.assertRegex(cache, r"(?m)^CMAKE_BUILD_TYPE:\w+=$")
        self.assertRegex(cache, r"(?m)^OSHEN_TESTS:BOOL=OFF$")
        self.assertNotIn("-Werror", (self.build / "compile_commands.json").read_text())

    def test_more_of_it_on_request(self):
        self.configure("add", "-DOSHEN_BENCH=ON")
        self.assertTrue(any("/apps/" in file for file in self.compiled()))


class Built(EmbeddedTest):
    def test_its_programs_run(self):
        for how in ("fetch", "add"):
            self.configure(how, "-DCMAKE_BUILD_TYPE=Release")
            self.command("ninja", "-C", self.build)
            self.command("ctest", "--test-dir", self.build, "--output-on-failure")
            self.command("cmake", "--install", self.build, "--prefix", self.build / "installed")
            self.assertTrue((self.build / "installed/include/shmem.h").exists())


if __name__ == "__main__":
    which = {"configure": ["Configured"], "build": ["Configured", "Built"]}[sys.argv[1]]
    unittest.main(argv=[sys.argv[0], *which], verbosity=2)
