#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the files of a release from the commit that is checked out: `make release KEY=...`.

  release.py FOLDER --build BUILD [--key KEY]

FOLDER gets the archive, the Debian packages, the source distribution and the wheel for PyPI. It also gets the recipes for Spack, conda
and EasyBuild with the checksum of the archive, the list of components (CycloneDX), and SHA256SUMS with its signature. All are checked.
BUILD is a configured build tree. KEY is the file of an ssh key, or the name of a key in gpg; without it nothing is signed. Run
scripts/setup.sh release before.

A user verifies: ssh-keygen -Y verify -f allowed_signers -I NAME -n oshen-release -s SHA256SUMS.sig < SHA256SUMS
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from release_papers import check, fail, fill_recipe, sha256, sign, write_components, write_sums

SOURCE = Path(__file__).resolve().parent.parent
TOOLS = SOURCE / ".venv-wheel/bin"


def run(*words: object) -> str:
    print("release:", " ".join(str(word) for word in words), flush=True)
    done = subprocess.run([str(word) for word in words], cwd=SOURCE, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        fail(f"{words[0]}: status {done.returncode}\n{done.stdout}")
    return done.stdout.strip()


def version() -> str:
    return re.search(r"project\(oshen VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]


def git(*words: str) -> str:
    return subprocess.check_output(["git", *words], cwd=SOURCE, text=True).strip()


def check_tree() -> None:
    """A release is that of a commit."""
    changed = git("status", "--porcelain", "--untracked-files=no")
    if changed:
        fail(f"the tree has changes: commit them first\n{changed}")
    if not (TOOLS / "python-zig").exists():
        fail("no .venv-wheel: run scripts/setup.sh release")


def make_files(folder: Path, build: Path) -> None:
    """The archive, the source distribution, the wheel and the Debian packages, each tested as its target does."""
    run("cmake", "--build", build, "--target", "tarball", "wheel", "deb")
    for path in (build / f"oshen-{version()}.tar.gz", *(build / "debs").glob(f"oshen*_{version()}-*.deb")):
        shutil.copy(path, folder)
    pypi = folder / "pypi"  # the source distribution has the name of the archive
    run(TOOLS / "python", "-c", "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])", pypi)
    for path in (build / "wheels").glob(f"oshen-{version()}-*.whl"):
        shutil.copy(path, pypi)


def write_papers(folder: Path, key: str | None) -> None:
    archive = folder / f"oshen-{version()}.tar.gz"
    for recipe in sorted((SOURCE / "packaging").glob("*/*.*")):
        (folder / recipe.name).write_text(fill_recipe(recipe.name, recipe.read_text(), version(), sha256(archive)))
    write_components(folder, version(), git("rev-parse", "HEAD"), int(git("log", "-1", "--format=%ct")))
    sums = write_sums(folder)
    if key:
        sign(sums, key)
    else:
        print("release: not signed: no --key")
    check(folder, version())


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--build", type=Path, required=True)
    options.add_argument("--key")
    given = options.parse_args()
    check_tree()
    folder = given.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make_files(folder, given.build.resolve())
    write_papers(folder, given.key)
    print((folder / "SHA256SUMS").read_text(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
