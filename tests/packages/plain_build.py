#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The usual build of a packager must work: cmake -DCMAKE_BUILD_TYPE=Release, without other options.

  plain_build.py configure            configures it; checks that warnings are errors in the presets, but not there
  plain_build.py build [NAME ...]     builds it with every installed compiler (minutes each): gcc-12 ..., clang-14 ...,
                                      zig (PyPI's ziglang); and with the oldest supported CMake if that is installed

Environment: SOURCE, the checkout. Compilers: scripts/setup.sh plain.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(os.environ.get("SOURCE", Path(__file__).resolve().parents[2]))
ENVIRONMENT = SOURCE / ".venv-compilers/bin"
OLDEST_CMAKE = ENVIRONMENT / "cmake"


def compilers(folder):
    """Name -> (C, C++)."""
    found = {}
    for family, c, cxx, versions in (("gcc", "gcc", "g++", range(12, 16)), ("clang", "clang", "clang++", range(14, 24))):
        for version in versions:
            pair = shutil.which(f"{c}-{version}"), shutil.which(f"{cxx}-{version}")
            if all(pair):
                found[f"{family}-{version}"] = pair
    if (ENVIRONMENT / "python-zig").exists():
        scripts = folder / "zig-cc", folder / "zig-c++"
        for script, word in zip(scripts, ("cc", "c++")):
            script.write_text(f'#!/bin/sh\nexec "{ENVIRONMENT}/python-zig" {word} "$@"\n')
            script.chmod(0o755)
        found["zig"] = tuple(map(str, scripts))
    return found


def run(*words):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def flags_of(build, *options, cmake="cmake"):
    """All command lines of a configured build, as one text."""
    status, said = run(cmake, "-S", SOURCE, "-B", build, "-DOSHEN_TESTS=OFF", *options)
    if status != 0:
        sys.exit(f"plain: cmake {' '.join(options)} fails:\n{said}")
    commands = json.loads((build / "compile_commands.json").read_text())
    return "\n".join(entry["command"] for entry in commands)


def configure(folder):
    plain = flags_of(folder / "plain", "-DCMAKE_BUILD_TYPE=Release")
    strict = flags_of(folder / "strict", "-DCMAKE_BUILD_TYPE=Release", "-DOSHEN_WERROR=ON")
    presets = json.loads((SOURCE / "CMakePresets.json").read_text())["configurePresets"]
    base = next(p for p in presets if p["name"] == "base")
    problems = []
    if "-Wall" not in plain or "-Werror" in plain:
        problems.append("a plain build warns, and warnings are no errors: its command lines say otherwise")
    if "-Werror" not in strict:
        problems.append("OSHEN_WERROR=ON has no effect")
    problems += problems_of_a_system_installation(folder / "system")
    if base["cacheVariables"].get("OSHEN_WERROR") != "ON":
        problems.append("CMakePresets.json: the base of all presets must switch OSHEN_WERROR on")
    return problems


def problems_of_a_system_installation(build):
    """Folders that the loader searches by default need no rpath; and folders may be absolute."""
    flags_of(build, "-DCMAKE_INSTALL_PREFIX=/usr", "-DCMAKE_INSTALL_LIBDIR=/usr/lib/somewhere", "-DCMAKE_INSTALL_INCLUDEDIR=/usr/include")
    told = (build / "oshen.pc").read_text()
    wrong = [word for word in ("prefix}//", "/usr/lib", "rpath") if word in told]
    if "libdir=${prefix}/lib/somewhere\n" not in told:
        wrong.append("another libdir")
    return [f"oshen.pc for /usr has {word}:\n{told}" for word in wrong]


def build(folder, wanted):
    problems, here = [], compilers(folder)
    cmake = OLDEST_CMAKE if OLDEST_CMAKE.exists() else "cmake"
    for name in wanted or here:
        if name not in here:
            problems.append(f"{name} is not here; there are {', '.join(here)}")
            continue
        c, cxx = here[name]
        place = folder / name
        flags_of(place, "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_CXX_COMPILER={cxx}", cmake=cmake)
        status, said = run(cmake, "--build", place, "-j", os.cpu_count())
        warnings = [line for line in said.splitlines() if "warning:" in line and "/include/c++/" not in line]
        print(f"plain: {name}: {'builds' if status == 0 else 'FAILS'}, {len(warnings)} warnings", flush=True)
        print("\n".join(warnings), end="\n" if warnings else "")
        if status != 0:
            problems.append(f"{name}: " + "\n".join(line for line in said.splitlines() if "error" in line))
        shutil.rmtree(place)
    return problems


def main():
    task = sys.argv[1] if len(sys.argv) > 1 else ""
    if task not in ("configure", "build"):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix="oshen-plain-") as folder:
        problems = configure(Path(folder)) if task == "configure" else build(Path(folder), sys.argv[2:])
    for problem in problems:
        print(f"plain: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
