#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on the tests themselves: no test is missing, and every skipped test gives an allowed reason.

  check_tests.py BUILD COUNTS                compares the tests of a build folder with COUNTS (tests/gates/counts/)
  check_tests.py BUILD COUNTS --ran REPORT   also checks the skipped tests, from `ctest --output-junit REPORT`
  check_tests.py BUILD COUNTS --write        writes the counts

COUNTS has one line for each label: how many tests ctest would run, and separately those that need a compiler, an MPI or a
wheel that a machine may lack; tests/gates/counts/needs.txt lists these needs. With CI set in the environment they may not be
missing either, and no test may be skipped for a reason that needs.txt does not allow. Cases of Google Test are not counted.
A line `all tests/unit` says that this build must have each suite in the sources of that folder.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDS = ROOT / "tests/gates/counts/needs.txt"
SUITE = re.compile(r"^TEST(?:_F)?\((\w+),", re.MULTILINE)
INSTANCE = re.compile(r"^INSTANTIATE_TEST_SUITE_P\((\w+), (\w+),", re.MULTILINE)
NOT_BUILT = "_NOT_BUILT"  # by CMake: the name of a program of Google Test has this ending
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


def tests_of(build: Path) -> tuple[dict[str, str], set[str]]:
    """The names of the tests that ctest would run, with their labels, and the suites of Google Test."""
    listing = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    tests: dict[str, str] = {}
    suites: set[str] = set()
    for test in json.loads(listing)["tests"]:
        if "--gtest_also_run_disabled_tests" in test.get("command", []):  # by gtest_discover_tests
            suites.add(test["name"].split(".")[0])
        elif not test["name"].endswith(NOT_BUILT):
            tests[test["name"]] = label_of(test)
    return tests, suites


def label_of(test: dict) -> str:
    """The first label that says what is tested (`long` and `nightly` say when), or the first part of the name."""
    labels = next((one["value"] for one in test.get("properties", []) if one["name"] == "LABELS"), [])
    return next((label for label in labels if label not in ("long", "nightly")), test["name"].split(".")[0])


def need_of(name: str, needs: list[Need]) -> str:
    return next((need.what for need in needs if fnmatch(name, need.pattern)), "")


def counted(tests: dict[str, str]) -> Counter[str]:
    """How many tests each label has; apart, as `label: need`, those that this need may take away."""
    needs = [need for need in read_needs() if not need.skip]
    found: Counter[str] = Counter()
    for name, label in tests.items():
        what = need_of(name, needs)
        found[f"{label}: {what}" if what else label] += 1
    return found


def read_counts(path: Path) -> tuple[Counter[str], list[str]]:
    """The counts of lines such as `12 cxx` or `6 cxx: no compiler here has <mdspan>`; the folders of lines such as `all tests/unit`."""
    lines = [line.split(" ", 1) for line in path.read_text().splitlines()]
    return Counter({what: int(number) for number, what in lines if number != "all"}), [what for number, what in lines if number == "all"]


def compare(listed: Counter[str], found: Counter[str], strict: bool, again: str) -> tuple[list[str], list[str]]:
    """Problems, and remarks."""
    problems, remarks = [], []
    for what in sorted(listed | found):
        label, _, need = what.partition(": ")
        if found[what] > listed[what]:
            problems.append(f"{found[what]} tests of {label}, expected {listed[what]}: after adding tests: {again}")
        elif found[what] < listed[what]:
            line = f"{found[what]} tests of {label}, expected {listed[what]}"
            line += f": the others need {need}" if need else f": a test is missing; if it is gone for good: {again}"
            (remarks if need and not strict else problems).append(line)
    return problems, remarks


def missing_suites(folder: str, suites: set[str], strict: bool) -> list[str]:
    """Suites in a source, or the sources of a folder, that this build does not have and should."""
    needs = [need for need in read_needs() if not need.skip]
    place = ROOT / folder
    text = "\n".join(path.read_text() for path in (sorted(place.rglob("*.cpp")) if place.is_dir() else [place]))
    expected = {*SUITE.findall(text), *(f"{name}/{suite}" for name, suite in INSTANCE.findall(text))}
    return [f"suite {name} of {folder} is not in this build: its program is not built, or CMakeLists.txt does not name its file"
            for name in sorted(expected - suites) if strict or not need_of(name, needs)]


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


def tell(words: list[str], problems: list[str], what: str) -> int:
    for line in words + problems:
        print(f"tests: {line}")
    print(f"tests: {what}, {len(problems)} problems")
    return 1 if problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("counts", type=Path)
    parser.add_argument("--ran", type=Path, metavar="REPORT", help="what ctest --output-junit wrote")
    parser.add_argument("--write", action="store_true", help="write the counts")
    options = parser.parse_args()
    strict, (tests, suites) = bool(os.environ.get("CI")), tests_of(options.build)
    listed, folders = read_counts(options.counts)
    found = counted(tests)
    if options.write:
        options.counts.write_text("".join(f"all {folder}\n" for folder in folders) +
                                  "".join(f"{found[what]} {what}\n" for what in sorted(found)))
        return 0
    again = f"scripts/check_tests.py {options.build} {options.counts} --write"
    problems, remarks = compare(listed, found, strict, again)
    problems += [problem for folder in folders for problem in missing_suites(folder, suites, strict)]
    if options.ran:
        more_problems, more_remarks = judge_skips(skips(options.ran), strict)
        problems, remarks = problems + more_problems, remarks + more_remarks
    return tell(remarks, problems, f"{len(tests)} tests, {len(suites)} suites")


if __name__ == "__main__":
    sys.exit(main())
