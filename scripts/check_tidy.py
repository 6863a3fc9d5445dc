#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-tidy with the short list of .clang-tidy on sources of a build folder.

  check_tidy.py BUILD               every source of the library (src/)
  check_tidy.py BUILD FILE ...      these sources

BUILD contains compile_commands.json, which CMake writes. clang-tidy is that of .venv, which requirements.txt pins.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FINDING = re.compile(r"^(\S+?:\d+:\d+: (?:warning|error): .*)$", re.MULTILINE)


def tool() -> str:
    for folder in (Path(sys.prefix) / "bin", ROOT / ".venv/bin"):
        if (folder / "clang-tidy").exists():
            return str(folder / "clang-tidy")
    sys.exit("check_tidy: clang-tidy is not in .venv: run scripts/setup.sh test")


def sources(build: Path) -> list[str]:
    commands = build / "compile_commands.json"
    if not commands.exists():
        sys.exit(f"check_tidy: {commands} is not there: run scripts/build.sh release")
    files = {str(Path(entry["directory"], entry["file"]).resolve()) for entry in json.loads(commands.read_text())}
    return sorted(f for f in files if f.startswith(f"{ROOT}/src/"))


def findings(build: Path, source: str) -> list[str]:
    # Clang does not know some options of GCC; that is no fault of the code.
    done = subprocess.run(
        [tool(), "-p", str(build), "--quiet", "--extra-arg=-Wno-unknown-warning-option"]
        + ["--extra-arg=-Wno-ignored-optimization-argument", source],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return [line.replace(f"{ROOT}/", "") for line in FINDING.findall(done.stdout)] or (
        [f"{source}: clang-tidy: {done.stderr.strip()[-300:]}"] if done.returncode else []
    )


def main() -> int:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    files = [str(Path(f).resolve()) for f in sys.argv[2:]] or sources(build)
    if not files:
        sys.exit("check_tidy: no sources")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = {line for lines in pool.map(lambda f: findings(build, f), files) for line in lines}
    for line in sorted(found):
        print(line)
    print(f"{len(files)} sources, {len(found)} findings")
    return 1 if found else 0


sys.exit(main())
