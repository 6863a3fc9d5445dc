"""Calls a compiler; the folder of what was compiled."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class BuildError(RuntimeError):
    """A program does not compile."""


def cache_of(work: Path) -> Path:
    """The folder of objects, and of the features of libraries. Several runs with their own --work may share it."""
    return Path(os.environ.get("OSHBENCH_CACHE") or work / "cache")


def run_compiler(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BuildError(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}\n{done.stderr}")


def first_error(text: str) -> str:
    """The first error in the output of a compiler or a launcher."""
    lines = [line for line in text.splitlines() if line.strip("- ")]
    line = next((line for line in lines if "error" in line or "undefined" in line), lines[-1] if lines else "?")
    return line.split("error:")[-1].strip()[:160]
