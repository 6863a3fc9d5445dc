#!/usr/bin/env python3
"""Counts the socket calls and bytes that operations between two nodes cost over Oshen's own TCP (calls.c), and compares
them with budgets_calls.txt.

  calls.py --table TABLE [--write] COMMAND ...    COMMAND prints the counts
"""

import argparse
import subprocess
import sys
from pathlib import Path

TOLERANCE = 2  # messages of 16 operations: acknowledgements that travel alone, and messages that arrive in parts
LONGEST_HEAD = 48  # bytes before the payload of such a message
COLUMNS = ("sends of PE 0", "receives of PE 0", "bytes of PE 0", "sends of PE 1", "receives of PE 1", "bytes of PE 1")


def read_rows(text: str, mark: str = "") -> dict[str, list[int]]:
    lines = [line.removeprefix(mark).split() for line in text.splitlines()
             if line.startswith(mark) and line.strip() and not line.startswith("#")]
    return {name: [int(value) for value in values] for name, *values in lines}


def complaints(counted: dict[str, list[int]], budgets: dict[str, list[int]]) -> list[str]:
    found = [f"{name} is not in the table" for name in counted.keys() - budgets.keys()]
    found += [f"{name} was not counted" for name in budgets.keys() - counted.keys()]
    for name in counted.keys() & budgets.keys():
        for column, value, budget in zip(COLUMNS, counted[name], budgets[name], strict=True):
            allowed = TOLERANCE * (LONGEST_HEAD if column.startswith("bytes") else 1)
            # Several messages may arrive together.
            too_few = value < budget - allowed and not column.startswith("receives")
            if too_few or value > budget + allowed:
                found.append(f"{name}: {value} {column}, expected {budget}, and at most {allowed} more or less")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", required=True, type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    job = subprocess.run(args.command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    counted = read_rows(job.stdout, "calls: ")
    if job.returncode or not counted:
        sys.exit(f"perf: exit status {job.returncode}; its output:\n{job.stdout}")
    if args.write:
        comment = [line for line in args.table.read_text().splitlines() if line.startswith("#")]
        rows = [f"{name:<14}" + "".join(f"{value:>7}" for value in values) for name, values in counted.items()]
        args.table.write_text("\n".join([*comment, *rows]) + "\n")
        return 0
    found = complaints(counted, read_rows(args.table.read_text()))
    print("\n".join(f"perf: {line}" for line in found) or "perf: as in the table")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
