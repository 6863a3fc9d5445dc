#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on names: one name has one meaning.

  check_names.py [--root DIR]

Two rules for the C++ files of FOLDERS:
 - no two places define a type (struct, class, union or enum at namespace level) of one name, if a file may include both;
 - within src/, data members of one name have types of one family: a number, a piece of memory or text, or one type of
   the library, with or without pointers, arrays and std::atomic.

A file may include both of two places if they are in one product, or if one product sees the other (SEES, as in
check_layers.py). The implementations of one interface in PARALLEL folders count as one place. The second rule looks at
the members that other files use: those of types in headers, without a trailing underscore. It does not look at GENERIC
names, links (a pointer to the struct's own type), functions, template parameters, and types of other libraries.
ALLOWED_TYPES and ALLOWED_FIELDS list the exceptions, with their reasons. An exception that is not needed fails, too.
"""

from __future__ import annotations

import argparse
import itertools
import re
import sys
from collections import defaultdict
from pathlib import Path

FOLDERS = ["src", "trials", "exchange", "fft", "fftw_mpi", "lammps", "tools"]
SOURCES = {".cpp", ".hpp", ".h"}

# The private headers that a product sees besides its own. Each folder of tools/ is a product.
SEES = {"exchange": {"trials"}, "fft": {"trials"}, "tools/oshinfo": {"src", "tools/oshrun", "tools/shared"},
        "tools/oshprof": {"tools/shared"}, "tools/oshrun": {"src", "tools/shared"}, "tools/oshtrace": {"tools/shared"},
        "tools/shared": {"tools/oshrun"}}

# Parallel implementations of one interface: their common names count as one place.
PARALLEL = re.compile(r"src/transport/(?:loop|ofi|tcp|ucx)/|src/coll/algorithms/")

# Names that have no meaning without their struct.
GENERIC = {"all", "at", "begin", "first", "from", "head", "in", "into", "last", "line", "lines", "list", "local", "mine",
           "of", "on", "op", "out", "own", "start", "state", "to", "type", "value", "where", "who", "why"}

ALLOWED_TYPES: dict[str, str] = {}
ALLOWED_FIELDS: dict[str, str] = {
    # One meaning, with another type in each transport or layer.
    "base": "the begin of a slice: a pointer on its own PE, an address on others",
    "home": "the object to which this one belongs",
    "key": "what a provider, or the other side of a connection, asks of an access",
    "rank": "the place of a process in its job, or of a network among networks",
    "shared": "the transports: the endpoint or worker of all streams that have none of their own",
    # Two meanings, in the words of the libraries that the transports use.
    "handle": "a number that the program holds; the transports: an object of the transport",
    "protocol": "of an algorithm; tcp: the name that begins a greeting",
    "signal": "the bits of a signal; ofi: the packet that carries it",
    "waiting": "the policy of waits; ofi: the operations that have not been started",
}

NUMBERS = re.compile(r"^(std::)?(u?int(8|16|32|64|ptr)?_t|size_t|ptrdiff_t|int|unsigned|long|short|char|signed|double|"
                     r"float|byte)( (int|long|char|short|double))*$")


def without_comments(text: str) -> str:
    """The same text, with comments, strings and preprocessor lines blanked; line breaks stay."""
    def blank(match: re.Match) -> str:
        found = match[0]
        return re.sub(r"[^\n]", " ", found) if found.startswith(("/", "#")) else '""' + " " * (len(found) - 2)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?m:^[ \t]*#(?:[^\n]*\\\n)*[^\n]*)', blank, text, flags=re.S)


def match_brace(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


# Excludes template parameters, where a > follows before any <.
HEAD = re.compile(r"\b(namespace|struct|class|union|enum(?:\s+(?:class|struct))?)\b(?![^<]*>)")


def walk(text: str, start: int, end: int, found: list, outer: str | None) -> None:
    """Collects (name, outer type, body start, body end, position) of the types between `start` and `end`."""
    at = start
    while at < end:
        opening = text.find("{", at, end)
        if opening < 0:
            return
        closing = match_brace(text, opening)
        head = text[max(start, *(text.rfind(c, start, opening) + 1 for c in ";}{")):opening]
        match = HEAD.search(head)
        if match and match[1] == "namespace":
            walk(text, opening + 1, closing, found, outer)
        elif match and "(" not in head[match.end():].split(":")[0].replace("alignas(", "") and "=" not in head:
            rest = re.sub(r"alignas\s*\([^()]*(\([^()]*\))?[^()]*\)|\[\[.*?\]\]|\bfinal\b", " ", head[match.end():])
            name = re.split(r"(?<!:):(?!:)", rest)[0].strip()
            specialised = "<" in name
            if name and not specialised and re.fullmatch(r"[\w:]+", name):
                found.append((name, outer, opening + 1, closing, opening, match[1]))
            if not match[1].startswith("enum"):
                walk(text, opening + 1, closing, found, name or outer or "?")
        at = closing + 1


def fields(text: str, start: int, end: int) -> list[tuple[str, str, int]]:
    """(name, type, position) of the data members declared between the braces of a struct."""
    result = []
    at = start
    statement = ""
    begun = start
    while at < end:
        c = text[at]
        if c == "{":
            closing = match_brace(text, at)
            head = statement.strip()
            is_initialiser = re.search(r"[\w\]]\s*$|=\s*$", head) and "(" not in re.sub(r"alignas\([^)]*\)", "", head) \
                and not re.match(r"(template|struct|class|union|enum|namespace)\b", head)
            if is_initialiser:
                statement += "{}"
            else:
                statement = ""  # a function or a nested type
                begun = closing + 1
            at = closing + 1
            continue
        if c == ";":
            result += [(name, kind, begun) for name, kind in declared(statement)]
            statement, begun = "", at + 1
        elif c == ":" and re.fullmatch(r"\s*(public|private|protected)\s*", statement):
            statement, begun = "", at + 1
        else:
            if not statement.strip():
                begun = at
            statement += c
        at += 1
    return result


def declared(statement: str) -> list[tuple[str, str]]:
    s = " ".join(statement.split())
    s = re.sub(r"alignas\s*\([^()]*(\([^()]*\))?[^()]*\)|\[\[.*?\]\]", "", s).strip()
    if not s or re.match(r"(using|typedef|friend|template|static|enum|struct|class|union|return|public|private|case)\b", s):
        return []
    if pointer := re.match(r"(.*?)\(\s*\*\s*(?:const\s+)?(\w+)(\[\w*\])?\s*\)\s*\(", s):
        return [(pointer[2], "function")]
    s = re.sub(r"\{\}.*?(?=,|$)|=[^,]*(?=,|$)", "", s) if "<" not in s or "=" in s else re.sub(r"\{\}", "", s)
    if "(" in s or "operator" in s:
        return []
    depth, parts, part = 0, [], ""
    for c in s:
        depth += (c in "<[") - (c in ">]")
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    parts.append(part)
    first = re.fullmatch(r"(.+?[\s&*])\s*(\w+)\s*((?:\[[^\]]*\])*)\s*(?::\s*\d+)?", parts[0].strip())
    if not first:
        return []
    result = [(first[2], first[1] + first[3])]
    for more in parts[1:]:
        if other := re.fullmatch(r"\s*([*&]?)\s*(\w+)\s*((?:\[[^\]]*\])*)\s*", more):
            result.append((other[2], first[1].rstrip(" *&") + other[1] + other[3]))
    return result


def family(kind: str, own: str, enums: set[str], types: set[str]) -> str | None:
    """The family of a member's type; None if the rule does not apply. `own` is the struct of the member."""
    if kind == "function":
        return None
    k = re.sub(r"\b(mutable|constexpr|inline|volatile|const|static|struct|thread_local)\b", "", kind)
    is_pointer, is_array = "*" in k, "[" in k
    k = " ".join(re.sub(r"\[[^\]]*\]|[*&]", "", k).split())
    while wrapped := re.fullmatch(r"std::(?:atomic|optional)<(.*)>", k):
        k = wrapped[1].strip()
    name = k.split("::")[-1]
    if k in ("void", "std::byte") or (k == "char" and (is_pointer or is_array)) or (NUMBERS.match(k) and is_pointer):
        return "memory"
    if NUMBERS.match(k) or k == "bool" or name in enums:
        return "number"
    if name == own or name not in types:  # a link, a template parameter, or a type of another library
        return None
    return name


def product_of(place: str) -> str:
    folders = place.split("/")
    return "/".join(folders[:2]) if folders[0] == "tools" else folders[0]


def may_meet(a: str, b: str) -> bool:
    """True if a file may include both places."""
    one, other = product_of(a), product_of(b)
    return one == other or other in SEES.get(one, ()) or one in SEES.get(other, ())


def read(root: Path) -> tuple[dict[str, list[str]], dict]:
    """The places and kind of each type at namespace level, the names of nested types, and the fields of src/."""
    types = defaultdict(list)
    found = {"kinds": {}, "nested": set(), "fields": []}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            file = str(path.relative_to(root))
            text = without_comments(path.read_text(errors="replace"))
            collected: list = []
            walk(text, 0, len(text), collected, None)
            for name, outer, start, end, position, kind in collected:
                found["kinds"].setdefault(name, kind)
                place = f"{file}:{text.count(chr(10), 0, position) + 1}"
                if outer is None and "::" not in name:
                    types[name].append(place)
                else:
                    found["nested"].add(name)
                if folder == "src" and path.suffix == ".hpp" and not kind.startswith("enum"):
                    found["fields"] += [(name, field, type, f"{file}:{text.count(chr(10), 0, at) + 1}")
                                        for field, type, at in fields(text, start, end) if not field.endswith("_")]
    return types, found


def conflicting(places: list[str]) -> bool:
    """True if a file may include two of the places of a type. Parallel implementations count as one place."""
    separate = {PARALLEL.match(p) and "parallel" or p: p for p in places}.values()
    return any(may_meet(a, b) for a, b in itertools.combinations(separate, 2))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    args = parser.parse_args()
    types, found = read(args.root)
    names, enums = set(types), {name for name, kind in found["kinds"].items() if kind.startswith("enum")}
    members = defaultdict(lambda: defaultdict(list))
    for own, field, kind, place in found["fields"]:
        if meaning := family(kind, own, enums, names | found["nested"]):
            members[field][meaning].append(f"{place} {own}")
    problems = []
    twice = {name: places for name, places in types.items() if conflicting(places)}
    for name, places in sorted(twice.items()):
        if name not in ALLOWED_TYPES:
            problems.append(f"type {name} is defined {len(places)} times: " + ", ".join(places))
    mixed = {name: f for name, f in members.items() if len(f) > 1 and name not in GENERIC}
    for name, families in sorted(mixed.items()):
        if name not in ALLOWED_FIELDS:
            problems.append(f"field {name} has {len(families)} meanings: " +
                            "; ".join(f"{k} ({', '.join(v[:3])})" for k, v in families.items()))
    problems += [f"type {n}: the exception is no longer needed" for n in ALLOWED_TYPES if n not in twice]
    problems += [f"field {n}: the exception is no longer needed" for n in ALLOWED_FIELDS if n not in mixed]
    for problem in problems:
        print(problem, file=sys.stderr)
    n_fields = sum(len(p) for f in members.values() for p in f.values())
    print(f"{len(types)} types, {n_fields} fields of {len(members)} names, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
