#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The whole site, as `make docs` makes it: a warning of Sphinx is an error, every link in it leads to a place, and pages fit a browser.

  whole_site_test.py PYTHON FOLDER    PYTHON has the packages of requirements/docs.txt
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[3]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDTHS = (1280, 420)
LOOKED_AT = ("index.html", "tutorial/1-hello.html", "from-mpi.html", "user/gallery.html", "user/slurm.html", "user/oshrun.html",
             "reference/c/shmem_put.html", "reference/python.html")
# Everything that does not fit, as JSON in the title. Pictures that are not found have no width.
LOOK = """<script>onload = () => {
  const told = [], frames = document.querySelectorAll("iframe");
  frames.forEach(frame => {
    const page = frame.contentDocument, name = frame.getAttribute("src") + " at " + frame.clientWidth;
    if (page.documentElement.scrollWidth > frame.clientWidth) told.push(name + " is " + page.documentElement.scrollWidth + " wide");
    page.querySelectorAll("img").forEach(img => {
      const box = img.getBoundingClientRect();
      if (!img.naturalWidth || box.right > frame.clientWidth) told.push(name + ": picture " + img.getAttribute("src"));
    });
  });
  document.title = JSON.stringify(told.concat(frames.length + " frames"));
}</script>"""


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


def seen_by_a_browser(folder, pages):
    """Everything that does not fit into a window of each width. All pages are looked at in one run of the browser."""
    frames = [f'<iframe src="{page}" loading="eager" style="border:0;width:{width}px;height:900px"></iframe>' for page in pages for width in WIDTHS]
    looker = folder / "looked-at.html"
    looker.write_text(LOOK + "".join(frames))
    with tempfile.TemporaryDirectory(prefix="oshen-browser-") as profile:
        done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                               f"--user-data-dir={profile}", "--dump-dom", looker.as_uri()],
                              capture_output=True, text=True, timeout=300, check=True)
    looker.unlink()
    return json.loads(unescape(re.search(r"<title>(.*?)</title>", done.stdout)[1]))


class WholeSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)  # Sphinx repeats no warning of a page that it does not read again
        cls.made = subprocess.run([PYTHON, "-B", ROOT / "scripts/make_site.py", FOLDER, "--jobs", "1"], capture_output=True, text=True)
        cls.addClassCleanup(shutil.rmtree, FOLDER, ignore_errors=True)

    def test_it_is_made_without_warning_and_its_links_arrive(self):
        self.assertEqual((self.made.returncode, self.made.stderr), (0, ""))
        self.assertGreater(len(list(FOLDER.rglob("*.html"))), 250)
        self.assertEqual(broken_links(FOLDER / "html"), [])

    def test_it_has_a_search_the_version_and_two_colour_schemes(self):
        version = re.search(r"project\(oshen VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        for name in ("index.html", "reference/c/shmem_put.html"):
            page = (FOLDER / "html" / name).read_text()
            for words in (f"Oshen {version}", 'action="', "search.html", "prefers-color-scheme: dark", "theme-toggle"):
                self.assertIn(words, page, name)
        self.assertIn("shmem_put_signal", (FOLDER / "html/searchindex.js").read_text())

    @unittest.skipUnless(BROWSER, "no Chromium: what a browser makes of it is not looked at")
    def test_it_fits_a_wide_and_a_narrow_window(self):
        self.assertEqual(seen_by_a_browser(FOLDER / "html", LOOKED_AT), [f"{len(LOOKED_AT) * len(WIDTHS)} frames"])


@unittest.skipUnless(BROWSER, "no Chromium")
class Looks(unittest.TestCase):
    def test_misfits_are_noticed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "fits.html").write_text("<p>short")
            (folder / "wide.html").write_text('<div style="width:900px">wide</div><img src="gone.png">')
            self.assertEqual(seen_by_a_browser(folder, ("fits.html", "wide.html")),
                             ["wide.html at 1280: picture gone.png", "wide.html at 420 is 908 wide", "wide.html at 420: picture gone.png", "4 frames"])


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
