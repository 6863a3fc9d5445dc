#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Removes one synchronisation of the mini-apps at a time, and looks whether `oshcc --races` names the race.

usage: removals.py --bin FOLDER [--part K/N] [--argued] [--page FILE] [TEXT]

--part: every N-th removal, from the K-th on (`random/N`: some K). --page: writes the results as a table. TEXT: only removals
whose name contains it. A removal that leaves the program right stands in removals_argued.txt with the reason. A removal is
named if the detector names a race with its usual settings, or else with OSHEN_RACES_STRICT=1.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ARGUED = Path(__file__).with_name("removals_argued.txt")
MUST_NAME = 0.95
CALL = re.compile(r"\b(?:shmem_(?:fence|quiet|barrier_all|sync_all)\(\)|shmem_team_sync\([^;]*\)|shmem_\w*wait_until\([^;]*\)"
                  r"|halo_barrier\(\)|halo_wait\([^;)]*\)|words_settle\([^;)]*\));")
FUNCTION = re.compile(r"^(?:static )?[\w* ]+?\**(\w+)\([^;]*\) \{")
FLAGS = ["-std=c11", "-O2", "-D_POSIX_C_SOURCE=200809L"]

# What each app runs: the shortest run that uses all of its code.
RUNS = {
    "prk_stencil": "21 --steps 5", "heat_image": "33 17 30", "prk_transpose": "21 --steps 5", "prk_p2p": "20 7 --steps 1",
    "daxpy": "101 --steps 20 --scaling strong", "minimd": "6 --steps 40", "hpccg": "16 16 16 --steps 34 --scaling strong",
    "minife": "8", "remap3d": "9 10 11 --steps 3", "gups": "13", "isx": "3001 --steps 3", "bale_histogram": "100 2000",
    "bale_gather": "100 2000", "bale_permute": "301 5", "bale_transpose": "1200 5", "bale_toposort": "61 2",
    "bale_triangles": "20 4"}


@dataclass(frozen=True)
class Removal:
    file: str  # in apps/
    line: int
    function: str
    call: str
    nth: int  # of the equal calls in this function

    @property
    def name(self) -> str:
        return f"{self.file} {self.function}{f' {self.nth + 1}' if self.nth else ''}: {self.call}"


def find_removals(apps: Path) -> list[Removal]:
    found: list[Removal] = []
    for path in [apps / "halo/shmem.c", apps / "halo/shmem_words.c", apps / "halo/halo.c", apps / "halo/mail.c",
                 apps / "halo/app.c",
                 *sorted(apps.glob("*.c"))]:
        function = ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if match := FUNCTION.match(line):
                function = match[1]
            for match in CALL.finditer(line):
                file, call = str(path.relative_to(apps)), match[0].rstrip(";")
                nth = sum((r.file, r.function, r.call) == (file, function, call) for r in found)
                found.append(Removal(file, number, function, call, nth))
    return found


def sources_of_apps() -> dict[str, list[str]]:
    text = (ROOT / "apps/CMakeLists.txt").read_text()
    return {name: files.split() for name, files in re.findall(r"^set\((\w+)_sources\s+([^)]+)\)", text, re.M)}


def apps_with(file: str, sources: dict[str, list[str]]) -> list[str]:
    """The apps that contain the file, the quickest first."""
    if file == "halo/shmem_words.c":
        return ["gups", *(app for app in RUNS if app.startswith("bale"))]
    shared = file.startswith("halo/") and file != "halo/mail.c"
    return [app for app in RUNS if shared or file in sources[app]]


def files_of(app: str, sources: dict[str, list[str]]) -> list[str]:
    return list(dict.fromkeys([*sources[app], *sources.get(f"{app}_shmem", []), *sources["halo"], "halo/shmem.c", "halo/shmem_words.c"]))


def libraries_of(app: str) -> list[str]:
    return ["-pthread", "-lm", *(["-loshen-exchange", "-lstdc++"] if app == "remap3d" else [])]


def compile_command(app: str, apps: Path, sources: dict[str, list[str]], oshcc: Path, program: Path, races: bool = True) -> list:
    return [oshcc, *["--races"] * races, *FLAGS, f"-I{apps}", *(apps / name for name in files_of(app, sources)), "-o", program,
            *libraries_of(app)]


def compile_app(app: str, apps: Path, sources: dict[str, list[str]], oshcc: Path, program: Path, races: bool = True) -> None:
    subprocess.run(compile_command(app, apps, sources, oshcc, program, races), check=True, stdout=subprocess.DEVNULL)


