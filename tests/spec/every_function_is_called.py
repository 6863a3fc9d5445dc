#!/usr/bin/env python3
"""Checks that the programs of this folder, taken together, call every function of the standard.

A function is called if an object file refers to it without defining it.
"""

import argparse
import subprocess
import sys
from pathlib import Path


def referred(nm: str, objects: list[str]) -> set[str]:
    listing = subprocess.run([nm, "-u", *objects], text=True, capture_output=True, check=True).stdout
    return {line.split()[-1] for line in listing.splitlines() if line.strip() and not line.endswith(":")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--symbols", type=Path, required=True, help="the functions, the first word of each line")
    parser.add_argument("--objects", type=Path, required=True, help="a file with one object file per line")
    options = parser.parse_args()
    functions = {line.split()[0] for line in options.symbols.read_text().splitlines() if line.strip()}
    called = referred(options.nm, options.objects.read_text().split())
    missing = sorted(functions - called)
    for name in missing:
        print(f"never called: {name}")
    print(f"{len(functions) - len(missing)} of {len(functions)} functions are called")
    return 1 if missing or not functions else 0


if __name__ == "__main__":
    sys.exit(main())
