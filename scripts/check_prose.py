#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gate on plain English: counts patterns that make a reader stop, in pages, comments, docstrings, strings that users read,
names of tests, and commit subjects.

  check_prose.py [--list] [FILE ...]   counts in these files (default: every tracked text); --list names each place
  check_prose.py --commits RANGE       subjects of commits: `area: imperative summary` in at most 72 columns

The patterns find what can be found by a machine; docs/style/writing.md has the rules. Without FILE the gate fails when a
count exceeds its limit below. The limits are for places where the pattern is wrong about a good sentence.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMITS = {"headless": 0, "person": 0, "inverted": 0, "long": 45}
MOST_WORDS = 35

# A clause that begins with a relative pronoun as its subject, and is not a question.
OPENING = r"(?:^|[.;:!] |[-*|] |\(|— )"
PRONOUN = r"(?:Who|Whoever|Whose|Whom|What|Whatever|Which|That which|There where|Where nobody|Never (?:is|are))\b"
QUESTION = (
    r"(?! (?:is|are|does|do|did|happens|happened|can|should|else|it|you|if|to|about|we|and why|each|this|the)\b)"
)
PATTERNS = {
    "headless": re.compile(OPENING + PRONOUN + QUESTION + r"[^?|\n]*(?=[.;:,]|$)"),
    # A PE, a thread, a process and a library are "it".
    "person": re.compile(
        r"\b(?:he|him|his|himself|somebody|someone|nobody|everybody|everyone|whoever|whom)\b", re.IGNORECASE
    ),
    "inverted": re.compile(
        r"\b(?:has been gone|is none of|what is so anyway|of whom|of which nobody|as is said|which is said|than who"
        r"|from who |to who |for who |by who |of who |with who |whoever)\b",
        re.IGNORECASE,
    ),
}
SECTION = re.compile(r"\s+\w+:(\s|$)")  # of a docstring: a parameter, the result, the exceptions, an example
COMMENT = re.compile(r"^\s*(?://+|#+(?!include|define|if|else|endif|pragma|undef|error|!)|\*|/\*+|!)\s?(.*)$")
LEFT_OUT = re.compile(
    r"\.(json|svg|png|abi|txt|lock|patch|toml)$|^include/(p?shmemx?)\.h$|^LICENSES/|^tests/gates/counts/"
    r"|^scripts/check_prose\.py$|^tests/gates/faults/gates_test\.py$"  # they quote what is forbidden
)
COLUMNS = re.compile(r"\S {3,}\S")  # a line of a table in plain text
SUBJECT = re.compile(r"[\w./+@ -]{1,30}: [a-z]")


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = listed.stdout.split("\n") if listed.returncode == 0 else [str(p.relative_to(ROOT)) for p in ROOT.rglob("*")]
    return [
        ROOT / name
        for name in names
        if name and not LEFT_OUT.search(name) and not name.startswith(("build", ".venv")) and (ROOT / name).is_file()
    ]


def prose_of(path: Path) -> list[tuple[int, str]]:
    """Line number and text of each line of prose: Markdown outside of code blocks; elsewhere comments and docstrings."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        return []
    found = []
    quoted = False  # in a code block of Markdown, or in a string of several lines
    docstring = False  # the string is one
    for number, line in enumerate(lines, 1):
        if path.suffix == ".md":
            if line.lstrip().startswith("```"):
                quoted = not quoted
            elif not quoted:
                found.append((number, re.sub(r"`[^`]*`", "x", line)))
            continue
        quotes = line.count('"""') if path.suffix == ".py" else 0
        comment = COMMENT.match(line)
        if quotes and not quoted:
            docstring = line.strip().startswith('"""')
        if quoted or quotes:
            if SECTION.match(line):
                found.append((number, ""))
            found.append((number, line.replace('"""', "").strip() if docstring else ""))
        elif comment:
            found.append((number, comment[1]))
        elif "//" in line:
            found.append((number, line.split("//", 1)[1].strip()))
        quoted ^= quotes % 2 == 1
    return found


STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
CASE = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\w+, (\w+)\)|def test_(\w+)\(", re.MULTILINE)


def strings_of(path: Path) -> list[tuple[int, str]]:
    """Strings of three words or more, such as messages and help."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            nodes = list(ast.walk(ast.parse(text)))
            docstrings = {node.value for node in nodes if isinstance(node, ast.Expr)}
            found = [(node.lineno, node.value) for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
                     and node not in docstrings]
        else:
            found = [(number, string) for number, line in enumerate(text.split("\n"), 1) for string in STRING.findall(line)
                     if not COMMENT.match(line)]
    except (UnicodeDecodeError, SyntaxError):
        return []
    return [(number, string) for number, string in found if len(string.split()) >= 3]


def cases_of(path: Path) -> list[tuple[int, str]]:
    """The words of the names of tests."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return [(text.count("\n", 0, case.start()) + 1, " ".join(re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", case[1] or case[2])))
            for case in CASE.finditer(text)]


def read_elsewhere(path: Path) -> list[tuple[str, int, str]]:
    """What the patterns of words find in strings of products, and in names of tests."""
    is_test = path.is_relative_to(ROOT / "tests")
    if path.suffix not in (".c", ".cpp", ".h", ".hpp", ".py", ".in"):
        return []
    return [(kind, number, text) for number, text in (cases_of if is_test else strings_of)(path)
            for kind in ("person", "inverted") for _ in PATTERNS[kind].finditer(text)]


def sentences(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Paragraphs cut into sentences; each with the line at which its paragraph starts."""
    found: list[tuple[int, str]] = []
    block: list[str] = []
    start = last = 0

    def close() -> None:
        if block:
            found.extend((start, sentence) for sentence in re.split(r"(?<=[.!?])\s+", " ".join(block)))
            block.clear()

    for number, text in lines:
        words = text.strip()
        table = not words or words.startswith(("|", "#", "<", "=", "@", "SPDX-")) or COLUMNS.search(words)
        if table or (block and number != last + 1):
            close()
        if not table:
            if not block:
                start = number
            block.append(re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "", words))
            last = number
    close()
    return found


def places(path: Path) -> list[tuple[str, int, str]]:
    lines = prose_of(path)
    found = [
        (kind, number, text.strip())
        for number, text in lines
        for kind, pattern in PATTERNS.items()
        for _ in pattern.finditer(text)
    ]
    found += read_elsewhere(path)
    found += [("long", number, text) for number, text in sentences(lines) if len(text.split()) > MOST_WORDS]
    return found


def check_commits(commits: str) -> int:
    listed = subprocess.run(["git", "log", "--format=%h %s", commits], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        sys.exit(f"check_prose: {listed.stderr.strip()}")
    wrong = [s for s in listed.stdout.splitlines() if len(s.split(" ", 1)[1]) > 72 or not SUBJECT.match(s.split(" ", 1)[1])]
    for subject in wrong:
        print(f"{subject}: expected `area: imperative summary` in at most 72 columns")
    return 1 if wrong else 0


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--commits"]:
        return check_commits(arguments[1])
    show = "--list" in arguments
    files = [Path(a) for a in arguments if a != "--list"]
    counts = dict.fromkeys(LIMITS, 0)
    for path in files or tracked():
        for kind, number, text in places(path):
            counts[kind] += 1
            if show:
                print(f"{path.relative_to(ROOT) if path.is_absolute() else path}:{number}: {kind}: {text[:140]}")
    print("; ".join(f"{kind} {count} (limit {LIMITS[kind]})" for kind, count in counts.items()))
    return 1 if not files and any(counts[kind] > LIMITS[kind] for kind in LIMITS) else 0


if __name__ == "__main__":
    sys.exit(main())
