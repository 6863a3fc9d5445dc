#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants one fault after another in a copy of the tree and looks whether the tests notice.

  mutate.py                    all areas
  mutate.py op heap            some
  mutate.py op/put-overflow    one mutant
  mutate.py --check            only whether every mutant still fits the sources (and with --tests-of BUILD, the tests)

An area is a table here, AREA.toml: what to build, which tests cover it (quickest first), and its mutants: one text of one
function replaced by another (places.py). A mutant is killed when a test fails or hangs; it may name the tests that should notice it (`by`),
which then come first. One that no test can notice says why (`equivalent`), is not run, and does not count. Nine of ten must
be killed. At the end of an area the tests that killed run once more without mutants: one that fails there does not count.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from places import file_of, regions

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Laid out as the tree itself is, so that ccache knows what is the same.
TREE = ROOT / "build/mutants"
BUILD = TREE / "build/release"
LEFT_OUT = {"build", ".git", ".slurm", ".rdma-vm"}
MUST_KILL = 0.9
TEST_SECONDS = 120  # a test that takes longer hangs


@dataclass
class Mutant:
    area: str
    name: str
    file: str
    old: str
    new: str
    function: str = ""  # none: the text stands outside of functions, and once in the file
    by: str = ""  # regular expression of ctest
    equivalent: str = ""

    def pattern(self) -> re.Pattern[str]:
        """Matches `old` however the formatter breaks its lines: only the words and signs count, not the space between."""
        words = re.findall(r"\w+|[^\w\s]", self.old)
        glue = [r"\s+" if re.match(r"\w", a) and re.match(r"\w", b) else r"\s*" for a, b in zip(words, words[1:])]
        return re.compile("".join(re.escape(w) + g for w, g in zip(words, [*glue, ""])))

    def path(self) -> Path | None:
        return file_of(ROOT, self.file)

    def found_in(self, text: str) -> list[re.Match[str]]:
        return [match for begin, end in regions(Path(self.file), text, self.function)
                for match in self.pattern().finditer(text, begin, end)]

    def misfit(self) -> str:
        """Why the mutant does not fit the sources; empty if it does."""
        path = self.path()
        if path is None:
            return f"no file, or more than one: {self.file}"
        text = path.read_text()
        if self.function and not regions(path, text, self.function):
            return f"{self.file} has no function {self.function}"
        where = f"{self.function} of {self.file}" if self.function else self.file
        return "" if len(self.found_in(text)) == 1 else f"its text does not stand exactly once in {where}"

    def planted_in(self, text: str) -> str:
        place = self.found_in(text)[0]
        return text[:place.start()] + self.new.strip() + text[place.end():]


@dataclass
class Area:
    name: str
    build: list[str]  # targets; none where only scripts change
    needs: list[str] | None  # targets that its tests run besides; not said: everything
    tests: list[str]  # regular expressions of ctest, one run for each, until one fails
    mutants: list[Mutant] = field(default_factory=list)

    @staticmethod
    def read(path: Path) -> "Area":
        table = tomllib.loads(path.read_text())
        mutants = [Mutant(path.stem, **row) for row in table["mutant"]]
        return Area(path.stem, table.get("build", []), table.get("needs"), table["tests"], mutants)


def run(command: list[str], seconds: float | None = None) -> tuple[int, str]:
    """Exit status (124: it took too long) and output."""
    try:
        job = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
                             errors="replace", stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as expired:
        return 124, str(expired)
    return job.returncode, job.stdout


def copy_tree() -> None:
    """Brings the copy up to date without touching what is the same, so that little is compiled."""
    wanted = set()
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in LEFT_OUT and f != "__pycache__" and not f.startswith(".venv")]
        for name in set(files) - LEFT_OUT:  # .git is a file where the tree is a worktree
            source = Path(folder, name)
            place = TREE / source.relative_to(ROOT)
            wanted.add(place)
            if not place.exists() or place.read_bytes() != source.read_bytes():
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, place)
    for place in [p for p in TREE.rglob("*") if p.is_file() and p not in wanted and BUILD not in p.parents]:
        place.unlink()
    for venv in ROOT.glob(".venv*"):
        link = TREE / venv.name
        if not link.is_symlink():
            link.symlink_to(venv.resolve())


