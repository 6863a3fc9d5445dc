#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the wheel of a release for manylinux_2_28, independent of this machine's glibc.

  wheel.py FOLDER [--machine x86_64|aarch64]    writes oshen-VERSION-py3-none-manylinux_2_28_MACHINE.whl into FOLDER

The compiler is zig from PyPI, which has the symbol versions of every glibc. Only headers that do not depend on this machine
are taken from it. All programs are in .venv-wheel (scripts/setup.sh wheel). The same commit gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
TOOLS = SOURCE / ".venv-wheel/bin"
GLIBC = "2.28"
# Debian: libcli11-dev, nlohmann-json3-dev, libfabric-dev, libucx-dev, libfftw3-dev. They are linked into a folder of their
# own, because /usr/include also has the headers of this machine's glibc.
HEADERS = {"CLI": "CLI11_INCLUDE_DIR", "nlohmann": "JSON_INCLUDE_DIR", "rdma": "OFI_INCLUDE_DIR", "ucp": "UCX_INCLUDE_DIR",
           "uct": "UCX_INCLUDE_DIR", "ucs": "UCX_INCLUDE_DIR", "fftw3.h": "FFTW_INCLUDE_DIR"}
# Debian: libopenmpi-dev; PyPI: mpich (scripts/setup.sh). One mpi.h is valid for all 64-bit machines.
MPI = {"OPENMPI": [f"/usr/lib/{platform.machine()}-linux-gnu/openmpi/include"],
       "MPICH": [SOURCE / ".venv/include", f"/usr/include/{platform.machine()}-linux-gnu/mpich"]}


def fail(message: str) -> None:
    sys.exit(f"wheel: {message}")


def zig() -> Path | None:
    """The compiler itself: its command in bin/ would start a Python for every file."""
    return next(TOOLS.parent.glob("lib/python3*/site-packages/ziglang/zig"), None)


def compilers(folder: Path, machine: str) -> dict[str, Path]:
    """Scripts that call zig, by CMake variable.

    zig compiles its C++ runtime at the first link, which takes minutes. Without `-s` in the command itself it would do so twice, because
    CMake tries a compiler without the flags of the linker.
    """
    always = ["-target", f"{machine}-linux-gnu.{GLIBC}", "-s"]
    words = {"C_COMPILER": ["cc", *always], "CXX_COMPILER": ["c++", *always], "AR": ["ar"], "RANLIB": ["ranlib"]}
    scripts = {}
    for name, arguments in words.items():
        script = scripts[f"CMAKE_{name}"] = folder / name.lower()
        script.write_text(f'#!/bin/sh\nexec "{zig()}" {" ".join(arguments)} "$@"\n')
        script.chmod(0o755)
    return scripts


def headers(folder: Path) -> dict[str, Path]:
    """The folders of headers, by CMake variable."""
    found = {}
    for name, variable in HEADERS.items():
        if not Path("/usr/include", name).exists():
            fail(f"/usr/include/{name} is missing: run scripts/setup.sh wheel")
        (folder / name).symlink_to(Path("/usr/include", name))
        found[variable] = folder
    for mpi, places in MPI.items():
        place = next((p for p in places if Path(p, "mpi.h").exists()), None)
        if place is None:
            fail(f"no mpi.h of {mpi} in {' or '.join(map(str, places))}: run scripts/setup.sh wheel")
        found[f"OSHEN_{mpi}_INCLUDE"] = place
    return found


def settings(folder: Path, machine: str) -> dict[str, object]:
    """The options for CMake."""
    for name in ("tools", "include"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    told = {**compilers(folder / "tools", machine), **headers(folder / "include"), "OSHEN_FFTW": "ON", "OSHEN_OFI": "ON",
            "OSHEN_UCX": "ON", "CMAKE_C_COMPILER_LAUNCHER": "", "CMAKE_CXX_COMPILER_LAUNCHER": ""}
    own_folders = f"-ffile-prefix-map={SOURCE}=. -ffile-prefix-map={folder}=build"  # keeps those of this machine out of the files
    # The headers of libc++ include others for old programs. Without these a file compiles in half the time.
    told |= {"CMAKE_C_FLAGS": own_folders, "CMAKE_CXX_FLAGS": f"{own_folders} -D_LIBCPP_REMOVE_TRANSITIVE_INCLUDES"}
    if machine != platform.machine():
        told |= {"CMAKE_SYSTEM_NAME": "Linux", "CMAKE_SYSTEM_PROCESSOR": machine}
    return told


def commit_time() -> str:
    told = subprocess.run(["git", "-C", SOURCE, "log", "-1", "--format=%ct"], capture_output=True, text=True)
    return told.stdout.strip() or "0"


def build(out: Path, machine: str) -> Path:
    """Builds in FOLDER/build/MACHINE, which is kept, so that only changes are compiled again."""
    folder = (out / "build" / machine).resolve()
    options = [f"-Ccmake.define.{name}={value}" for name, value in settings(folder, machine).items()]
    made = folder / "made"
    shutil.rmtree(made, ignore_errors=True)
    subprocess.run([TOOLS / "python", "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet",
                    "--disable-pip-version-check", "-w", made, f"-Cbuild-dir={folder / 'build'}", "-Cinstall.strip=false",
                    f"-Cwheel.tags=py3-none-manylinux_{GLIBC.replace('.', '_')}_{machine}", *options, SOURCE],
                   env={**os.environ, "SOURCE_DATE_EPOCH": commit_time()}, check=True)
    return Path(shutil.copy(next(made.glob("*.whl")), out))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--machine", choices=["x86_64", "aarch64"], default=platform.machine())
    given = options.parse_args()
    if not zig():
        fail("no .venv-wheel: run scripts/setup.sh wheel")
    print(build(given.folder, given.machine))
    return 0


if __name__ == "__main__":
    sys.exit(main())
