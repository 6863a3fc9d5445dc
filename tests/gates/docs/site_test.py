#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The sources of the site are whole: links lead to pages, contents reach every page, every routine has a reference.

Sphinx does not run here, because it takes a minute: whole_site_test.py.
"""

import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

import make_site
import site_pages
from api_spec import Spec

sys.dont_write_bytecode = True


TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.M | re.S)


def entries(text):
    """The pages that the tables of contents of a page list."""
    lines = [line for body in TOCTREE.findall(text) for line in body.splitlines() if line and not line.startswith(":")]
    return [re.sub(r".*<(.+)>", r"\1", line) for line in lines]


class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.top = Path(cls.folder.name)
        cls.site = make_site.write_sources(cls.top)

    def test_links_arrive(self):
        broken = []
        for place, text in self.site.texts.items():
            prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
            for _, target in site_pages.LINK.findall(re.sub(r"`[^`\n]+`", "x", prose)):
                file = target.partition("#")[0]
                if file and not re.match(r"\w+:", target) and not (self.top / os.path.dirname(place) / file).is_file():
                    broken.append(f"{place}: {target}")
        self.assertEqual(broken, [])

    def test_contents_reach_every_page(self):
        reached, todo = set(), ["index.md"]
        while todo:
            place = todo.pop()
            self.assertIn(place, self.site.texts)
            if place not in reached:
                reached.add(place)
                todo += [os.path.normpath(os.path.join(os.path.dirname(place), e + ".md")) for e in entries(self.site.texts[place])]
        orphans = {place for place, text in self.site.texts.items() if text.startswith("---\norphan: true\n")}
        self.assertEqual(set(self.site.texts) - reached, orphans)
        self.assertEqual({p for p in orphans if not p.startswith("reference/c/")}, set())

    def test_every_routine_has_a_reference(self):
        index = self.site.texts["reference/c/index.md"]
        for function in Spec.read().functions:
            place = self.site.routines[function.name]
            self.assertIn(function.name, self.site.texts[place])
            self.assertIn(f"({os.path.basename(place)})", index)

    def test_python_lists_what_the_package_has(self):
        page = self.site.texts["reference/python.md"]
        for name in ("autofunction:: put_signal", "autoclass:: Ctx", "`SIGNAL_ADD`", "automodule:: oshen.exchange"):
            self.assertIn(name, page)

    def test_routines_in_prose_become_links(self):
        self.assertEqual(self.site.line("Call `shmem_int_put`.", "docs/user/x.md", "user/x.md"),
                         "Call [`shmem_int_put`](../reference/c/shmem_put.md).")
        self.assertEqual(self.site.line("# `shmem_put`", "docs/user/x.md", "user/x.md"), "# `shmem_put`")

    def test_old_sources_go_and_others_keep_their_time(self):
        stale = self.top / "gone.md"
        stale.write_text("# Gone\n")
        before = (self.top / "index.md").stat().st_mtime_ns
        make_site.write_sources(self.top)
        self.assertFalse(stale.exists())
        self.assertEqual((self.top / "index.md").stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
