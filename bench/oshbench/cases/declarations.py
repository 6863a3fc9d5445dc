"""Reads the declarations in the sources of the benchmark programs: the kinds of their cases, and the faults that the
cases must notice. programs/common/engine.h defines their form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "programs"
KINDS = re.compile(r"^BENCH_KINDS = \{(.*?)\};$", re.MULTILINE | re.DOTALL)
FAULT = re.compile(r"^// Fault: (?P<name>[^\n]*)\.\n// Noticed by: (?P<cases>[^\n]*\n(?://[^\n]*\n)*)"
                   r"#ifdef BENCH_FAULT\n(?P<code>.*?)^#endif", re.MULTILINE | re.DOTALL)
STRING = r'"(?:[^"\\]|\\.)*"'
ENTRY = re.compile(rf"\{{\s*((?:{STRING}|[^{{}}\"])*)\}}")
FIELD = re.compile(rf"\.(\w+)\s*=\s*({STRING}|\w+)")
OFF_NODE = "off_node"  # the folder of programs that have no engine in common
CONSTANTS = {"true": True, "bench_all_others": -1}


@dataclass(frozen=True)
class Fault:
    """A broken routine in C, and patterns of the cases that must notice it."""

    name: str
    cases: tuple[str, ...]
    source: str
    pes: int = 2
    kind: str = "shmem"
    program: str = "cases"  # or the folder of a program of its own


@cache
def kinds() -> tuple[dict, ...]:
    """The fields of every bench_kind in all programs."""
    return tuple(entry for file in _sources() for entry in kinds_of(file))


def kinds_of(file: Path) -> list[dict]:
    return [entry for table in KINDS.findall(file.read_text(errors="replace")) for entry in _entries(table)]


def _sources() -> list[Path]:
    return sorted([*PROGRAMS.rglob("*.c"), *PROGRAMS.rglob("*.h")])


def _entries(table: str) -> Iterator[dict]:
    for text in ENTRY.findall(table):
        named = {name: _value(value) for name, value in FIELD.findall(text)}
        pattern, axis, about = (_value(word) for word in re.findall(STRING, FIELD.sub("", text)))
        yield {"pattern": pattern, "axis": axis, "about": about} | named


def _value(text: str) -> str | int | bool:
    if text.startswith('"'):
        return text[1:-1]
    return CONSTANTS[text] if text in CONSTANTS else int(text)


@cache
def faults() -> tuple[Fault, ...]:
    return tuple(fault for file in _sources() if file.suffix == ".c"
                 for fault in (_off_node(file) if file.parent.name == OFF_NODE else
                               faults_of(file, "mpi" if "mpi" in file.parent.name else "shmem")))


def _off_node(file: Path) -> list[Fault]:
    return faults_of(file, "none" if file.stem == "fabric" else file.stem, OFF_NODE)


def faults_of(file: Path, kind: str, program: str = "cases") -> list[Fault]:
    return [_fault(match, kind, program) for match in FAULT.finditer(file.read_text(errors="replace"))]


def _fault(match: re.Match, kind: str, program: str) -> Fault:
    told = " ".join(line.removeprefix("//").strip() for line in match["cases"].splitlines())
    cases, _, pes = told.partition(" (on ")
    return Fault(match["name"], tuple(cases.split(", ")), match["code"], int(pes.removesuffix(" PEs)") or 2), kind,
                 program)
