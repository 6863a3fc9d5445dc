#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles without a warning, with the warnings of strict projects:

  headers_alone_test.py headers MPI COMPILER...     each public header alone, in C11 or C++; MPI: a folder with mpi.h, or none
  headers_alone_test.py programs MPI COMPILER...    the C++ programs of tests/languages/cxx

COMPILER: the words that begin a command line.
"""

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
INCLUDE = ROOT / "include"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Werror"]
ONLY_C = ["-std=c11", "-Wstrict-prototypes", "-Wmissing-prototypes"]
ONLY_CXX = ["-Wold-style-cast", "-Wnon-virtual-dtor", "-Woverloaded-virtual"]
CXX20 = {f"oshen/{name}.hpp" for name in ("oshen", "session", "symmetric", "collectives", "exchange", "fft")}  # other headers: C++17
ONLY_CXX_HEADERS = {f"oshen/drop_in/{name}.h" for name in ("heffte", "fft2d", "fft3d", "remap2d", "remap3d")}
PARTS = {"oshen/fftmpi_2d.h"}  # of another header, which includes them
PROGRAMS = ROOT / "tests/languages/cxx"
HAS_MDSPAN = ROOT / "tests/languages/cxx/has_mdspan.cpp"


def needs_mpi(header):
    text = (INCLUDE / header).read_text()
    return "<mpi.h>" in text or any(f'"{name}"' in text for name in
                                    ("mpi.h", "mpi_plans.h", "mpi_fft.h", "heffte_boxes.hpp", "../heffte.hpp", "../fftmpi.h"))


def sources(what, mpi, is_cxx, has_mdspan):
    """Name, standard and text of what must compile."""
    for path in sorted(INCLUDE.rglob("*.h*") if what == "headers" else PROGRAMS.glob("*.cpp")):
        with_mdspan = path.name == "mdspan.hpp" or path.name == "mdspan.cpp"
        if path == HAS_MDSPAN or (with_mdspan and not has_mdspan):
            continue
        if what == "programs":
            yield path.name, "c++23" if with_mdspan else "c++20", path.read_text()
            continue
        header = str(path.relative_to(INCLUDE))
        if header in PARTS or (needs_mpi(header) and mpi == "none") or (not is_cxx and (path.suffix == ".hpp" or header in ONLY_CXX_HEADERS)):
            continue
        standard = "c++23" if with_mdspan else "c++20" if header in CXX20 else "c++17"
        yield header, standard, f"#include <{header}>\nint nothing(void);\nint nothing(void) {{ return 0; }}\n"


def main():
    what, mpi, *compiler = sys.argv[1:]
    is_cxx = "++" in compiler[-1]
    has_mdspan = is_cxx and subprocess.run([*compiler, "-std=c++23", "-E", HAS_MDSPAN], capture_output=True).returncode == 0
    flags = [*WARNINGS, *(ONLY_CXX if is_cxx else ONLY_C), f"-I{INCLUDE}", f"-iquote{PROGRAMS}",
             *(["-isystem", mpi] if mpi != "none" else [])]
    with tempfile.TemporaryDirectory(prefix="oshen-headers-") as folder:

        def complaints(source):
            name, standard, text = source
            file = Path(folder) / (name.replace("/", "_") + (".cpp" if is_cxx else ".c"))
            file.write_text(text)
            done = subprocess.run([*compiler, *flags, *([f"-std={standard}"] if is_cxx else []), "-c", file, "-o", f"{file}.o"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return f"{name}: {done.stdout}" if done.returncode != 0 or done.stdout else ""

        with ThreadPoolExecutor(2) as pool:
            said = list(pool.map(complaints, sources(what, mpi, is_cxx, has_mdspan)))
    wrong = [text for text in said if text]
    print(f"{len(said)} compiled, {len(wrong)} with complaints", *wrong, sep="\n")
    return 1 if wrong or len(said) < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
