#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the checks for a change, in under two minutes: the gates, and the quick tests of the folders that changed.

  check.py              the uncommitted change, or else the last commit
  check.py --base REV   everything since REV
  check.py --show       only prints the checks that would run

`make test-all` runs everything. tests/README.md names the tests for each kind of change.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
PYTHON = str(ROOT / ".venv/bin/python")

GATES = [
    ["scripts/check_format.py"],
    ["scripts/check_columns.py"],
    ["scripts/check_sizes.py"],
    ["scripts/check_layers.py"],
    ["scripts/check_includes.py"],
    ["scripts/check_names.py"],
    ["scripts/check_docs.py"],
    ["scripts/check_prose.py"],
    ["scripts/generate.py", "--check"],
    ["tests/mutants/mutate.py", "--check"],
]


MOST_TIDIED = 20  # sources; each takes a second


@dataclass(frozen=True)
class Area:
    """The quick tests of some folders: targets to build, and a regular expression of ctest."""

    folders: tuple[str, ...]
    targets: tuple[str, ...]
    tests: str


CORE = ("oshen", "oshrun", "oshinfo")
AREAS = [
    Area(
        ("src/", "spec/", "include/shmem", "tests/unit/", "tests/support/"),
        (*CORE, "oshen_unit", "conformance", "spec_rma_put_get_sizes", "spec_rma_iput", "spec_bad_arguments")
        + ("spec_heap_malloc_barrier", "spec_threads_contexts", "spec_coll_back_to_back", "spec_team_split_nested"),
        r"^(Acks|Allocator|Backoff|CommaLocale|Collectives|Domains|Environment|FlagSlots|Graphs|Handles|Ledger|Messages|Names"
        r"|NonBlocking\.|Operations|ParseSize|Selection|SeparateStreams|Teams\.|Turns|WakeFlag)"
        r"|^all/.*_transport\..*/(loop|ofi)|^spec\.(rma_put_get_sizes|rma_iput|bad_arguments|heap_malloc_barrier|threads_contexts"
        r"|coll_back_to_back|team_split_nested)$",
    ),
    Area(("tests/spec/",), (*CORE,), ""),  # programs_of adds the programs that changed
    Area(("tests/model/",), ("oshen_model",), r"^(Barriers|Inbox|WakeFlag|Turns|Quiescence|Explorer)"),
    Area(
        ("tests/model/", "exchange/", "trials/", "fft/moves/shared_backend"),
        ("oshen_model_one_sided",),
        r"^(OneSided|ExchangeModel|FftModel)",
    ),
    Area(("tools/oshrun/", "tests/tools/oshrun/"), (*CORE, "fake_pe", "fail_pe", "fail_deny", "mapping_test"), r"^fail\.oshrun"),
    Area(("tools/explore/", "tests/tools/oshexplore/"), (*CORE, "oshen_explore"), r"^explore\."),
    Area(("exchange/", "trials/", "tests/exchange/"), (*CORE, "exchange_remap"), r"^exchange\.remap\.(2|3)$"),
    Area(("fft/", "tests/fft/"), (*CORE, "fft_transforms", "fft_geometry_test"), r"^fft\.(geometry|transforms\.3)$"),
    Area(("bench/", "tests/bench/"), (), r"^bench\.(judge|figures|report)$"),
    Area(("apps/", "tests/apps/"), (*CORE, "heat_image"), r"^apps\.shmem\.heat_image\.2$"),
    Area(("scripts/", "tests/gates/"), (), r"^gates$"),
]


def git(*words: str) -> list[str]:
    said = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if said.returncode != 0:
        sys.exit(f"check: git {' '.join(words)}: {said.stderr.strip()}")
    return [line for line in said.stdout.split("\n") if line]


def changed(base: str | None) -> list[str]:
    if base:
        return git("diff", "--name-only", base)
    uncommitted = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    return uncommitted or git("diff", "--name-only", "HEAD~1")


def programs_of(files: list[str]) -> list[str]:
    """Names of the programs of tests/spec that changed."""
    return [Path(f).stem for f in files if f.startswith("tests/spec/") and f.endswith(".c") and (ROOT / f).exists()]


def tidied(files: list[str]) -> list[str]:
    """The sources of the library that changed, for clang-tidy: `make test-nightly` reads all."""
    return [f for f in files if f.startswith("src/") and f.endswith(".cpp") and (ROOT / f).exists()][:MOST_TIDIED]


def run(words: list[str], **options) -> bool:
    began = time.monotonic()
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    state = "ok" if done.returncode == 0 else "FAILED"
    print(f"check: {state:6} {time.monotonic() - began:5.1f} s  {' '.join(words)[:100]}", flush=True)
    if done.returncode != 0:
        print(done.stdout[-6000:])
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", metavar="REV", help="everything since this revision")
    parser.add_argument("--show", action="store_true", help="only say what would run")
    options = parser.parse_args()
    files = changed(options.base)
    areas = [area for area in AREAS if any(f.startswith(area.folders) for f in files)]
    targets = {target for area in areas for target in area.targets}
    patterns = [area.tests for area in areas if area.tests]
    for program in programs_of(files):
        targets.add(f"spec_{program}")
        patterns.append(rf"^spec\.{program}$")
    print(f"check: {len(files)} changed files; tests: {' '.join(patterns) or 'the gates only'}")
    if options.show:
        return 0
    passed = [run([PYTHON, "-B", *gate]) for gate in GATES]
    if targets or patterns:
        if not (BUILD / "build.ninja").exists():
            passed.append(run(["scripts/build.sh", "release", "-DOSHEN_TESTS=ON", "--", "oshen"]))
        if targets:
            passed.append(run(["cmake", "--build", str(BUILD), "-j", str(os.cpu_count()), "--target", *sorted(targets)]))
        if tidied(files):
            passed.append(run([PYTHON, "-B", "scripts/check_tidy.py", str(BUILD), *tidied(files)]))
        if all(passed):
            passed.append(
                run(["ctest", "--test-dir", str(BUILD), "-R", "|".join(patterns), "-j", "2", "--output-on-failure"])
            )
    print("check: all passed" if all(passed) else "check: FAILED")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
