#!/usr/bin/env python3
"""Compares the table of docs/design/litmus.md with shapes.def, or writes it.   table.py [--write]"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs/design/litmus.md"
BEGIN, END = "<!-- table: tests/stress/litmus/table.py --write -->\n", "<!-- end of table -->\n"
VERDICT = {"forbidden": "never", "onenode": "never on one node", "allowed": "may be seen"}


def rows(text: str) -> str:
    lines = ["| test | objects | PE: steps | outcome | verdict | why |", "|---|---|---|---|---|---|"]
    for entry in re.findall(r"^LITMUS\((.*?)\)\n(?=\n|LITMUS|//|\Z)", text, re.S | re.M):
        name, homes, threads, outcome = re.findall(r'"([^"]*)"', entry)[:4]
        verdict, why = re.search(r'(forbidden|onenode|allowed),\s*"([^"]*)"\s*$', entry).groups()
        does = " <br> ".join(f"`{part.strip()}`" for part in threads.split("|"))
        lines.append(f"| {name} | `{homes}` | {does} | `{outcome}` | {VERDICT[verdict]} | {why} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    wanted = rows((HERE / "shapes.def").read_text())
    before, _, rest = PAGE.read_text().partition(BEGIN)
    stands, _, after = rest.partition(END)
    if "--write" in sys.argv:
        PAGE.write_text(before + BEGIN + wanted + END + after)
    elif stands != wanted:
        print(f"{PAGE.name}: its table differs from shapes.def; run tests/stress/litmus/table.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
