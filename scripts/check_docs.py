#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on the documentation: compares its claims with the sources.

  check_docs.py                compares the pages with the sources
  check_docs.py --write        writes the tables that are derived from spec/ into their pages
  check_docs.py --run BIN      also compiles and runs the examples of the pages, with the programs in folder BIN
  check_docs.py --write --run BIN   also writes docs/algorithms.md and docs/algorithms/

It checks:
  links      every relative link leads to a file, and its anchor to a heading
  code       a comment <!-- code FILE: TEXT --> behind a claim names the text in FILE that makes it true
  paths      every path that a page or a comment of a source names exists, and every section of a page
  proofs     the tests in the columns "proved by" exist: names of ctest, or, with a capital letter, cases of Google Test
  settings   the table of docs/user/environment.md is that of spec/settings.def
  calls      the tables of docs/from-mpi.md are those of docs/mpi_calls.def, and every call and routine there exists
  algorithms docs/algorithms.md and docs/algorithms/ equal the output of oshinfo in folder BIN (with --run only)
  messages   docs/user/messages.md or troubleshooting.md explains every message that the library and oshrun can print

Examples are the blocks marked c, cpp, fortran, python and sh. A block of a language that begins with a comment with a file
name is written to that file; an sh block is run in the same folder; a text block directly after it is its output. Blocks
that call oshfort or python3 are not run where gfortran, or .venv with NumPy, is missing.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import check_prose
import mpi_calls
from api_spec import ROOT, read_settings

DOCS = ROOT / "docs"
BEGIN, END = "<!-- generated: {} -->", "<!-- end -->"
EXAMPLE_SECONDS = 120
COMMENT = {"c": "//", "cpp": "//", "fortran": "!", "python": "#"}
VENV = ROOT / ".venv/bin"
SOURCES = {".c", ".cpp", ".h", ".hpp", ".def", ".py"}


def pages() -> list[Path]:
    outside = [p for folder in ("src", "trials", "exchange", "fft", "fftw_mpi", "lammps", "bench", "apps", "python", "tests")
               for p in sorted((ROOT / folder).rglob("README.md"))]
    return sorted(ROOT.glob("*.md")) + outside + sorted(DOCS.rglob("*.md"))


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


# ---------------------------------------------------------------- links and claims

@functools.cache
def headings(page: Path) -> tuple[str, ...]:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return tuple(re.findall(r"^#+ (.+)$", text, re.M))


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def check_links(page: Path, text: str) -> list[str]:
    problems = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        place, _, anchor = target.partition("#")
        linked = page.parent / place if place else page
        if re.match(r"\w+:", target):
            continue
        if not linked.exists():
            problems.append(f"{name_of(page)}: no such file: {target}")
        elif anchor and linked.suffix == ".md" and anchor not in map(anchor_of, headings(linked)):
            problems.append(f"{name_of(page)}: no such heading: {target}")
    return problems


def check_claims(page: Path, text: str) -> list[str]:
    problems = []
    for file, claim in re.findall(r"<!-- code ([^\s:]+): (.+?) -->", text, re.S):
        source = ROOT / file
        if not source.exists() or squeezed(claim) not in squeezed(source.read_text()):
            problems.append(f"{name_of(page)}: {file} no longer says: {squeezed(claim)}")
    return problems


# ---------------------------------------------------------------- paths

# Paths are relative to the top of the tree, or as in an #include.
PREFIXES = ("", "src", "docs", "include", "tests")
QUOTED_PATH = re.compile(r"`([\w.-]+/[\w./*+-]*)`")
NAMED_FILE = re.compile(r"(?<![\w./<>{}$*-])((?:[\w-]+/)+[\w*-]+\.(?:hpp|cpp|c|h|py|md|def|txt|sh))(?![\w/*])")
# The section of a page that a comment or another page names: (design/waiting.md, "Invariants").
NAMED_SECTION = re.compile(r'([\w./-]+\.md)\)?, (?:"([^"]+)"|\*([^*]+)\*)')
NOT_IN_TREE = ("build", "include/oshen-", "src/generated")


@functools.cache
def exists(path: str) -> bool:
    return any(any((ROOT / prefix).glob(path.rstrip("/"))) for prefix in PREFIXES)


