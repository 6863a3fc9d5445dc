#!/usr/bin/env python3
"""Compares the table of docs/user/litmus.md with shapes.def, or writes it.   table.py [--write]"""

import sys
from pathlib import Path
from oshbench.correctness import litmus


ROOT = Path(__file__).resolve().parents[3]

PAGE = ROOT / "docs/user/litmus.md"
BEGIN, END = "<!-- table: tests/run.py tests/stress/litmus/table.py --write -->\n", "<!-- end of table -->\n"
VERDICT = {"forbidden": "never", "silent": "not specified", "allowed": "may be seen"}
RACE = {"ordered": "no", "races": "yes", "sometimes": "if the flag is not seen"}


def rows() -> str:
    lines = ["| test | objects | PE: steps | outcome | verdict | race | why |", "|---|---|---|---|---|---|---|"]
    for test in litmus.read_tests(ROOT / "bench"):
        does = " <br> ".join(f"`{part.strip()}`" for part in test.steps.split("|"))
        lines.append(f"| {test.name} | `{test.objects}` | {does} | `{test.outcome}` | {VERDICT[test.verdict]} | {RACE[test.race]} "
                     f"| {test.why} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    wanted = rows()
    before, _, rest = PAGE.read_text().partition(BEGIN)
    stands, _, after = rest.partition(END)
    if "--write" in sys.argv:
        PAGE.write_text(before + BEGIN + wanted + END + after)
    elif stands != wanted:
        print(f"{PAGE.name}: its table differs from shapes.def; run tests/run.py tests/stress/litmus/table.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