def run_app(app: str, program: Path, oshrun: Path, pes: int, strict: bool) -> str:
    job = subprocess.run([oshrun, "--timeout", "20", "-n", str(pes), program, *RUNS[app].split(), "--sync", "all"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                         env={**os.environ, "OSHEN_RACES_STRICT": "01"[strict]})
    line = next((line for line in job.stdout.splitlines() if line.startswith("oshen: race on ")), "")
    return line.replace("oshen:", "strict:" if strict else "", 1).strip()


class Objects:
    """Compiles each source of the apps once, and the changed source of each removal once for all apps."""

    def __init__(self, sources: dict[str, list[str]], oshcc: Path, folder: Path) -> None:
        self.sources, self.oshcc, self.folder = sources, oshcc, folder
        self.right: dict[str, Path] = {}

    def compile(self, source: Path, name: str) -> Path:
        made = self.folder / f"{name.replace('/', '-')}.o"
        subprocess.run([self.oshcc, "--races", *FLAGS, f"-I{ROOT / 'apps'}", "-c", source, "-o", made], check=True)
        return made

    def link(self, app: str, changed: str, wrong: Path, program: Path) -> None:
        """The app with the object `wrong` of the changed source."""
        for name in files_of(app, self.sources):
            if name != changed and name not in self.right:
                self.right[name] = self.compile(ROOT / "apps" / name, name)
        objects = [wrong if name == changed else self.right[name] for name in files_of(app, self.sources)]
        subprocess.run([self.oshcc, "--races", *objects, "-o", program, *libraries_of(app)], check=True)


def run_with(removal: Removal, objects: Objects, tools: Path, folder: Path) -> str:
    """The line that names the race, or ""."""
    lines = (ROOT / "apps" / removal.file).read_text().splitlines(keepends=True)
    lines[removal.line - 1] = lines[removal.line - 1].replace(removal.call + ";", "(void)0;", 1)
    path = folder / "apps" / removal.file
    shutil.rmtree(folder / "apps", ignore_errors=True)
    shutil.copytree(ROOT / "apps", folder / "apps")  # its headers
    path.write_text("".join(lines))
    wrong = objects.compile(path, "changed")
    programs = apps_with(removal.file, objects.sources)
    for strict in (False, True):
        for app in programs:
            if not strict:
                objects.link(app, removal.file, wrong, folder / app)
            for pes in (3,) if strict else (3, 4):
                if line := run_app(app, folder / app, tools / "oshrun", pes, strict):
                    return line
    return ""


def read_part(text: str) -> slice:
    """`K/N`: every N-th, from the K-th on."""
    part, parts = text.split("/")
    return slice(random.randrange(int(parts)) if part == "random" else int(part), None, int(parts))


def read_argued() -> dict[str, str]:
    lines = [line for line in ARGUED.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(" -- ", 1) for line in lines)


def write_page(page: Path, results: dict[Removal, str], argued: dict[str, str]) -> None:
    rows = [f"| `{r.name}` | {line or 'none: ' + argued.get(r.name, 'missed')} |" for r, line in results.items()]
    page.write_text("| removed | report |\n|---|---|\n" + "\n".join(rows) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--part", type=read_part, default=slice(None), metavar="K/N")
    parser.add_argument("--page", type=Path, metavar="FILE")
    parser.add_argument("--argued", action="store_true", help="also remove what stands in removals_argued.txt")
    parser.add_argument("text", nargs="?", default="")
    options = parser.parse_args()
    argued = read_argued()
    everything = find_removals(ROOT / "apps")
    unknown = [name for name in argued if name not in {r.name for r in everything}]
    print(f"part {options.part}")
    for name in unknown:
        print(f"{ARGUED.name}: there is no such call any more: {name}")
    chosen = [r for r in everything if options.text in r.name and (options.argued or r.name not in argued)]
    results: dict[Removal, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        objects = Objects(sources_of_apps(), options.bin / "oshcc", Path(folder))
        for removal in chosen[options.part]:
            line = results[removal] = run_with(removal, objects, options.bin, Path(folder))
            verdict = "named" if line else "argued" if removal.name in argued else "MISSED"
            print(f"{verdict:7} {removal.name}\n        {line or argued.get(removal.name, '')}", flush=True)
    if options.page:
        write_page(options.page, results, argued)
    needed = [r for r in results if r.name not in argued]
    named = sum(bool(results[r]) for r in needed)
    print(f"{len(results)} removals, {len(results) - len(needed)} argued, {named} of the other {len(needed)} named")
    return 1 if unknown or named < MUST_NAME * len(needed) else 0


if __name__ == "__main__":
    sys.exit(main())