@functools.cache
def folders() -> frozenset[str]:
    """Names with which a path of the tree can begin."""
    return frozenset(f.name for prefix in PREFIXES for f in (ROOT / prefix).iterdir()
                     if f.is_dir() and not f.name.startswith((".", "build")))


def check_paths(path: Path, text: str) -> list[str]:
    named = {found for found in QUOTED_PATH.findall(text) + NAMED_FILE.findall(text)
             if found.split("/")[0] in folders() and not found.startswith(NOT_IN_TREE)}
    missing = [found for found in sorted(named) if not exists(found) and not (path.parent / found).exists()]
    return [f"{name_of(path)}: no such path: {found}" for found in missing]


def check_sections(path: Path, text: str) -> list[str]:
    problems = []
    for page, *titles in NAMED_SECTION.findall(squeezed(text)):
        title = "".join(titles)
        for there in (path.parent / page, DOCS / page, ROOT / page):
            if there.exists():
                problems += [] if title in headings(there) else [f"{name_of(path)}: {page} has no heading: {title}"]
                break
    return problems


# A source by its name, with or without folders. Capitals stand for a name: AREA.toml.
COMMENT_FILE = re.compile(r"(?<![\w./<>{}$*-])((?:[\w-]+/)*[a-z][\w-]+\.(?:hpp|cpp|c|h|py|def|cmake|f90|toml|sh))(?![\w/*(.-]*\w)")
# Headers of others, examples, and files that are generated.
NOT_OURS = {"fft3d.h", "fftw3.h", "fftw3-mpi.h", "mpif.h", "pmix.h", "remap.h", "prog.c", "program.c", "program.cpp", "program.py",
            "settings_table.hpp"}


