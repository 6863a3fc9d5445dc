#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of packaging/ can be read, name this release, and use existing CMake options with valid values.

  recipes_test.py BUILD    BUILD/CMakeCache.txt has the options
"""

from __future__ import annotations

import itertools
import re
import sys
import types
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

try:
    import yaml
except ImportError:
    yaml = None

ROOT = Path(__file__).resolve().parent.parent.parent
VERSION = re.search(r"project\(oshen VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
CACHE: dict[str, str] = {}  # option: type
PACKAGES = "lib/python3/site-packages"  # the folder of Python packages that the tools would give


def read_cache(build: Path) -> None:
    for name, kind in re.findall(r"^(\w+):(\w+)=", (build / "CMakeCache.txt").read_text(), re.M):
        CACHE[name] = kind


class Spec:
    def __init__(self, chosen: dict[str, bool]):
        self.chosen = chosen

    def satisfies(self, what: str) -> bool:
        return self.chosen[what.lstrip("+~")] == what.startswith("+")


def module(name: str, names: dict[str, object]) -> types.ModuleType:
    made = types.ModuleType(name)
    made.__dict__.update(names, __path__=[])
    return made


LANGUAGES = ("c", "cxx", "fortran")
RESERVED = ("arch", "architecture", "build_system", "build_type", "generator", "ipo", "os", "patches", "platform", "target")


def spack_directives(said: SimpleNamespace) -> dict[str, object]:
    """The directives of spack.package (API 2) that the recipe uses, with Spack's parameters and the rules that Spack applies to them."""

    def version(name, checksum=None, *, sha256=None, url=None, preferred=None, deprecated=None):
        said.versions.append(name)

    def variant(name, default=None, description="", values=None, multi=None, validator=None, when=None, sticky=False):
        assert default is not None and name not in RESERVED and re.fullmatch(r"[a-zA-Z_0-9][a-zA-Z_0-9-]*", name), name
        said.variants.setdefault(name, default)

    def depends_on(spec, when="", type=("build", "link"), *, patches=None):
        kinds = {type} if isinstance(type, str) else set(type)
        assert kinds <= {"build", "link", "run", "test"}, f"{spec}: {kinds}"
        assert spec not in LANGUAGES or type == "build", f"{spec}: a language has the type 'build'"
        said.depends.append((spec, when))

    def extends(spec, when=None, type=("build", "run"), *, patches=None):
        said.extends.append(spec)

    def conflicts(conflict_spec, when=None, msg=None):
        pass

    def license(license_identifier, checked_by=None, when=None):
        said.licenses.append(license_identifier)

    return {made.__name__: made for made in (version, variant, depends_on, extends, conflicts, license)}


def spack_generator(*names, default=None):
    assert names and set(names) <= {"make", "ninja"}, names


def spack() -> tuple[type, SimpleNamespace]:
    """Runs the class of the recipe with the arguments that Spack would give; returns it with its declarations.

    The names are where the package API 2 of Spack 1 has them: directives in spack.package, build systems in the repository builtin.
    A name, a parameter or a value that Spack does not know ends the test. Spack itself is not on PyPI.
    """
    said = SimpleNamespace(versions=[], variants={}, depends=[], extends=[], licenses=[])

    class CMakePackage:
        homepage = None

        def define(self, cmake_var, value):
            return f"-D{cmake_var}={value}"

        def define_from_variant(self, cmake_var, variant=None):
            return f"-D{cmake_var}={self.spec.chosen[variant or cmake_var.lower()]}"

    cmake = {"CMakePackage": CMakePackage, "generator": spack_generator}
    api = {"spack.package": spack_directives(said), "spack_repo.builtin.build_systems.cmake": cmake}
    folders = ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems")
    recipe = {"python_platlib": PACKAGES}  # set by the package python, which the recipe extends
    with mock.patch.dict(sys.modules, {name: module(name, api.get(name, {})) for name in (*folders, *api)}):
        exec(compile((ROOT / "packaging/spack/package.py").read_text(), "package.py", "exec"), recipe)
    return recipe["Oshen"], said


def easybuild() -> dict[str, dict]:
    """The contents of each recipe, by the name of its file."""
    said: dict[str, dict] = {}
    for path in (ROOT / "packaging/easybuild").glob("*.eb"):
        said[path.name] = {}
        text = path.read_text().replace("python%(pyshortver)s", "python3")
        exec(compile(text, path.name, "exec"), said[path.name])
    return said


def conda() -> dict:
    """The recipe, with its variables replaced by their values."""
    text = (ROOT / "packaging/conda/recipe.yaml").read_text()
    for name, value in yaml.safe_load(text)["context"].items():
        text = text.replace(f"${{{{ {name} }}}}", value)
    return yaml.safe_load(text)


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
