#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The whole site, as `make docs` makes it: a warning of Sphinx is an error, and every link in it leads to a place.

  whole_site_test.py PYTHON FOLDER    PYTHON has the packages of requirements-docs.txt
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[3]


class Page(HTMLParser):
    """The names and the links of a page."""

    def __init__(self, text):
        super().__init__()
        self.names, self.links = {""}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.names.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def broken_links(folder):
    pages = {path: Page(path.read_text()) for path in folder.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            there = urlsplit(link)
            target = Path(os.path.normpath(path.parent / unquote(there.path))) if there.path else path
            if there.scheme or there.netloc:
                continue
            wrong = not target.exists() or (target in pages and unquote(there.fragment) not in pages[target].names)
            broken += [f"{path.relative_to(folder)}: {link}"] * wrong
    return broken


class WholeSite(unittest.TestCase):
    def test_it_is_made_without_warning_and_its_links_arrive(self):
        shutil.rmtree(FOLDER, ignore_errors=True)  # Sphinx repeats no warning of a page that it does not read again
        done = subprocess.run([PYTHON, "-B", ROOT / "scripts/make_site.py", FOLDER, "--jobs", "1"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(len(list(FOLDER.rglob("*.html"))), 250)
        self.assertEqual(broken_links(FOLDER / "html"), [])
        shutil.rmtree(FOLDER)


class Links(unittest.TestCase):
    def test_a_broken_link_is_noticed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "b c.html").write_text('<p id="there">')
            for link, wrong in (("b%20c.html#there", 0), ("#here", 0), ("https://a.b/c", 0), ("gone.html", 1), ("#gone", 1),
                                ("b%20c.html#gone", 1)):
                (folder / "a.html").write_text(f'<a id="here" href="{link}">')
                self.assertEqual(broken_links(folder), [f"a.html: {link}"] * wrong)


if __name__ == "__main__":
    PYTHON, FOLDER = sys.argv.pop(1), Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