@functools.cache
def ends_of_paths() -> frozenset[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    if not listed:  # the tree of an archive
        folders = [folder for folder in ROOT.iterdir() if folder.is_dir() and folder.name not in (".venv", "build")]
        listed = [path.relative_to(ROOT).as_posix() for folder in folders for path in folder.rglob("*")]
    parts = [Path(name.removesuffix(".in")).parts for name in listed if (ROOT / name).exists()]
    return frozenset("/".join(one[at:]) for one in parts for at in range(len(one)))


def check_files_of_comments(path: Path, comments: str) -> list[str]:
    return [f"{name_of(path)}: no such file: {found}" for found in sorted(set(COMMENT_FILE.findall(comments)))
            if found not in ends_of_paths() and found not in NOT_OURS]


def check_paths_of_comments() -> list[str]:
    problems = []
    for path in check_prose.tracked():
        if path.suffix in SOURCES:
            comments = "\n".join(line for _, line in check_prose.prose_of(path))
            problems += check_paths(path, comments) + check_sections(path, comments) + check_files_of_comments(path, comments)
    return problems


# ---------------------------------------------------------------- tests named as proof

TEST_NAME = re.compile(r"`([A-Za-z_]\w*(?:\.[\w+]+)*)`")


@functools.cache
def cases() -> frozenset[str]:
    """The tests of Google Test, and the programs of tests/spec."""
    found = {".".join(found) for source in (ROOT / "tests").rglob("*.cpp")
             for found in re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", source.read_text(), re.M)}
    return frozenset(found | {f"spec.{path.stem}" for path in (ROOT / "tests/spec").glob("*.c")})


@functools.cache
def words_of_lists() -> list[set[str]]:
    """The words of each CMakeLists.txt that adds tests."""
    files = [*(ROOT / "tests").rglob("CMakeLists.txt"), *(ROOT / "tests").rglob("*.cmake")]
    return [set(re.findall(r"\w+", path.read_text())) for path in files]


def is_test(name: str) -> bool:
    """Whether a test has this name: one CMakeLists.txt has all its words, because names are made there in loops."""
    return name in cases() or not name.startswith("spec.") and any(set(name.split(".")) <= words for words in words_of_lists())


def rows_to_prove(text: str) -> list[tuple[str, str]]:
    """The first cell and the proof of each row of the tables with a column "proved by"."""
    found, column = [], -1
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            column = -1
        elif "proved by" in cells:
            column = cells.index("proved by")
        elif 0 <= column < len(cells) and not set(cells[0]) <= {"-"}:
            found.append((cells[0], cells[column]))
    return found


def check_proofs(page: Path, text: str) -> list[str]:
    problems = []
    for claim, proof in rows_to_prove(text):
        names = TEST_NAME.findall(proof)
        problems += [f"{name_of(page)}: no such test: {name}" for name in names if not is_test(name)]
        problems += [] if names else [f"{name_of(page)}: proved by no test: {claim}"]
    return problems


# ---------------------------------------------------------------- settings

def settings_table() -> str:
    lines = ["| variable | values | default | meaning |", "|---|---|---|---|"]
    for s in read_settings():
        name = f"`{s.name}`" + (f" or `{s.alias}`" if s.alias else "")
        values = s.type.replace("|", ", ")
        lines.append(f"| {name} | {values} | {s.fallback or 'not set'} | {s.about} |")
    return "\n".join(lines)


GENERATED = {DOCS / "user/environment.md": {"settings": settings_table},
             DOCS / "from-mpi.md": {"by mpi": mpi_calls.by_mpi, "by shmem": mpi_calls.by_shmem}}


def with_tables(page: Path, text: str) -> str:
    for name, make in GENERATED.get(page, {}).items():
        begin = BEGIN.format(name)
        assert begin in text, f"{name_of(page)}: no {begin}"
        head, rest = text.split(begin, 1)
        text = head + begin + "\n" + make() + "\n" + END + rest.split(END, 1)[1]
    return text


# ---------------------------------------------------------------- algorithms

ALGORITHMS = DOCS / "algorithms.md"


def algorithms_page(binaries: Path, *collective: str) -> str:
    """The page of one collective, or that of all, as oshinfo prints it."""
    command = [str(binaries / "oshinfo"), "--algorithms", "--markdown", *collective]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=EXAMPLE_SECONDS, check=True).stdout


def check_algorithms(binaries: Path, write: bool) -> list[str]:
    overview = algorithms_page(binaries)
    fresh = {ALGORITHMS: overview}
    for name in re.findall(r"\(algorithms/(\w+)\.md\)", overview):
        fresh[DOCS / f"algorithms/{name}.md"] = algorithms_page(binaries, name)
    gone = set((DOCS / "algorithms").glob("*.md")) - set(fresh)
    wrong = [page for page, text in fresh.items() if not page.is_file() or page.read_text() != text]
    if write:
        for page in wrong:
            page.parent.mkdir(exist_ok=True)
            page.write_text(fresh[page])
        for page in gone:
            page.unlink()
        return []
    return [f"{name_of(page)}: not what the registry says: run scripts/check_docs.py --write --run BIN"
            for page in sorted([*wrong, *gone])]


# ---------------------------------------------------------------- messages

SPEAKERS = r"\b(?:log::error|bad_argument|give_up|say)\("
LITERALS = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
VALUE = r"%(?:[-+ #0-9.*]*)(?:ll|l|z|t|h)?[a-zA-Z]"


def plain(literals: str) -> str:
    """A format string as the page shows it, with an ellipsis for each value."""
    text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))
    return re.sub("…+", "…", re.sub(VALUE, "…", text.replace('\\"', '"').replace("\\n", ""))).strip()


