#!/usr/bin/env python3
"""Writes docs/bench/where-others-win.md anew from the records in docs/bench; with --check only says whether it is current."""

from __future__ import annotations

import argparse
import sys

from oshbench import comparison, others_page


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit status 1 if the page is not what the records say")
    args = parser.parse_args()
    page = comparison.RECORDS / others_page.PAGE
    if args.check:
        current = page.exists() and page.read_text() == others_page.text(comparison.RECORDS)
        print("current" if current else f"{page.name} is not what the records beside it say: run bench/where_others_win.py",
              file=sys.stdout if current else sys.stderr)
        return 0 if current else 1
    print(f"written: {others_page.write(comparison.RECORDS).name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
