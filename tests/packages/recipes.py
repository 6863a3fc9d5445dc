# SPDX-License-Identifier: BSD-3-Clause
"""What the recipes of packaging/ say, as their tools would read them."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

try:
    import yaml
except ImportError:
    yaml = None

ROOT = Path(__file__).resolve().parent.parent.parent
VERSION = re.search(r"project\(oshen VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
PACKAGES = "lib/python3/site-packages"  # the folder of Python packages that the tools would give


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
