#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of packaging/ can be read, name this release, and use existing CMake options with valid values.

  recipes_test.py BUILD    BUILD/CMakeCache.txt has the options
"""

from __future__ import annotations

import itertools
import re
import sys
import unittest
from pathlib import Path

from recipes import ROOT, VERSION, Spec, conda, easybuild, spack, yaml

CACHE: dict[str, str] = {}  # option: type


def read_cache(build: Path) -> None:
    for name, kind in re.findall(r"^(\w+):(\w+)=", (build / "CMakeCache.txt").read_text(), re.M):
        CACHE[name] = kind


class Recipes(unittest.TestCase):
    def options_are_known(self, words: list[str]) -> None:
        for word in words:
            name, value = re.fullmatch(r"-D(\w+)=(\S+)", word).groups()
            self.assertIn(name, CACHE, f"{word}: CMake has no such option")
            if CACHE[name] != "STRING" or not name.endswith("DIR"):
                self.assertIn(value, ("True", "False", "ON", "OFF"), word)

    def test_spack(self):
        recipe, said = spack()
        self.assertEqual((said.versions, said.extends, said.licenses), ([VERSION], ["python"], ["BSD-3-Clause"]))
        self.assertRegex(recipe.homepage or "", "^https?://")  # Spack names it when it cannot fetch the archive
        self.assertIn(f"oshen-{VERSION}.tar.gz", recipe.url)
        for values in itertools.product((True, False), repeat=len(said.variants)):
            made = recipe()
            made.spec = Spec(dict(zip(said.variants, values)))
            words = made.cmake_args()
            self.options_are_known(words)
            self.assertEqual("-DOSHEN_FFTW=ON" in words, made.spec.chosen["fft"])
        for what, when in said.depends:
            self.assertIn(when.lstrip("+"), ["", *said.variants], what)

    def test_easybuild(self):
        for file, said in easybuild().items():
            chain = said["toolchain"]
            self.assertEqual(file, f"{said['name']}-{said['version']}-{chain['name']}-{chain['version']}.eb")
            self.assertEqual(said["version"], VERSION)
            self.options_are_known(said["configopts"].split())
            for name in said["sanity_check_paths"]["files"]:
                if name.startswith("include/"):
                    self.assertTrue((ROOT / name).exists(), name)

    @unittest.skipUnless(yaml, "no PyYAML of PyPI")
    def test_conda(self):
        said = conda()
        self.assertEqual(said["package"], {"name": "oshen", "version": VERSION})
        self.assertEqual(said["source"]["path"], f"oshen-{VERSION}.tar.gz")
        self.assertIn('pin_subpackage("oshen"', said["requirements"]["run_exports"][0])
        words = [word for line in said["build"]["script"] for word in line.split()]
        ours = [word.strip('"') for word in words if re.match("-D(OSHEN|WITH)_", word)]
        self.assertGreater(len(ours), 2)
        self.options_are_known(ours)
        self.assertTrue((ROOT / said["about"]["license_file"]).exists())


if __name__ == "__main__":
    read_cache(Path(sys.argv.pop(1)))
    unittest.main()
