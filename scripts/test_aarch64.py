#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the library, its tools and the benchmarks for 64-bit ARM, with warnings as errors, and runs unit, spec and litmus
tests under QEMU, on a machine of any kind: `ninja aarch64`, after scripts/setup.sh aarch64.

  test_aarch64.py FOLDER [argument of ctest ...]    FOLDER: for the build, which is kept

docs/design/completion-and-ordering.md explains which errors these tests can find.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
TOOLCHAIN = SOURCE / "cmake/aarch64.cmake"
GOOGLE_TEST = Path("/usr/src/googletest")  # Debian: googletest
# Headers of Debian packages. They are linked into a folder of their own, because /usr/include also has the headers of this
# machine's glibc.
HEADERS = {"CLI": "CLI11_INCLUDE_DIR", "nlohmann": "JSON_INCLUDE_DIR", "rdma": "OFI_INCLUDE_DIR", "ucp": "UCX_INCLUDE_DIR",
           "uct": "UCX_INCLUDE_DIR", "ucs": "UCX_INCLUDE_DIR"}
TARGETS = ["oshen", "oshrun", "oshinfo", "oshen_unit", "fft_geometry_test", "litmus_program", "litmus_without_quiet",
           "tests/spec/all", "bench-cases"]
# The instructions for orderings that x86 always guarantees: the table of docs/design/completion-and-ordering.md. The
# emulator would not notice a missing one.
INSTRUCTIONS = {
    "pshmem_fence": r"dmb\s+ish\n", "pshmem_quiet": r"dmb\s+ish\n",
    "_ZN5oshen2op10clear_lockENS0_9call_siteEPl": r"dmb\s+ish\n",
    "pshmem_long_p": "stlr", "pshmem_long_put": "stlr", "pshmem_long_atomic_set": "stlr",
    "pshmem_long_g": "ldar", "pshmem_long_atomic_fetch": "ldar",
    "_ZN5oshen2op4testIlEEiNS0_9call_siteEPT_iS3_": "ldar",
    "pshmem_long_get": r"dmb\s+ishld", "pshmem_long_iget": r"dmb\s+ishld",
    "pshmem_long_atomic_fetch_add": "ldaddal|ldadd8_acq_rel|ldaxr",
}
LABELS = "^(unit|spec|litmus)$"


def run(*words: object) -> None:
    done = subprocess.run([str(word) for word in words])
    if done.returncode != 0:
        sys.exit(f"aarch64: {' '.join(map(str, words))}: status {done.returncode}")


def configure(build: Path, source: Path, **settings: object) -> None:
    run("cmake", "-G", "Ninja", "-S", source, "-B", build, "--log-level=WARNING", f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}",
        *(f"-D{name}={value}" for name, value in settings.items()))


def google_test(folder: Path) -> Path:
    """Builds Google Test; returns the folder of its configuration for CMake."""
    configure(folder, GOOGLE_TEST, BUILD_GMOCK="OFF", CMAKE_INSTALL_PREFIX=folder / "installed", CMAKE_BUILD_TYPE="Release")
    run("cmake", "--build", folder, "--target", "install", "--", "--quiet")
    return next((folder / "installed").rglob("GTestConfig.cmake")).parent


def headers(folder: Path) -> dict[str, Path]:
    """The folders of headers, by CMake variable."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in HEADERS:
        if not Path("/usr/include", name).exists():
            sys.exit(f"aarch64: /usr/include/{name} is missing: run scripts/setup.sh aarch64")
        if not (folder / name).exists():
            (folder / name).symlink_to(Path("/usr/include", name))
    return {variable: folder for variable in HEADERS.values()}


def check_instructions(library: Path) -> None:
    for function, wanted in INSTRUCTIONS.items():
        text = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", f"--disassemble={function}", library],
                              capture_output=True, text=True, check=True).stdout
        if not re.search(wanted, text):
            sys.exit(f"aarch64: {function} has no {wanted}:\n{text}")
    print(f"aarch64: {len(INSTRUCTIONS)} functions have the instructions that keep order")


def main() -> int:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    configure(build, SOURCE, CMAKE_BUILD_TYPE="RelWithDebInfo", OSHEN_WERROR="ON", OSHEN_BENCH="ON", OSHEN_OPENMPI="OFF",
              OSHEN_MPICH="OFF", OSHEN_FFTW="OFF", OSHEN_OFI="ON", OSHEN_UCX="ON", GTest_DIR=google_test(build / "gtest"),
              **headers(build / "headers"))
    run("cmake", "--build", build, "-j", os.cpu_count(), "--target", *TARGETS)
    check_instructions(build / "lib/liboshen.so")
    return subprocess.run(["ctest", "--test-dir", build, "--label-regex", LABELS, "--output-on-failure", "--no-tests=error",
                           *sys.argv[2:]]).returncode


if __name__ == "__main__":
    sys.exit(main())
