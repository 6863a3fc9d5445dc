# SPDX-License-Identifier: BSD-3-Clause
"""Other versions of Python, unpacked and not installed, each in a folder of its own. Those that a release of Debian has come from
there. The others come from Maven Central, which has Python for programs in Java (JavaCPP presets; needs mvn, Debian: maven)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

MIRROR = "http://deb.debian.org/debian"


class Release(NamedTuple):
    python: str
    numpy: str  # a requirement for pip
    suite: str = ""  # the release of Debian that has it, or
    artifact: str = ""  # the version of org.bytedeco:cpython


RELEASES = (  # from the oldest to the newest of both that pyproject.toml promises
    Release("3.9", "numpy==1.24.*", suite="bullseye"),
    Release("3.10", "numpy==1.26.*", artifact="3.10.8-1.5.8"),
    Release("3.11", "numpy==1.26.*", suite="bookworm"),
    Release("3.12", "numpy>=2,<3", artifact="3.12.1-1.5.10"),
    Release("3.13", "numpy>=2,<3", suite="trixie"),
)


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


def _unpacked_from_debian(release: Release, folder: Path) -> Path:
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


def _unpacked_from_maven(release: Release, folder: Path) -> Path:
    """The folder with Python, its libraries, and the standard library in lib."""
    platform = "linux-" + os.uname().machine.replace("aarch64", "arm64")
    root = folder / "org/bytedeco/cpython" / platform
    if (root / "complete").exists():
        return root
    if not shutil.which("mvn"):
        sys.exit(f"versions: Python {release.python} comes from Maven Central: no mvn: install maven")
    shutil.rmtree(folder, ignore_errors=True)
    run("mvn", "-q", "-B", "dependency:copy", f"-Dartifact=org.bytedeco:cpython:{release.artifact}:jar:{platform}", f"-DoutputDirectory={folder}")
    (archive,) = folder.glob("*.jar")
    with zipfile.ZipFile(archive) as jar:
        jar.extractall(folder)
    archive.unlink()
    (root / f"python{release.python}").chmod(0o755)
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


def _words(release: Release, folder: Path) -> str:
    """The words of a shell that start this Python."""
    name = f"python{release.python}"
    if release.artifact:
        root = _unpacked_from_maven(release, folder)
        return f'PYTHONHOME="{root}" LD_LIBRARY_PATH="{root}" exec "{root / name}"'
    root = _unpacked_from_debian(release, folder)
    return f'PYTHONHOME="{root}/usr" {_start(root, root / "usr/bin" / name, folder)}'


def interpreter(release: Release, place: Path) -> Path:
    """A script that starts this release's Python with its NumPy; fetched on the first call."""
    folder = place / release.python
    words = _words(release, folder)
    packages = folder / "site-packages"
    if not (packages / "numpy").exists():
        run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:",
            "--python-version", release.python, "--target", packages, release.numpy)
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nexport PYTHONPATH="$PYTHONPATH:{packages}"\n{words} "$@"\n')
    script.chmod(0o755)
    return script
