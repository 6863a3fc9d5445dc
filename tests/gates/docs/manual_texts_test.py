#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The reference is whole: every page has its sections, errors are as printed, examples compile."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import manual
import manual_texts
from api_spec import Spec

ROOT = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True


SPEC = Spec.read()
ENTRIES = manual_texts.read()
FAMILIES = manual.families(SPEC)


def text_of(name, rows):
    return manual_texts.text_of(name, manual.arguments_of(rows), ENTRIES)


class Texts(unittest.TestCase):
    def test_every_page_is_complete(self):
        for name, rows in FAMILIES:
            with self.subTest(page=name):
                text = text_of(name, rows)
                self.assertEqual([a for a in manual.arguments_of(rows) if not text.arguments.get(a)], [])
                self.assertTrue(text.order and text.see)
                if any(row.returns != "void" for row in rows):
                    self.assertNotIn(text.returns, ("", "none"))
                if rows[0].status in ("std", "ext"):
                    self.assertTrue(text.example)

    def test_every_line_of_the_source_is_used(self):
        names = [name for name, _ in FAMILIES]
        used = {a for _, rows in FAMILIES for a in manual.arguments_of(rows)}
        for entry in ENTRIES:
            name = entry.key.partition(" ")[2]
            with self.subTest(entry=entry):
                for pattern in entry.patterns:
                    self.assertTrue(any(manual_texts.fnmatchcase(n, pattern) for n in names), pattern)
                self.assertTrue(not name or name in used)
                if entry.key == "see":
                    self.assertEqual([n for n in entry.value.split() if n not in names], [])

    def test_errors_are_as_printed(self):
        pages = [(ROOT / f"docs/user/{page}.md").read_text() for page in ("messages", "troubleshooting")]
        rows = set(re.findall(r"^\| `(.+?)` \|", "\n".join(pages), re.M))
        self.assertEqual({e.value for e in ENTRIES if e.key.startswith("error")} - rows, set())

    def test_examples_compile(self):
        named = {entry.value for entry in ENTRIES if entry.key == "example"}
        programs = sorted(manual_texts.EXAMPLES.glob("*.c"))
        self.assertEqual(named, {path.name for path in programs})
        done = subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                               "-I", str(ROOT / "include"), *map(str, programs)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_no_routine_is_deprecated_because_its_alias_is(self):
        present = {n for f in SPEC.functions if f.row.status in ("std", "ext") for n in (f.name, f.row.generic)}
        for page in manual.pages(SPEC):
            for part in page.sections:
                for paragraph in part.paragraphs:
                    if paragraph.startswith("Deprecated: "):
                        self.assertEqual(set(re.findall(r"\w+", paragraph)) & present, set(), page.name)

    def test_summaries_say_what_a_routine_does(self):
        for page in manual.pages(SPEC):
            self.assertRegex(page.summary, r"^(as shmem|older names of |[a-z]+s )", page.name)

    def test_arguments_keep_their_case(self):
        for (name, rows), page in zip(FAMILIES, manual.pages(SPEC), strict=True):
            text = " ".join(next(part for part in page.sections if part.title == "DESCRIPTION").paragraphs)
            capital = {argument.capitalize() for argument in manual.arguments_of(rows)}
            self.assertEqual(set(re.findall(r"(?:^|\. )(\w+) is ", text)) & capital, set(), name)
            meanings = [meaning for part in page.sections if part.title == "ARGUMENTS" for _, meaning in part.terms]
            self.assertEqual({meaning.split()[0] for meaning in meanings} & capital, set(), name)

    def test_a_page_has_c_c11_and_fortran(self):
        page = next(page for page in manual.pages(SPEC) if page.name == "shmem_put")
        titles = [part.title for part in page.sections]
        self.assertEqual(titles, ["SYNOPSIS", "DESCRIPTION", "ARGUMENTS", "RETURN VALUE", "ORDERING AND COMPLETION",
                                  "ERRORS", "NOTES", "EXAMPLE", "TYPES", "STANDARD"])
        for line in ("void shmem_ctx_TYPENAME_put(shmem_ctx_t ctx, TYPE *dest, const TYPE *source, size_t nelems, int pe);",
                     "void shmem_put(TYPE *dest, const TYPE *source, size_t nelems, int pe);",
                     "call shmem_put(dest, source, nelems, pe)"):
            self.assertIn(line, page.sections[0].code.splitlines())


if __name__ == "__main__":
    unittest.main(verbosity=2)
