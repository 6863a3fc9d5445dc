# SPDX-License-Identifier: BSD-3-Clause
"""What the commands share that measure numbers with scripts of the tests and write them as a page (write_numbers.py of races
and of explore)."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from oshbench.machine import properties

ROOT = Path(__file__).resolve().parents[2]


def command_line(about: str) -> argparse.ArgumentParser:
    """A parser of the options that each of these commands has."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--part")
    return parser


def run(script: Path, tools: Path, *words: str) -> tuple[str, int]:
    """The output of a script, which is printed as well, and its exit status: 0, or 1 if something in it failed. Any other
    status ends this command."""
    command = [sys.executable, "-B", str(ROOT / "tests/run.py"), str(script), "--bin", str(tools), *words]
    print("+", script.name, *words, flush=True)
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as job:
        for line in job.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if job.returncode not in (0, 1):
        sys.exit(f"{script.name} ended with status {job.returncode}")
    return "".join(lines), job.returncode


def circumstances(load: str, part: str | None) -> str:
    """The list of a page that says where and how it was measured. `load`: of other programs meanwhile, or nothing."""
    facts = properties.facts()
    lines = [f"* Machine: {properties.name(facts)}, {facts['compiler']}", f"* Commit: {properties.commit(ROOT)}"]
    if part:
        lines.append(f"* Only a part of the programs and removals: `--part {part}`")
    if load:
        lines.append(f"* Load: {load}")
    return "\n".join(lines)


def write(text: str, options: argparse.Namespace, page: Path) -> None:
    """Writes numbers.md to the folder of the work, and the page of docs/design if that is asked for."""
    for path in (options.work / "numbers.md", *[page] * options.record):
        path.write_text(text)
        print(f"written: {path}")