def messages() -> dict[str, str]:
    """Message -> the file that prints it."""
    found = {}
    for folder in ("src", "tools/oshrun"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            for call in re.split(SPEAKERS, path.read_text())[1:]:
                literals = re.match(rf"[^;\"]*?({LITERALS})", call)
                text = plain(literals[1]) if literals else ""
                if len(text.strip("…: ")) > 3:
                    found.setdefault(text, name_of(path))
    return found


def check_messages() -> list[str]:
    page = DOCS / "user/messages.md"
    rows = [row for text in (page.read_text(), (DOCS / "user/troubleshooting.md").read_text())
            for row in set(re.findall(r"^\| `(.+?)` \|", text, re.M))]
    explained = set(rows)
    problems = [f"{name_of(page)}: not explained: `{text}` ({place})"
                for text, place in messages().items() if text not in explained]
    problems += [f"{name_of(page)}: also in troubleshooting.md: `{text}`" for text in sorted(explained) if rows.count(text) > 1]
    sources = squeezed("".join(plain(literals) + "\n" for folder in ("src", "tools", "lammps", "exchange", "trials", "fftw_mpi")
                               for path in sorted((ROOT / folder).rglob("*.[ch]pp"))
                               for literals in re.findall(LITERALS, path.read_text())))
    for text in sorted(explained - set(messages())):
        missing = [piece for piece in re.split("…", text) if piece.strip() and squeezed(piece.strip()) not in sources]
        problems += [f"{name_of(page)}: nothing prints: `{piece}`" for piece in missing]
    return problems


# ---------------------------------------------------------------- examples

def blocks(text: str) -> list[tuple[str, str]]:
    """The language and contents of the blocks of a page. The text between blocks has the language 'prose'."""
    parts = re.split(r"^```(\w*)\n(.*?)^```\n?", text, flags=re.M | re.S)
    found = [("prose", parts[0])]
    for i in range(1, len(parts), 3):
        found += [(parts[i], parts[i + 1]), ("prose", parts[i + 2])]
    return [(language, body) for language, body in found if language != "prose" or body.strip()]


def lacks(body: str) -> bool:
    """The block needs something that is not here."""
    return (("oshfort" in body and shutil.which("gfortran") is None) or ("python3" in body and not VENV.exists()) or
            ("trilinos" in body and not Path("/usr/include/trilinos/Kokkos_Core.hpp").exists()))


def make_fortran_modules(environment: dict[str, str]) -> None:
    """oshfort says so when it first compiles its modules, which would be output of an example."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "empty.f90").write_text("program empty\n  use shmem\nend program\n")
        subprocess.run(["bash", "-c", "oshfort -c empty.f90"], cwd=folder, env=environment, check=True, capture_output=True)


def with_build(binaries: Path) -> dict[str, str]:
    """The environment in which pages find the programs of a build and the Python package of this tree."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}  # splits lines
    return environment | {"PATH": f"{binaries}:{VENV}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "python"),
                          "OSHEN_LIBRARY": str(binaries.parent / "lib")}


def run_examples(page: Path, environment: dict[str, str]) -> list[str]:
    problems = []
    parts = blocks(page.read_text())
    with tempfile.TemporaryDirectory() as folder:
        for i, (language, body) in enumerate(parts):
            if language in COMMENT and (name := re.match(rf"{COMMENT[language]} ([\w-]+\.\w+)\n", body)):
                Path(folder, name[1]).write_text(body)
            if language != "sh" or lacks(body):
                continue
            if "oshfort" in body:
                make_fortran_modules(environment)
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=EXAMPLE_SECONDS)
            if done.returncode != 0:
                problems.append(f"{name_of(page)}: status {done.returncode} of:\n{body}{done.stdout}")
            elif i + 1 < len(parts) and parts[i + 1][0] == "text" and parts[i + 1][1] != done.stdout:
                problems.append(f"{name_of(page)}: it says\n{parts[i + 1][1]}but the example prints\n{done.stdout}")
    return problems


# ---------------------------------------------------------------- command line

def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the derived tables")
    parser.add_argument("--run", type=Path, metavar="BIN", help="run the examples with the programs in BIN")
    options = parser.parse_args()
    problems = check_messages() + check_paths_of_comments()
    problems += mpi_calls.problems(mpi_calls.SOURCE.read_text(), mpi_calls.declared())
    if options.run:
        problems += check_algorithms(options.run.resolve(), options.write)
    for page in pages():
        text = page.read_text()
        fresh = with_tables(page, text)
        if fresh != text and options.write:
            page.write_text(fresh)
        elif fresh != text:
            problems.append(f"{name_of(page)}: its table is not what spec/ says: run scripts/check_docs.py --write")
        problems += check_links(page, text) + check_claims(page, text) + check_proofs(page, text)
        problems += check_paths(page, text) + check_sections(page, text)
        if options.run and page.is_relative_to(DOCS):
            problems += run_examples(page, with_build(options.run.resolve()))
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(pages())} pages, {len(messages())} messages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
