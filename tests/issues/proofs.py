#!/usr/bin/env python3
"""Every test that a page names as proof exists.   proofs.py PAGE ..."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NAME = re.compile(r"`([A-Za-z_]\w*(?:\.[\w+]+)*)`")


def tests() -> set[str]:
    listed = {line for line in (ROOT / "tests/names/release.txt").read_text().split()}
    cases = {".".join(found) for source in (ROOT / "tests").rglob("*.cpp")
             for found in re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", source.read_text(), re.M)}
    return listed | cases


def proofs(page: Path) -> list[str]:
    """The names in the columns headed `proved by`."""
    found, column = [], -1
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            column = -1
        elif "proved by" in cells:
            column = cells.index("proved by")
        elif 0 <= column < len(cells) and not set(cells[0]) <= {"-"}:
            names = NAME.findall(cells[column])
            found += names or [f"(none: {cells[0]})"]
    return found


def main() -> int:
    known, missing, count = tests(), 0, 0
    for page in map(Path, sys.argv[1:]):
        for name in proofs(page):
            count += 1
            if name not in known:
                missing += 1
                print(f"{page.name}: no such test: {name}")
    print(f"proofs: {count} named, {missing} missing")
    return 1 if missing or not count else 0


if __name__ == "__main__":
    sys.exit(main())