def build(targets: list[str]) -> tuple[bool, str]:
    command = ["cmake", "--build", str(BUILD), "-j", str(os.cpu_count())]
    status, output = run(command + (["--target", *targets] if targets else []))
    return status == 0, output


def targets_of(areas: list[Area]) -> list[str]:
    """All that these areas need; empty: everything."""
    if any(area.needs is None for area in areas):
        return []
    return sorted({target for area in areas for target in area.build + (area.needs or [])})


def prepare(areas: list[Area], trust: bool) -> None:
    copy_tree()
    status, output = run(["cmake", "-G", "Ninja", "-S", str(TREE), "-B", str(BUILD), "-DCMAKE_BUILD_TYPE=RelWithDebInfo"])
    targets = targets_of(areas) or (trust and [target for area in areas for target in area.build]) or []
    built, said = build(targets) if status == 0 else (False, output)
    if not built:
        sys.exit(f"mutate: the tree without mutants does not build:\n{said[-3000:]}")
    if check_names(areas, BUILD):
        sys.exit(1)
    for area in [] if trust else areas:
        failed = failing_test(area.tests)
        if failed:
            sys.exit(f"mutate: area {area.name}: without any mutant: {failed}")


def failing_test(groups: list[str]) -> str:
    """The first test of these groups that fails, or ctest's word; empty if none does."""
    for tests in groups:
        status, output = run(["ctest", "--test-dir", str(BUILD), "-R", tests, "--stop-on-failure", "--no-tests=error",
                              "--timeout", str(TEST_SECONDS), "-j", "2", "--output-on-failure"])
        if status:
            (BUILD / "last_failure.txt").write_text(output)
            failed = re.search(r"Test +#\d+: (.+?) \.*\*\*\*(\w+)", output)  # the name of a typed test has spaces
            return f"{failed[1]} {failed[2]}" if failed else " ".join(output.splitlines()[-3:])
    return ""


def try_mutant(area: Area, mutant: Mutant) -> tuple[str, str]:
    """Verdict and the test, or the compiler's word, that led to it."""
    place = TREE / mutant.path().relative_to(ROOT)
    before = place.read_text()
    place.write_text(mutant.planted_in(before))
    try:
        built, output = build(area.build) if area.build else (True, "")
        if not built:
            return "does not build", output[-600:]
        failed = failing_test([mutant.by, *area.tests] if mutant.by else area.tests)
        return ("killed", failed) if failed else ("SURVIVED", "")
    finally:
        place.write_text(before)


def use_place(place: Path) -> None:
    global TREE, BUILD
    TREE, BUILD = place.resolve(), place.resolve() / "build/release"


def select(words: list[str]) -> list[Area]:
    areas = [Area.read(path) for path in sorted(HERE.glob("*.toml"))]
    for area in areas:
        if words and area.name not in words:
            area.mutants = [m for m in area.mutants if f"{area.name}/{m.name}" in words]
    unknown = [w for w in words if not any(w in (a.name, *(f"{a.name}/{m.name}" for m in a.mutants)) for a in areas)]
    if unknown:
        sys.exit(f"mutate: no such area or mutant: {', '.join(unknown)}")
    return [area for area in areas if area.mutants]


def check(areas: list[Area]) -> int:
    stale = [m for area in areas for m in area.mutants if m.misfit()]
    for m in stale:
        print(f"mutate: {m.area}/{m.name}: {m.misfit()}")
    print(f"mutate: {sum(len(a.mutants) for a in areas)} mutants, {len(stale)} that do not fit")
    return 1 if stale else 0


