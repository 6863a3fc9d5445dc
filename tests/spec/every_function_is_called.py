#!/usr/bin/env python3
"""Checks that the tests, taken together, call every function of the standard, or every one of some headers.

A function is called if an object file of a test refers to it without defining it. An inline function, or one in programs for
other compilers, is called if the text of a test has its name before an opening bracket.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from check_symbols import standard_names


def referred(nm: str, objects: list[str]) -> set[str]:
    listing = subprocess.run([nm, "-u", *objects], text=True, capture_output=True, check=True).stdout
    return {line.split()[-1] for line in listing.splitlines() if line.strip() and not line.endswith(":")}


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.S | re.M)


def declared(header: Path) -> set[str]:
    """The extensions whose prototypes, or inline definitions for C, begin a line of a header."""
    text = without_comments(header.read_text())
    return set(re.findall(r"^(?!inline)\w[\w\s*]*?\b((?:shmemx_|oshen_(?!mpi_))\w+)\s*\([^;{]*\)\s*[;{]", text, flags=re.M))


def named(sources: list[Path]) -> set[str]:
    return {name for source in sources for name in re.findall(r"\b(\w+)\s*\(", without_comments(source.read_text()))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--standard", action="store_true", help="functions: those of the standard")
    parser.add_argument("--headers", type=Path, nargs="*", default=[], help="functions: those declared here")
    parser.add_argument("--objects", type=Path, required=True, help="a file with one object file per line")
    parser.add_argument("--headers-of-others", type=Path, nargs="*", default=[], help="functions to find in --sources")
    parser.add_argument("--sources", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    functions = set().union(*map(declared, options.headers))
    if options.standard:
        functions |= standard_names()
    called = referred(options.nm, options.objects.read_text().split())
    by_text = set().union(*map(declared, options.headers_of_others))
    missing = sorted((functions - called) | (by_text - named(options.sources)))
    functions |= by_text
    for name in missing:
        print(f"never called: {name}")
    print(f"{len(functions) - len(missing)} of {len(functions)} functions are called")
    return 1 if missing or not functions else 0


if __name__ == "__main__":
    sys.exit(main())
