#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on the tests themselves: no test is missing, and every skipped test gives an allowed reason.

  check_tests.py BUILD NAMES                compares the tests of a build folder with the list NAMES (tests/gates/names/)
  check_tests.py BUILD NAMES --ran REPORT   also checks the skipped tests, from `ctest --output-junit REPORT`
  check_tests.py BUILD NAMES --write        writes the list
  check_tests.py --suites [--root DIR]      compares the suites in tests/unit with the lists of all builds, without a build

A test may be missing if this machine lacks a compiler, an MPI or a wheel that it needs; tests/gates/names/needs.txt lists
these needs. With CI set in the environment no test may be missing, nor skipped for a reason that needs.txt does not allow.
For Google Test the list has the suites (`Suite.*`), because cases come and go with their source only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDS = ROOT / "tests/gates/names/needs.txt"
LISTS = [f"tests/gates/names/{build}.txt" for build in ("release", "asan", "tsan")]
SUITE = re.compile(r"^TEST(?:_F)?\((\w+),", re.MULTILINE)
REASON = re.compile(r"(?:^skipped: |\.\.\. skipped ['\"])(.+?)['\"]?$", re.MULTILINE)  # our own word, and unittest's


@dataclass(frozen=True)
class Need:
    """A line of needs.txt: `PATTERN: what`, or `PATTERN may skip: REASON`."""

    pattern: str
    what: str
    skip: bool

    @staticmethod
    def read(line: str) -> Need:
        head, what = line.split(": ", 1)
        pattern = head.removesuffix(" may skip")
        return Need(pattern, what.strip(), pattern != head)


def read_needs() -> list[Need]:
    return [Need.read(line) for line in NEEDS.read_text().splitlines() if line.strip() and not line.startswith("#")]


def names_of(build: Path) -> list[str]:
    """The tests that ctest would run; for Google Test the suites."""
    listing = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    return sorted({suite_of(test["name"]) if is_google(test) else test["name"] for test in json.loads(listing)["tests"]})


def is_google(test: dict) -> bool:
    return any("--gtest_filter=" in word for word in test.get("command", []))


def suite_of(case: str) -> str:
    return case.split(".")[0] + ".*"


def compare(listed: set[str], found: set[str], strict: bool, again: str) -> tuple[list[str], list[str]]:
    """Problems, and remarks."""
    needs = [need for need in read_needs() if not need.skip]
    problems = [f"new test: {name}: {again}" for name in sorted(found - listed)]
    words = []
    for name in sorted(listed - found):
        what = next((need.what for need in needs if fnmatch(name, need.pattern)), None)
        if what and not strict:
            words.append(f"not here: {name}: needs {what}")
        else:
            problems.append(f"missing test: {name}" + (f": needs {what}" if what else f": if it is gone for good: {again}"))
    return problems, words


def skips(report: Path) -> list[tuple[str, str]]:
    """The name and reason of each skipped test, and of each skipped case of a Python file."""
    found = []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        reasons = REASON.findall(case.findtext("system-out") or "")
        if not reasons and (case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None):
            skipped = case.find("skipped")
            reasons = [skipped.get("message", "no reason") if skipped is not None else "did not run"]
        found += [(case.get("name", "?"), reason) for reason in dict.fromkeys(reasons)]
    return found


def judge_skips(found: list[tuple[str, str]], strict: bool) -> tuple[list[str], list[str]]:
    allowed = [need for need in read_needs() if need.skip]
    problems, words = [], []
    for name, reason in found:
        known = any(fnmatch(name, need.pattern) and re.search(need.what, reason) for need in allowed)
        (words if known or not strict else problems).append(f"skipped: {name}: {reason}")
    return problems, words


def unlisted_suites(root: Path) -> list[str]:
    suites = {f"{name}.*" for source in (root / "tests/unit").rglob("*.cpp") for name in SUITE.findall(source.read_text())}
    return [f"{path.relative_to(root)}: new suite: {name}: add this line" for path in map(root.joinpath, LISTS)
            for name in sorted(suites - set(path.read_text().split()))]


def tell(words: list[str], problems: list[str], what: str) -> int:
    for line in words + problems:
        print(f"tests: {line}")
    print(f"tests: {what}, {len(problems)} problems")
    return 1 if problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, nargs="?")
    parser.add_argument("names", type=Path, nargs="?")
    parser.add_argument("--suites", action="store_true", help="look for suites of tests/unit that a list does not name")
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--ran", type=Path, metavar="REPORT", help="what ctest --output-junit wrote")
    parser.add_argument("--write", action="store_true", help="write the list")
    options = parser.parse_args()
    if options.suites:
        return tell([], unlisted_suites(options.root.resolve()), "new suites of tests/unit")
    if not options.names:
        parser.error("BUILD and NAMES are needed, or --suites")
    strict, found = bool(os.environ.get("CI")), names_of(options.build)
    if options.write:
        options.names.write_text("".join(f"{name}\n" for name in found))
        return 0
    listed = set(options.names.read_text().split())
    again = f"scripts/check_tests.py {options.build} {options.names} --write"
    problems, words = compare(listed, set(found), strict, again)
    if options.ran:
        more_problems, more_words = judge_skips(skips(options.ran), strict)
        problems, words = problems + more_problems, words + more_words
    return tell(words, problems, f"{len(found)} names, {len(words)} that this machine cannot run")


if __name__ == "__main__":
    sys.exit(main())
