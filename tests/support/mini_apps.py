# SPDX-License-Identifier: BSD-3-Clause
"""The mini-apps as programs of tests: how they are compiled, and each of their synchronisations removed in turn."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ROOT / "apps"
ARGUED = Path(__file__).with_name("mini_apps_argued.txt")
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


def compile_command(app: str, apps: Path, sources: dict[str, list[str]], oshcc: Path, program: Path, mode: str = "--races") -> list:
    return [oshcc, *mode.split(), *FLAGS, f"-I{apps}", *(apps / name for name in files_of(app, sources)), "-o", program,
            *libraries_of(app)]


def compile_app(app: str, apps: Path, sources: dict[str, list[str]], oshcc: Path, program: Path, mode: str = "--races") -> None:
    subprocess.run(compile_command(app, apps, sources, oshcc, program, mode), check=True, stdout=subprocess.DEVNULL)


class Objects:
    """Compiles each source of the apps once, and the changed source of each removal once for all apps."""

    def __init__(self, sources: dict[str, list[str]], oshcc: Path, folder: Path, mode: str = "--races") -> None:
        self.sources, self.oshcc, self.folder, self.mode = sources, oshcc, folder, mode
        self.right: dict[str, Path] = {}

    def compile(self, source: Path, name: str) -> Path:
        made = self.folder / f"{name.replace('/', '-')}.o"
        subprocess.run([self.oshcc, self.mode, *FLAGS, f"-I{APPS}", "-c", source, "-o", made], check=True)
        return made

    def link(self, app: str, changed: str, wrong: Path, program: Path) -> None:
        """The app with the object `wrong` of the changed source."""
        for name in files_of(app, self.sources):
            if name != changed and name not in self.right:
                self.right[name] = self.compile(APPS / name, name)
        objects = [wrong if name == changed else self.right[name] for name in files_of(app, self.sources)]
        subprocess.run([self.oshcc, self.mode, *objects, "-o", program, *libraries_of(app)], check=True)

    def compile_without(self, removal: Removal) -> Path:
        """The object of the source from which the synchronisation is removed."""
        lines = (APPS / removal.file).read_text().splitlines(keepends=True)
        lines[removal.line - 1] = lines[removal.line - 1].replace(removal.call + ";", "(void)0;", 1)
        path = self.folder / "apps" / removal.file
        shutil.rmtree(self.folder / "apps", ignore_errors=True)
        shutil.copytree(APPS, self.folder / "apps")  # its headers
        path.write_text("".join(lines))
        return self.compile(path, "changed")


@dataclass(frozen=True)
class Part:
    """The share of a test in the programs or removals: every `parts`-th from the `first`-th on, or as many at random."""
    parts: int = 1
    first: int = 0
    seed: int | None = None

    def of(self, everything: list) -> list:
        if self.seed is None:
            return everything[self.first::self.parts]
        n = -(-len(everything) // self.parts)
        return [everything[i] for i in sorted(random.Random(self.seed).sample(range(len(everything)), n))]

    def __str__(self) -> str:
        if self.seed is None:
            return f"{self.first}/{self.parts}"
        return f"1/{self.parts} at random, seed {self.seed} (OSHEN_SEED repeats it)"


def read_part(text: str) -> Part:
    """`K/N`: every N-th, from the K-th on. `random/N`: as many, chosen by a seed."""
    part, parts = text.split("/")
    if part != "random":
        return Part(int(parts), int(part))
    return Part(int(parts), seed=int(os.environ.get("OSHEN_SEED", random.randrange(1 << 30))))


def read_argued() -> dict[str, str]:
    """Removals after which the mini-apps are still right: the reason of each."""
    lines = [line for line in ARGUED.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(" -- ", 1) for line in lines)
