# SPDX-License-Identifier: BSD-3-Clause
"""Reads spec/: types, calls, constants and settings.

Headers, entry points, symbol lists and gates are derived from them through this module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "spec"


@dataclass(frozen=True)
class Type:
    c: str  # its name in C
    stem: str  # its name in function names
    base: str  # the stem of the type to which it is equal, "" if it is a distinct type
    tables: frozenset[str]

    @property
    def is_complex(self) -> bool:
        return "_Complex" in self.c

    @property
    def header(self) -> str:
        """Its name in the headers, which must also be valid C++."""
        return f"oshen_{self.stem}_t" if self.is_complex else self.c

    @property
    def engine(self) -> str:
        """Its name in the library's templates."""
        if self.is_complex:
            return f"std::complex<{self.c.split()[0]}>"
        return f"coll::{self.stem}" if "F16" in self.tables else self.c


@dataclass(frozen=True)
class Argument:
    type: str  # includes the stars: "const TYPE *"
    name: str

    def __str__(self) -> str:
        return self.type + ("" if self.type.endswith("*") else " " if self.name else "") + self.name


@dataclass(frozen=True)
class Row:
    """One family of calls.def."""

    file: str
    heading: str
    doc: str
    status: str
    generic: str
    table: str
    noreturn: bool
    returns: str
    name: str
    arguments: tuple[Argument, ...]
    expression: str


@dataclass(frozen=True)
class Function:
    """One function of a family, with every placeholder replaced."""

    row: Row
    name: str
    returns: str
    arguments: tuple[Argument, ...]
    expression: str
    type: Type | None = None
    on_context: bool = False

    @property
    def twin(self) -> str:
        return "p" + self.name

    @property
    def is_extension(self) -> bool:
        return self.row.status == "ext"


@dataclass(frozen=True)
class Constant:
    group: str
    deprecated: bool
    alias: bool
    name: str
    value: str
    about: str


@dataclass(frozen=True)
class Setting:
    name: str
    alias: str
    type: str
    fallback: str
    about: str


def lines_of(path: Path) -> list[str]:
    """Lines without comments and trailing spaces. Indented lines are joined with the line that they continue."""
    joined: list[str] = []
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] == " ":
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.rstrip())
    return joined


def read_types() -> tuple[list[Type], dict[str, list[str]]]:
    """The types, and the named lists of sizes."""
    text = (SPEC / "types.def").read_text()
    columns = re.search(r"^# C type +TYPENAME +is +(.+)$", text, re.M).group(1).split()
    types, sizes = [], {}
    for line in lines_of(SPEC / "types.def"):
        words = line.split()
        if words[0] == "sizes":
            sizes[words[1]] = words[2:]
            continue
        marks = words[-len(columns):]
        stem, base = words[-len(columns) - 2:-len(columns)]
        tables = frozenset(c for c, mark in zip(columns, marks) if mark == "x")
        assert set(marks) <= {"x", "."}, f"types.def: {line}"
        types.append(Type(" ".join(words[:-len(columns) - 2]), stem, base.strip("-"), tables))
    return types, sizes


def read_arguments(text: str) -> tuple[Argument, ...]:
    if text.strip() == "void":
        return ()
    arguments = []
    for part in text.split(","):
        match = re.fullmatch(r"(.*[ *])(\w+)|(\.\.\.)", part.strip())
        assert match, f"calls.def: argument '{part}'"
        arguments.append(Argument(match[3] or match[1].strip(), match[2] or ""))
    return tuple(arguments)


