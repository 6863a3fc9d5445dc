#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes of packaging/ must build the archive of a release, and their own tests must pass: `ninja recipes`.

  recipes_build.py ARCHIVE [conda|easybuild|spack ...]    runs the steps of each with the programs of this machine (minutes each)

If the tools themselves are installed (scripts/setup.sh recipes), they also read the recipes: rattler-build renders its
recipe, and EasyBuild looks for every package on which its recipe depends.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import recipes

TOOLS = recipes.ROOT / ".venv-recipes/bin"


def run(command: str, folder: Path, **environment: object) -> str:
    """The output of a line of a recipe, which must succeed."""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, capture_output=True, text=True, timeout=3000,
                          env={**os.environ, **{name: str(value) for name, value in environment.items()}})
    if done.returncode != 0:
        raise AssertionError(f"{command}\nstatus {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


class Build(unittest.TestCase):
    archive = Path()

    def setUp(self):
        self.place = Path(tempfile.mkdtemp(prefix="oshen-recipe-"))
        self.addCleanup(shutil.rmtree, self.place)
        run(f"tar xf '{self.archive}' --strip-components=1", self.place)
        self.prefix = self.place / "installed"

    def environment(self) -> dict[str, object]:
        return {"PREFIX": self.prefix, "PYTHON": sys.executable, "CPU_COUNT": os.cpu_count(), "CMAKE_ARGS": "",
                "SP_DIR": self.prefix / recipes.PACKAGES, "PATH": f"{self.prefix}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def by_cmake(self, words: list[str]) -> None:
        for line in (f"cmake -G Ninja -S . -B build -DCMAKE_INSTALL_PREFIX='{self.prefix}' {' '.join(words)}",
                     f"cmake --build build -j {os.cpu_count()}", "cmake --install build"):
            run(line, self.place)

    def test_conda(self):
        said = recipes.conda()
        environment = self.environment()
        for line in said["build"]["script"]:
            run(line, self.place, **environment)
        work = self.place / "work"
        work.mkdir()
        for test in said["tests"]:
            for line in test.get("script", []):
                run(line, work, PYTHONPATH=environment["SP_DIR"], **environment)
            for name in test.get("package_contents", {}).get("bin", []):
                self.assertTrue((self.prefix / "bin" / name).exists(), name)

    def test_easybuild(self):
        for said in recipes.easybuild().values():
            self.by_cmake(said["configopts"].split())
            for kind in ("files", "dirs"):
                for name in said["sanity_check_paths"][kind]:
                    self.assertTrue((self.prefix / name).exists(), name)
            for line in said["sanity_check_commands"]:
                run(line, self.place, **self.environment())

    def test_spack(self):
        recipe, said = recipes.spack()
        made = recipe()
        made.spec = recipes.Spec(said.variants)
        self.by_cmake(made.cmake_args())
        run("oshrun -n 2 oshinfo --version", self.place, **self.environment())


# The common configuration of all recipes of conda-forge.
RENDER = """
import sys, rattler_build
variants = rattler_build.VariantConfig.from_yaml('c_stdlib: [sysroot]\\nc_stdlib_version: ["2.28"]\\n')
for made in rattler_build.Stage0Recipe.from_file(sys.argv[1]).render(variants):
    print(made.recipe.package.name, made.recipe.package.version)
"""


@unittest.skipUnless((TOOLS / "eb").exists(), "no .venv-recipes: run scripts/setup.sh recipes")
class Tools(unittest.TestCase):
    """Each tool reads its own recipe."""

    def test_rattler_build(self):
        recipe = recipes.ROOT / "packaging/conda/recipe.yaml"
        told = subprocess.run([TOOLS / "python", "-c", RENDER, recipe], capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stdout), (0, f"oshen {recipes.VERSION}\n"), told.stderr)

    def test_easybuild(self):
        for recipe in (recipes.ROOT / "packaging/easybuild").glob("*.eb"):
            with tempfile.TemporaryDirectory(prefix="oshen-recipe-") as place:
                said = run(f"eb '{recipe}' --check-style && eb '{recipe}' --dry-run --robot --installpath '{place}'", Path(place),
                           PATH=f"{TOOLS}:{os.environ['PATH']}", LMOD_CMD="/usr/share/lmod/lmod/libexec/lmod",
                           EASYBUILD_ALLOW_USE_AS_ROOT_AND_ACCEPT_CONSEQUENCES=1)
            self.assertIn(f"(module: {recipe.stem.replace('-', '/', 1)})", said)


if __name__ == "__main__":
    Build.archive = Path(sys.argv.pop(1)).resolve()
    sys.argv[1:] = [f"Build.test_{name}" for name in sys.argv[1:]]
    unittest.main(verbosity=2)
