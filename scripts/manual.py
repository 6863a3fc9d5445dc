# SPDX-License-Identifier: BSD-3-Clause
"""The reference of the routines, from spec/calls.def and spec/manual.def: a page for each family of calls.def.

man_pages.py writes it for man, make_site.py for the site.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

import generate_fortran
from api_spec import Function, Row, Spec, on_form
from manual_texts import EXAMPLES, Entry, Text, read, text_of


@dataclass(frozen=True)
class Section:
    """A part of a page: paragraphs, then code, then terms with their meanings."""

    title: str
    paragraphs: tuple[str, ...] = ()
    code: str = ""
    terms: tuple[tuple[str, str], ...] = ()
    level: int = 1  # 2: a part of the section above


@dataclass(frozen=True)
class Page:
    name: str
    heading: str  # of calls.def, with the section of the standard
    summary: str  # one phrase, without a full stop
    sections: tuple[Section, ...]
    see_also: tuple[str, ...]  # names of other pages
    functions: tuple[str, ...]  # every name that the page describes, except its own


def base(row: Row) -> str:
    """The name of a family without its placeholders for types, sizes and contexts."""
    return re.sub(r"\[ctx_\]|TYPENAME_?|SIZE", "", row.name)


def forms(row: Row) -> list[Row]:
    """The row without a context and, where there is such a form, with one."""
    return [on_form(row, on_context) for on_context in ((False, True) if "[ctx_]" in row.name else (False,))]


def prototype(form: Row) -> str:
    arguments = ", ".join(map(str, form.arguments)) or "void"
    returns = form.returns if form.returns.endswith("*") else form.returns + " "
    return f"{returns}{form.name}({arguments});"


def synopsis(rows: list[Row], fortran: frozenset[str]) -> Section:
    extension = rows[0].status == "ext"
    lines = [f"#include <{'shmemx' if extension else 'shmem'}.h>", ""]
    for row in rows:
        note = "   /* deprecated */" if row.status == "old" else ""
        lines += [prototype(form) + note for form in forms(row)]
    generic = dict.fromkeys(call for row in rows if row.generic for call in map(generic_call, forms(row)))
    if generic:
        lines += ["", "/* C11 and C++: */", *generic]
    calls = dict.fromkeys(call for row in rows for form in forms(row) for call in fortran_call(row, form, fortran))
    if calls:
        lines += ["", f"! Fortran: use {'shmemx' if extension else 'shmem'}", *calls]
    return Section("SYNOPSIS", code="\n".join(lines))


def names_of(form: Row) -> str:
    return ", ".join(a.name or a.type for a in form.arguments)


def generic_call(form: Row) -> str:
    arguments = ", ".join(map(str, form.arguments))
    returns = form.returns if form.returns.endswith("*") else form.returns + " "
    return f"{returns}{form.generic}({arguments});"


def fortran_call(row: Row, form: Row, known: frozenset[str]) -> list[str]:
    """The call under the generic name of the module, or under its own name."""
    for name in filter(None, (row.generic, form.name)):
        if name in known:
            call = f"{name}({names_of(form)})"
            return [f"call {call}" if row.returns == "void" else f"answer = {call}"]
    return []


def description(rows: list[Row], spec: Spec) -> Section:
    about = rows[0].heading.partition("): ")[2] or rows[0].heading.partition(": ")[2]
    about = "Here " * (about.partition(" ")[0] in arguments_of(rows)) + about  # names of arguments keep their case
    sentence = about[:1].upper() + about[1:].rstrip(".") + "." if about else ""
    paragraphs = [(rows[0].doc + " " + sentence).strip() or rows[0].heading]
    present = {name for row in rows if row.status in ("std", "ext") for f in spec.expand(row) for name in (f.name, row.generic)}
    for status, phrase in (("old", "Deprecated: "), ("gone", "No longer in the standard, kept for old programs: ")):
        names = [name for row in rows if row.status == status for name in short_names(row, spec) if name not in present]
        if names:
            paragraphs.append(phrase + ", ".join(dict.fromkeys(names)) + ".")
    if rows[0].status == "ext":
        paragraphs.append("An extension of Oshen. Each function has a profiling twin, with a p in front, in pshmemx.h.")
    else:
        paragraphs.append("Each function has a profiling twin, with a p in front, in pshmem.h.")
    return Section("DESCRIPTION", tuple(paragraphs))


def short_names(row: Row, spec: Spec) -> list[str]:
    """The names of a family, or its pattern if they are many."""
    names = [f.name for f in spec.expand(row)]
    return names if len(names) <= 4 else [form.name for form in forms(row)]


def arguments_of(rows: list[Row]) -> list[str]:
    """All arguments in the order in which the prototypes have them."""
    return list(dict.fromkeys(a.name or a.type for row in rows for form in forms(row) for a in form.arguments))


def added(rows: list[Row], text: Text) -> list[Section]:
    """The sections from manual.def."""
    arguments = arguments_of(rows)
    parts = []
    if arguments:
        meanings = tuple((name, sentence_of(text.arguments[name])) for name in arguments)
        parts.append(Section("ARGUMENTS", terms=meanings))
    returns = text.returns if any(row.returns != "void" for row in rows) or rows[0].noreturn else "none"
    parts.append(Section("RETURN VALUE", (sentence_of(returns),)))
    parts.append(Section("ORDERING AND COMPLETION", (sentence_of(text.order),)))
    if text.errors:
        parts.append(Section("ERRORS", (
            "A wrong call prints one line that begins with the PE and the routine. Unless a return value reports the error, the job "
            "ends with status 1. Values are shown here as three dots:",), code="\n".join(text.errors)))
    if text.notes:
        parts.append(Section("NOTES", tuple(text.notes)))
    if text.example:
        program = (EXAMPLES / text.example).read_text().split("*/\n", 1)[1]
        parts.append(Section("EXAMPLE", code=program.strip()))
    return parts


def sentence_of(text: str) -> str:
    """A phrase as a sentence. Names of routines at its beginning keep their case."""
    first = text if re.match(r"\w*_", text) else text[:1].upper() + text[1:]
    return first.rstrip(".") + "."


def types(functions: list[Function]) -> list[Section]:
    named = {f.type.stem: f.type.c for f in functions if f.type}
    text = ", ".join(f"{stem} ({c})" for stem, c in named.items())
    return [Section("TYPES", (f"TYPENAME (TYPE) is one of: {text}.",))] if named else []


def summary(row: Row) -> str:
    """The first sentence of the documentation, as a phrase."""
    first = re.split(r"(?<!\.)\.(?: |$)", row.doc or re.split(r" \(|: ", row.heading)[0])[0]
    return first[:1].lower() + first[1:]


def standard_part(heading: str) -> str:
    """The title of a part of the standard and its section, without what follows a colon."""
    title, end, _ = heading.partition("): ")
    return title + ")" if end else heading


def page(name: str, rows: list[Row], spec: Spec, entries: list[Entry], fortran: frozenset[str]) -> Page:
    functions = [f for row in rows for f in spec.expand(row)]
    text = text_of(name, arguments_of(rows), entries)
    extension = rows[0].status == "ext"
    standard = Section("STANDARD", ("Not in OpenSHMEM 1.6." if extension else f"OpenSHMEM 1.6: {standard_part(rows[0].heading)}.",))
    names = {f.name for f in functions} | {row.generic for row in rows if row.generic}
    sections = (synopsis(rows, fortran), description(rows, spec), *added(rows, text), *types(functions), standard)
    return Page(name, rows[0].heading, text.summary or summary(rows[0]), sections, tuple(text.see), tuple(sorted(names - {name})))


def families(spec: Spec) -> list[tuple[str, list[Row]]]:
    """Groups of rows with the same documentation. A group has one page, named after its first row."""
    groups: dict[str, list[Row]] = {}
    for (_, doc), rows in groupby(spec.rows, lambda r: (r.heading, r.doc)):
        for part in ([list(rows)] if doc else [[row] for row in rows]):
            groups.setdefault(base(part[0]), []).extend(part)
    return list(groups.items())


def fortran_names(spec: Spec) -> frozenset[str]:
    """The public names of the modules shmem and shmemx."""
    made = [generate_fortran.Module(spec, status).generics for status in ("std", "ext")]
    return frozenset(name for generics in made for name in generics)


def pages(spec: Spec) -> list[Page]:
    entries, fortran = read(), fortran_names(spec)
    return [page(name, rows, spec, entries, fortran) for name, rows in families(spec)]
