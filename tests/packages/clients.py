#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds clients that expect the names of another OpenSHMEM library, from their registry, on an installation with our
component `names`: `ninja clients` (minutes; needs the registry).

  clients.py BUILD    openshmem-sys of crates.io, which uses Sandia's names (cargo, and libclang for its bindgen)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run(*words: object, **environment: object) -> str:
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **{name: str(value) for name, value in environment.items()}})
    if done.returncode != 0:
        sys.exit(f"clients: {' '.join(map(str, words))}: status {done.returncode}")
    return done.stdout


def libclang() -> Path:
    found = sorted(Path("/usr/lib").glob("llvm-*/lib/libclang*.so*"))
    if not found:
        sys.exit("clients: no libclang: install clang")
    return found[-1].parent


def rust(prefix: Path, folder: Path) -> None:
    crate = folder / "rust"
    shutil.copytree(HERE / "rust", crate)
    run("cargo", "build", "--quiet", "--manifest-path", crate / "Cargo.toml", SHMEM_INSTALL_DIR=prefix,
        LIBCLANG_PATH=libclang())
    told = run(prefix / "bin/oshrun", "-n", 3, crate / "target/debug/hello", LD_LIBRARY_PATH=prefix / "lib")
    if told != "3 of 3\n":
        sys.exit(f"clients: openshmem-sys: three PEs say {told!r}")
    print("clients: openshmem-sys: runs")


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="oshen-clients-") as place:
        folder = Path(place)
        for component in ("runtime", "development", "names"):
            run("cmake", "--install", sys.argv[1], "--prefix", folder / "oshen", "--component", component)
        rust(folder / "oshen", folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