def read_calls() -> list[Row]:
    rows, file, heading, doc, fresh = [], "", "", "", True
    for line in lines_of(SPEC / "calls.def"):
        if section := re.fullmatch(r"\[(\w+)\] (.+)", line):
            file, heading, doc = section[1], section[2], ""
            continue
        if line.startswith(": "):
            doc = line[2:] if fresh else doc + " " + line[2:]
            fresh = False
            continue
        call = re.fullmatch(r"(\w+)\s+(\S+)\s+(\S+)\s+(noreturn )?(.+?[ *])([\w\[\]]+)\((.*)\) = (.+)", line)
        assert call and call[1] in ("std", "old", "gone", "ext"), f"calls.def: {line}"
        rows.append(Row(file, heading, doc, call[1], call[2].strip("-"), call[3].strip("-"), bool(call[4]),
                        call[5].strip(), call[6], read_arguments(call[7]), call[8]))
        fresh = True
    return rows


def read_constants() -> list[Constant]:
    constants, group = [], ""
    for line in lines_of(SPEC / "constants.def"):
        if line.startswith("group "):
            group = line[6:]
            continue
        parts = re.split(r"\s{2,}", line)
        status, alias = parts[0].split()
        value = parts[2].replace("VERSION", version())
        constants.append(Constant(group, status == "old", alias == "_", parts[1], value,
                                  parts[3] if len(parts) > 3 else ""))
    return constants


def read_settings() -> list[Setting]:
    settings = []
    for line in lines_of(SPEC / "settings.def"):
        name, alias, kind, fallback, about = line.split(maxsplit=4)
        settings.append(Setting(name, alias.strip("-"), kind, fallback.strip("-"), about))
    return settings


def version() -> str:
    """The version of the library, which CMakeLists.txt states."""
    return re.search(r"project\(oshen VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


@dataclass
class Spec:
    types: list[Type] = field(default_factory=list)
    sizes: dict[str, list[str]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)

    @classmethod
    def read(cls) -> "Spec":
        types, sizes = read_types()
        return cls(types, sizes, read_calls(), read_constants(), read_settings())

    @cached_property
    def functions(self) -> list[Function]:
        return [f for row in self.rows for f in self.expand(row)]

    def standard(self) -> list[Function]:
        """The functions that the standard requires, including deprecated ones."""
        return [f for f in self.functions if f.row.status in ("std", "old")]

    def public(self) -> list[Function]:
        """The functions of shmem.h: those of the standard, and those that it has removed."""
        return [f for f in self.functions if not f.is_extension]

    def extensions(self) -> list[Function]:
        """The functions of shmemx.h."""
        return [f for f in self.functions if f.is_extension]

    def files(self) -> list[str]:
        """The names of the files with the definitions, in order."""
        return list(dict.fromkeys(row.file for row in self.rows))

    def expand(self, row: Row) -> list[Function]:
        return [f for on_context in ((False, True) if "[ctx_]" in row.name else (False,))
                for f in self.over_table(on_form(row, on_context), on_context)]

    def over_table(self, row: Row, on_context: bool) -> list[Function]:
        """One function for each type or size of the row's table."""
        if not row.table:
            return [fill(row, on_context)]
        if row.table in self.sizes:
            return [fill(row, on_context, size=size) for size in self.sizes[row.table]]
        types = [t for t in self.types if row.table in t.tables]
        assert types, f"calls.def: {row.name}: no table {row.table}"
        return [fill(row, on_context, type=t) for t in types]


def on_form(row: Row, on_context: bool) -> Row:
    """The row with [ctx_] resolved."""
    if not on_context:
        return replace(row, name=row.name.replace("[ctx_]", ""))
    return replace(row, name=row.name.replace("[ctx_]", "ctx_"),
                   arguments=(Argument("shmem_ctx_t", "ctx"), *row.arguments))


def fill(row: Row, on_context: bool, type: Type | None = None, size: str = "") -> Function:
    """The function of a row with TYPENAME, TYPE and SIZE replaced."""
    spelling = type.header if type else ""

    def typed(text: str) -> str:
        return re.sub(r"\bTYPE\b", spelling, text)

    name = row.name.replace("TYPENAME", type.stem if type else "").replace("SIZE", size)
    arguments = tuple(replace(a, type=typed(a.type)) for a in row.arguments)
    return Function(row, name, typed(row.returns), arguments, row.expression.replace("SIZE", size), type, on_context)
