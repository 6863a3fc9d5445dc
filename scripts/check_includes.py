#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on the standard headers of C++ sources: a name of the standard library needs a header that declares it.

  check_includes.py [--root DIR]

Wheels are built with libc++, whose headers do not include each other as those of GCC do. So a header may be missing in a file
that compiles here. It may be included by the file or by a header of this project that the file includes. The gate knows the names
below, which GCC declares in many headers.
"""

from __future__ import annotations

import argparse
import re
import sys
from functools import cache
from pathlib import Path

FOLDERS = ("src", "trials", "exchange", "fft", "fftw_mpi", "lammps", "tools")
CONTAINERS = {"array", "deque", "forward_list", "list", "map", "regex", "set", "span", "string", "string_view", "unordered_map",
              "unordered_set", "vector"}
# Names, and the headers that declare them.
HEADERS = {
    "size|data|begin|end|cbegin|cend|rbegin|rend|empty|ssize": CONTAINERS | {"iterator"},
    "next|prev|distance|advance|back_inserter|inserter|istreambuf_iterator|ostreambuf_iterator|make_move_iterator": {"iterator"},
    "min|max|minmax": {"algorithm"},
    "clamp|sort|stable_sort|find|find_if|any_of|all_of|none_of|count_if|copy|copy_n|fill|fill_n|equal|max_element|min_element|"
    "lower_bound|upper_bound|unique|remove_if|reverse|rotate|partition|transform|for_each|iter_swap|ranges::[a-z_]+": {"algorithm"},
    "accumulate|iota|inner_product|partial_sum|reduce|gcd|lcm": {"numeric"},
    "move|forward|exchange|swap|pair|make_pair|declval": {"utility", "memory", "algorithm", "functional", "map", "tuple", "vector",
                                                          "string", "optional", "variant"},
    "unique_ptr|shared_ptr|make_unique|make_shared": {"memory"},
    "function|hash|less|greater|plus|multiplies": {"functional"},
    "optional|nullopt": {"optional"},
    "variant|visit|get_if|holds_alternative": {"variant"},
    "tuple|tie|make_tuple|apply": {"tuple"},
    "array|to_array": {"array"}, "vector": {"vector"}, "string|to_string|stoi|stol": {"string"}, "string_view": {"string_view"},
    "span": {"span"}, "map|multimap": {"map"}, "set|multiset": {"set"}, "deque": {"deque"}, "unordered_map": {"unordered_map"},
    "atomic|atomic_ref|memory_order_[a-z_]+|atomic_thread_fence": {"atomic"},
    "mutex|lock_guard|scoped_lock|unique_lock|call_once": {"mutex"},
    "thread|this_thread::[a-z_]+|jthread": {"thread"},
    "bit_cast|countr_zero|countl_zero|popcount|bit_width|bit_ceil|bit_floor|has_single_bit|endian": {"bit"},
    "ostringstream|istringstream|stringstream": {"sstream"}, "ifstream|ofstream": {"fstream"},
    "cout|cerr|cin": {"iostream"}, "setw|setprecision|setfill": {"iomanip"},
    "numeric_limits": {"limits"}, "from_chars|to_chars": {"charconv"}, "chrono::[a-z_]+": {"chrono"},
    "u?int(8|16|32|64)_t|u?intptr_t": {"cstdint"},
}


def included(path: Path) -> tuple[set[str], set[str]]:
    """The standard headers that a file includes, and the names of others."""
    names = re.findall(r'^\s*#\s*include\s*(["<])([^">]+)[">]', path.read_text(errors="replace"), re.MULTILINE)
    return {name for sign, name in names if sign == "<" and "/" not in name and "." not in name}, {name for _, name in names}


class Reach:
    """The standard headers that a file reaches through headers of this project."""

    def __init__(self, root: Path):
        self.root = root

    def file_of(self, name: str, by: Path) -> Path | None:
        places = (by.parent, *(self.root / folder for folder in ("src", "", "include", "tools", "tests")))
        return next((place / name for place in places if (place / name).is_file()), None)

    @cache
    def of(self, path: Path) -> frozenset[str]:
        found: set[str] = set()
        seen, waiting = {path}, [path]
        while waiting:
            one = waiting.pop()
            standard, names = included(one)
            found |= standard
            for name in names - standard:
                if (other := self.file_of(name, one)) and other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return frozenset(found)


def code_of(path: Path) -> list[str]:
    """The lines of a file without comments and strings."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(errors="replace"), flags=re.DOTALL)
    return [re.sub(r'"(\\.|[^"\\])*"', '""', line).partition("//")[0] for line in text.splitlines()]


def complaints(root: Path, path: Path, reach: Reach) -> list[str]:
    """The first use of a name of each group whose header is missing."""
    lines = []
    code = "\n".join(code_of(path))
    for names, headers in HEADERS.items():
        match = re.search(rf"\bstd::({names})\b", code)
        if match and not headers & reach.of(path):
            number = code.count("\n", 0, match.start()) + 1
            lines.append(f"{path.relative_to(root)}:{number}: std::{match[1]} needs {' or '.join(f'<{h}>' for h in sorted(headers)[:3])}")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    reach = Reach(root)
    files = sorted(path for folder in FOLDERS for end in ("*.cpp", "*.hpp") for path in (root / folder).rglob(end))
    found = [line for path in files for line in complaints(root, path, reach)]
    print(*found, f"{len(files)} files, {len(found)} names without a header", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
