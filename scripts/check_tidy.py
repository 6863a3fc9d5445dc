#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-tidy with the short list of .clang-tidy on sources of a build folder.

  check_tidy.py BUILD               every source of the library (src/)
  check_tidy.py BUILD FILE ...      these sources

BUILD contains compile_commands.json, which CMake writes. clang-tidy is that of .venv, which requirements/development.txt pins.

Most of the time goes into headers. Sources with the same flags are therefore checked in batches: one file that includes
them all. If anything is said of a batch, its halves are checked, down to single sources: names of two sources may clash.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FINDING = re.compile(r"^(\S+?:\d+:\d+: (?:warning|error): .*)$", re.MULTILINE)
# Another source of the batch may use the name, so that an unused declaration would not be found.
USING = re.compile(r"^\s*using\s+[\w:]+::\w+\s*;", re.MULTILINE)
LARGEST = 12  # sources of a batch
WITH_VALUE = ("-o", "-MF", "-MT", "-MQ")


def tool() -> str:
    for folder in (Path(sys.prefix) / "bin", ROOT / ".venv/bin"):
        if (folder / "clang-tidy").exists():
            return str(folder / "clang-tidy")
    sys.exit("check_tidy: clang-tidy is not in .venv: run scripts/setup.sh test")


@dataclass(frozen=True)
class Source:
    """A source with its compiler and flags, without the names of files and the level of optimisation."""

    path: str
    directory: str
    flags: tuple[str, ...]


def flags_of(words: list[str]) -> tuple[str, ...]:
    kept, skip = [], False
    for word in words:
        if not skip and not re.match(r"-(O|M|c$|o$)", word):
            kept.append(word)
        skip = not skip and word in WITH_VALUE
    return tuple(kept)


def sources(build: Path) -> list[Source]:
    commands = build / "compile_commands.json"
    if not commands.exists():
        sys.exit(f"check_tidy: {commands} is not there: run scripts/build.sh release")
    found = {}
    for entry in json.loads(commands.read_text()):
        path = str(Path(entry["directory"], entry["file"]).resolve())
        words = entry.get("arguments") or shlex.split(entry["command"])
        if path.startswith(f"{ROOT}/src/"):
            found[path] = Source(path, entry["directory"], flags_of([word for word in words if word != entry["file"]]))
    return [found[path] for path in sorted(found)]


def batches(found: list[Source]) -> list[list[Source]]:
    """Sources of one folder are in different batches, because their names clash more often."""
    alike: dict[tuple, list[Source]] = {}
    for source in found:
        alone = source.path if USING.search(Path(source.path).read_text()) else ""
        alike.setdefault((source.directory, source.flags, alone), []).append(source)
    parts = []
    for group in alike.values():
        count = -(-len(group) // LARGEST)
        parts += [group[first::count] for first in range(count)]
    return sorted(parts, key=len, reverse=True)


def run(build: Path, file: str) -> list[str]:
    # Clang does not know some options of GCC; that is no fault of the code.
    done = subprocess.run(
        [tool(), "-p", str(build), "--quiet", f"--config-file={ROOT}/.clang-tidy", f"--header-filter=^{re.escape(str(ROOT))}/src/.*[.]cpp$"]
        + ["--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-ignored-optimization-argument", file],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return [line.replace(f"{ROOT}/", "") for line in FINDING.findall(done.stdout)] or (
        [f"{file}: clang-tidy: {done.stderr.strip()[-300:]}"] if done.returncode else []
    )


def findings(build: Path, batch: list[Source]) -> list[str]:
    if len(batch) == 1:
        return run(build, batch[0].path)
    with tempfile.TemporaryDirectory(prefix="check_tidy-") as folder:
        file = Path(folder, "batch.cpp")
        file.write_text("".join(f'#include "{source.path}"\n' for source in batch))
        command = {"directory": batch[0].directory, "file": str(file), "arguments": [*batch[0].flags, "-c", str(file)]}
        Path(folder, "compile_commands.json").write_text(json.dumps([command]))
        if not run(Path(folder), str(file)):
            return []
    half = len(batch) // 2
    return findings(build, batch[:half]) + findings(build, batch[half:])


def main() -> int:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    given = [[Source(str(Path(file).resolve()), "", ())] for file in sys.argv[2:]]
    parts = given or batches(sources(build))
    if not parts:
        sys.exit("check_tidy: no sources")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = {line for lines in pool.map(lambda part: findings(build, part), parts) for line in lines}
    for line in sorted(found):
        print(line)
    print(f"{sum(map(len, parts))} sources, {len(found)} findings")
    return 1 if found else 0


sys.exit(main())
