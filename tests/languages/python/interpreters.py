# SPDX-License-Identifier: BSD-3-Clause
"""Other versions of Python, from Debian's releases, unpacked and not installed. Each lies in a folder of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

MIRROR = "http://deb.debian.org/debian"


class Release(NamedTuple):
    suite: str  # a release of Debian
    python: str
    numpy: str  # a requirement for pip


OLDEST = Release("bullseye", "3.9", "numpy==1.24.*")  # the oldest of both that pyproject.toml promises
NEWEST = Release("trixie", "3.13", "numpy>=2,<3")


def run(*words: object) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"versions: {' '.join(map(str, words))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def _apt(folder: Path, *words: str) -> None:
    """apt-get with lists, archives and a status of its own, so that this machine keeps its packages."""
    places = {"Dir::Etc::sourcelist": folder / "sources.list", "Dir::Etc::sourceparts": "-", "Dir::State::lists": folder / "lists",
              "Dir::Cache": folder / "cache", "Dir::State::status": folder / "status", "Debug::NoLocking": 1}
    run("apt-get", "-q", "-y", *(f"-o{name}={value}" for name, value in places.items()), *words)


def _unpacked(release: Release, folder: Path) -> Path:
    """The root with Python and all packages that it needs."""
    root = folder / "root"
    if (root / "complete").exists():
        return root
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial", "root"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(f"deb {MIRROR} {release.suite} main\n")
    _apt(folder, "update")
    _apt(folder, "install", "--download-only", "--no-install-recommends", f"python{release.python}")
    for package in sorted((folder / "cache/archives").glob("*.deb")):
        run("dpkg", "-x", package, root)
    shutil.rmtree(folder / "lists")
    shutil.rmtree(folder / "cache")
    (root / "complete").touch()
    return root


def _library_folders(root: Path) -> list[Path]:
    return [folder for base in ("usr/lib", "lib") for folder in (root / base).glob("*-linux-gnu")]


def _glibc(root: Path) -> tuple[int, ...]:
    """The newest version of symbols in the C library."""
    library = next(path for folder in _library_folders(root) for path in folder.glob("libc.so.6"))
    versions = re.findall(rb"GLIBC_([0-9]+)[.]([0-9]+)", library.read_bytes())
    return max((int(major), int(minor)) for major, minor in versions)


def _start(root: Path, python: Path, folder: Path) -> str:
    """The words that start this Python. liboshen.so may need the C library of this machine, or a newer one. Therefore an older
    Python runs with the C library of this machine, and takes from its own release only the libraries that are missing here."""
    if _glibc(root) > _glibc(Path("/")):
        loader = next(path for base in ("lib64", "usr/lib64", "lib", "usr/lib") for path in (root / base).glob("ld-linux-*.so.*"))
        places = ":".join(map(str, _library_folders(root)))
        return f'exec "{loader}" --library-path "{places}" --argv0 "{python}" "{python}"'
    own = folder / "missing-here"
    own.mkdir(exist_ok=True)
    here = {path.name for place in _library_folders(Path("/")) for path in place.glob("lib*.so.*")}
    for place in _library_folders(root):
        for library in place.glob("lib*.so.*"):
            if library.name not in here and not (own / library.name).exists():
                (own / library.name).symlink_to(library)
    return f'LD_LIBRARY_PATH="{own}" exec "{python}"'


def interpreter(release: Release, place: Path) -> Path:
    """A script that starts this release's Python with its NumPy; fetched on the first call."""
    folder = place / release.python
    root = _unpacked(release, folder)
    packages = folder / "site-packages"
    if not (packages / "numpy").exists():
        run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:",
            "--python-version", release.python, "--target", packages, release.numpy)
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nPYTHONHOME="{root}/usr" PYTHONPATH="$PYTHONPATH:{packages}" '
                      f'{_start(root, root / f"usr/bin/python{release.python}", folder)} "$@"\n')
    script.chmod(0o755)
    return script

