"""The programs of programs/off_node: one source for each kind of library. They print one line for each case, and one
for each wrong result."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Iterator
from pathlib import Path

from oshbench.common.compiler import run_compiler
from oshbench.libraries.library import Library

FOLDER = "off_node"
SOURCES = {"shmem": ("shmem.c",), "mpi": ("mpi.c",), "none": ("fabric.c", "-lfabric"),
           "socket": ("socket.c",)}


def make(bench: Path, folder: Path, library: Library) -> Path:
    """Compiles the program of this kind of library."""
    source, *flags = SOURCES[library.kind]
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "off-node"
    run_compiler([*shlex.split(library.compiler), "-O2", "-o", str(program), str(bench / "programs" / FOLDER / source),
                  *flags])
    return program


def records(text: str, pes: int) -> Iterator[dict]:
    """Records from the output of all processes of a program, which prints the median of its batches."""
    rows = list(_lines(text))
    wrong = {(row["wrong"], row["bytes"]) for row in rows if "wrong" in row}
    for row in rows:
        if "case" in row:
            right = (row["case"], row["bytes"]) not in wrong
            yield {"case": row["case"], "how": "", "size": row["bytes"], "pes": pes, "ns": 1e3 * row["us"], "ok": right}


def _lines(text: str) -> Iterator[dict]:
    for line in text.splitlines():
        if line.startswith(('{"case"', '{"wrong"')):
            with contextlib.suppress(json.JSONDecodeError):  # a line cut off by a crash
                yield json.loads(line)


def right(text: str) -> dict[str, bool]:
    """For each case in the output, whether it was right with every size."""
    by_case: dict[str, bool] = {}
    for record in records(text, 2):
        by_case[record["case"]] = by_case.get(record["case"], True) and record["ok"]
    return by_case