def check_names(areas: list[Area], build_folder: Path) -> int:
    """Every expression names a test of this build: ctest fails where there is none, as if the mutant had been noticed."""
    _, output = run(["ctest", "--test-dir", str(build_folder), "-N"])
    names = re.findall(r"Test +#\d+: (.+)", output)
    wanted = [(area.name, tests) for area in areas for tests in area.tests]
    wanted += [(f"{area.name}/{m.name}", m.by) for area in areas for m in area.mutants if m.by]
    lost = [(who, tests) for who, tests in wanted if not any(re.search(tests, name) for name in names)]
    for who, tests in lost:
        print(f"mutate: {who}: none of the {len(names)} tests of {build_folder} is {tests}")
    return 1 if lost else 0


def unreliable(area: Area, killers: set[str]) -> set[str]:
    """Those that fail where nothing is wrong. Builds what is right again, which the next area begins with."""
    if area.build:
        build(area.build)
    return {test for test in killers if failing_test([f"^{re.escape(test)}$"])}


def run_area(area: Area) -> dict[str, list[str]]:
    verdicts: dict[str, list[str]] = {}
    killed_by: dict[str, list[str]] = {}
    for mutant in area.mutants:
        began = time.monotonic()
        verdict, why = ("equivalent", mutant.equivalent) if mutant.equivalent else try_mutant(area, mutant)
        name = f"{area.name}/{mutant.name}"
        verdicts.setdefault(verdict, []).append(name)
        if verdict == "killed":
            killed_by.setdefault(why.rsplit(maxsplit=1)[0], []).append(name)
        print(f"  {verdict:10} {name} ({time.monotonic() - began:.0f} s) {why}", flush=True)
    for test in unreliable(area, set(killed_by)):
        print(f"  {test} fails without a mutant too: {', '.join(killed_by[test])}", flush=True)
        verdicts["killed"] = [name for name in verdicts["killed"] if name not in killed_by[test]]
        verdicts.setdefault("SURVIVED", []).extend(killed_by[test])
    return verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help="areas, or AREA/MUTANT")
    parser.add_argument("--check", action="store_true", help="only look whether the mutants fit the sources")
    parser.add_argument("--tests-of", type=Path, metavar="BUILD", help="look as well whether they name tests of this build")
    parser.add_argument("--trust", action="store_true", help="that all is built, and that the tests pass, without mutants")
    parser.add_argument("--quick", type=int, metavar="N", help="only the first N groups of an area's tests")
    parser.add_argument("--place", type=Path, default=TREE, help="of the copy, below the tree (%(default)s)")
    parser.add_argument("--report", type=Path, help="write the verdicts as JSON")
    options = parser.parse_args()
    areas = select(options.what)
    stale = check(areas)
    if options.tests_of:
        stale |= check_names(areas, options.tests_of)
    if stale or options.check:
        return stale
    use_place(options.place)
    os.environ["OSHEN_TEST_IMPATIENT"] = "1"  # tests/support/jobs.py
    for area in areas:
        area.tests = area.tests[:options.quick]
    prepare(areas, options.trust)
    total: dict[str, list[str]] = {}
    for area in areas:
        print(f"{area.name}: {len(area.mutants)} mutants", flush=True)
        for verdict, names in run_area(area).items():
            total.setdefault(verdict, []).extend(names)
    if options.report:
        options.report.write_text(json.dumps(total, indent=1))
    killed, broken = len(total.get("killed", [])), len(total.get("does not build", []))
    counted = killed + len(total.get("SURVIVED", []))
    print(f"mutate: {killed} of {counted} killed, {len(total.get('equivalent', []))} equivalent, {broken} do not build;"
          f" survived: {', '.join(total.get('SURVIVED', [])) or 'none'}")
    return 0 if counted and killed >= MUST_KILL * counted and not broken else 1


if __name__ == "__main__":
    sys.exit(main())
