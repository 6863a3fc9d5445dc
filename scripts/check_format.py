#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that every C and C++ source has the format of .clang-format.

  check_format.py           lists the files with another format, and fails if there are any
  check_format.py --write   formats them

The formatter is clang-format of .venv (requirements/development.txt pins its version), because versions disagree about details.
Generated headers are listed in .clang-format-ignore.
"""

import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".c", ".cpp", ".h", ".hpp"}


def formatter() -> str:
    """The path of the pinned clang-format; the environment of this interpreter is searched first."""
    for folder in (Path(sys.prefix) / "bin", ROOT / ".venv/bin"):
        if (folder / "clang-format").exists():
            return str(folder / "clang-format")
    sys.exit("check_format: clang-format is not in .venv: run scripts/setup.sh test")


def sources() -> list[str]:
    ignored = [line for line in (ROOT / ".clang-format-ignore").read_text().split("\n") if line and line[0] != "#"]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split("\n") if listed.returncode == 0 else [str(p.relative_to(ROOT)) for p in ROOT.rglob("*")]
    return [
        name
        for name in names
        if Path(name).suffix in SUFFIXES
        and not any(fnmatch(name, pattern) for pattern in ignored)
        and not name.startswith(("build", "."))
        and (ROOT / name).exists()
    ]


def main() -> int:
    files = sources()
    if not files:
        sys.exit("check_format: found no source to look at")
    if "--write" in sys.argv[1:]:
        return subprocess.run([formatter(), "-i", *files], cwd=ROOT).returncode
    result = subprocess.run([formatter(), "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True)
    wrong = sorted({line.split(":")[0] for line in result.stderr.split("\n") if "[-Wclang-format-violations]" in line})
    for name in wrong:
        print(f"{name}: not formatted: run scripts/check_format.py --write")
    print(f"{len(files)} files, {len(wrong)} not formatted")
    return 1 if wrong or result.returncode else 0


sys.exit(main())
