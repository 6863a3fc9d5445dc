#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The gate on the documentation notices mistakes: each page here has one."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import check_docs
import mpi_calls

ROOT = Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True


class Gate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = Path(folder.name, "page.md")
        patch = mock.patch.object(check_docs, "name_of", lambda path: path.name)
        patch.start()
        self.addCleanup(patch.stop)

    def complaints(self, check, text, *arguments):
        self.page.write_text(text)
        return check(self.page, text, *arguments)

    def test_links(self):
        right = "# A part: `b`\n[a](page.md#a-part-b) [a](#a-part-b) [b](https://a.b#c) `[c](d)`"
        self.assertEqual(self.complaints(check_docs.check_links, right), [])
        self.assertIn("gone.md", self.complaints(check_docs.check_links, "[a](gone.md)")[0])
        check_docs.headings.cache_clear()
        self.assertIn("no such heading: #b", self.complaints(check_docs.check_links, "# A\n[b](#b)")[0])

    def test_quoted_code(self):
        true = "<!-- code scripts/check_docs.py: EXAMPLE_SECONDS =\n 120 -->"
        self.assertEqual(self.complaints(check_docs.check_claims, true), [])
        self.assertTrue(self.complaints(check_docs.check_claims, true.replace("120", "121")))
        self.assertTrue(self.complaints(check_docs.check_claims, "<!-- code no/such/file: x -->"))

    def test_paths(self):
        there = "`src/wait/*`, `wait/wake.hpp`, `tests/unit/`, design/waiting.md, build/bin/oshrun.c, `a/b` `<src>/x`"
        self.assertEqual(self.complaints(check_docs.check_paths, there), [])
        self.assertEqual(self.complaints(check_docs.check_paths, "`src/gone/*` and op/gone.hpp"),
                         ["page.md: no such path: op/gone.hpp", "page.md: no such path: src/gone/*"])

    def test_files_of_comments(self):
        there = "As in wake.hpp, os/futex.cpp (see build.sh), AREA.toml, <x.h>, fftw3.h, a.c and tests/run.py."
        self.assertEqual(self.complaints(check_docs.check_files_of_comments, there), [])
        self.assertEqual(self.complaints(check_docs.check_files_of_comments, "As in gone.hpp and sync/wake.hpp"),
                         ["page.md: no such file: gone.hpp", "page.md: no such file: sync/wake.hpp"])

    def test_calls_of_mpi(self):
        row = "[A]\nMPI_Send | shmem_put, shmem_long_p | see `shmem_quiet`\n"
        self.assertEqual(mpi_calls.problems(row, "int MPI_Send(void);"), [])
        self.assertIn("no such call of MPI: MPI_Send", mpi_calls.problems(row, "int MPI_Isend(void);")[0])
        self.assertIn("no such routine: shmem_pat", mpi_calls.problems(row.replace("shmem_put", "shmem_pat"), None)[0])
        self.assertIn("no such routine: shmem_quit", mpi_calls.problems(row.replace("quiet", "quit"), None)[0])

    def test_sections(self):
        self.assertEqual(self.complaints(check_docs.check_sections, '(design/waiting.md, "Stages of\n a wait")'), [])
        self.assertEqual(self.complaints(check_docs.check_sections, "[waiting](design/waiting.md), *Moon*"),
                         ["page.md: design/waiting.md has no heading: Moon"])

    def test_proofs(self):
        head = "| what | proved by |\n|---|---|\n"
        right = head + "| a | `spec.bad_lock` `Watch.TouchesWhatOverlapsInCacheLines` |\n\n| what |\n|---|\n| `b` |\n"
        self.assertEqual(self.complaints(check_docs.check_proofs, right), [])
        self.assertEqual(self.complaints(check_docs.check_proofs, head + "| a | `spec.nothing_like_it` |\n| b | |\n"),
                         ["page.md: no such test: spec.nothing_like_it", "page.md: proved by no test: b"])

    def run_page(self, text):
        self.page.write_text(text)
        return check_docs.run_examples(self.page, check_docs.with_build(ROOT))

    def test_examples(self):
        right = "```c\n// a.txt\nx\n```\n\n```sh\ncat a.txt\n```\n\n```text\n// a.txt\nx\n```\n"
        self.assertEqual(self.run_page(right), [])
        self.assertIn("the example prints", self.run_page(right.replace("x\n```\n\n```sh", "y\n```\n\n```sh"))[0])
        self.assertIn("status 1", self.run_page("```sh\nfalse\necho\n```\n")[0])

    def test_algorithms(self):
        pages = {(): "# Algorithms\n\n[sync](algorithms/sync.md)\n", ("sync",): "# sync\n"}
        stale = self.page.parent / "algorithms/gone.md"
        stale.parent.mkdir()
        stale.write_text("# gone\n")
        with (mock.patch.object(check_docs, "ALGORITHMS", self.page), mock.patch.object(check_docs, "DOCS", self.page.parent),
              mock.patch.object(check_docs, "algorithms_page", lambda binaries, *collective: pages[collective])):
            said = "\n".join(check_docs.check_algorithms(ROOT, False))
            for page in ("page.md", "sync.md", "gone.md"):
                self.assertIn(f"{page}: not what the registry says", said)
            self.assertEqual(check_docs.check_algorithms(ROOT, True), [])
            self.assertEqual(check_docs.check_algorithms(ROOT, False), [])
        self.assertEqual(self.page.read_text(), pages[()])
        self.assertFalse(stale.exists())

    def test_messages(self):
        with mock.patch.object(check_docs, "messages", lambda: {"the moon is …": "src/moon.cpp"}):
            self.assertIn("not explained: `the moon is …`", check_docs.check_messages()[0])

    def test_a_message_is_explained_on_one_page(self):
        read = Path.read_text
        row = "| `the moon is …` | |\n"
        with mock.patch.object(Path, "read_text", lambda path: read(path) + row * (path.parent.name == "user")), \
             mock.patch.object(check_docs, "messages", lambda: {"the moon is …": "src/moon.cpp"}):
            said = "\n".join(check_docs.check_messages())
            self.assertIn("messages.md: also in troubleshooting.md: `the moon is …`", said)
        self.assertEqual(check_docs.plain('"%s: pe = %d: "\n "expected 0 .. %zu\\n"'), "…: pe = …: expected 0 .. …")

    def test_settings(self):
        page = check_docs.DOCS / "user/environment.md"
        stale = page.read_text().replace("OSHEN_SPIN", "OSHEN_SPAN")
        self.assertNotEqual(check_docs.with_tables(page, stale), stale)


if __name__ == "__main__":
    unittest.main()
