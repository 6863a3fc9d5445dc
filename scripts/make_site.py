#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the site of the documentation, with Sphinx. It needs the packages of requirements/docs.txt, and no network.

  make_site.py OUT             writes OUT/source and OUT/html; a warning of Sphinx is an error
  make_site.py OUT --sources   writes only OUT/source
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from api_spec import ROOT
from site_pages import Site

CONFIGURATION = ROOT / "docs/site"


def write_sources(folder: Path) -> Site:
    """Writes the sources anew. A file that is as before keeps its time, so that Sphinx reads only what has changed."""
    site = Site()
    wanted = {folder / place: text.encode() for place, text in site.texts.items()}
    wanted |= {folder / place: (ROOT / path).read_bytes() for place, path in site.files.items()}
    for old in sorted(folder.rglob("*")):
        if old.is_file() and old not in wanted:
            old.unlink()
    for path, content in wanted.items():
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return site


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sources", action="store_true", help="write only the sources")
    parser.add_argument("--jobs", default="auto", help="processes; 1 takes the least CPU time")
    options = parser.parse_args()
    source, html = options.out / "source", options.out / "html"
    site = write_sources(source)
    if options.sources:
        print(f"{len(site.texts)} pages in {source}")
        return 0
    if importlib.util.find_spec("sphinx") is None:
        print("make_site.py: this Python has no Sphinx: run scripts/setup.sh docs, then .venv-docs/bin/python", file=sys.stderr)
        return 1
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", options.jobs, "-b", "html",
                           "-c", CONFIGURATION, "-d", options.out / "doctrees", source, html])
    if done.returncode == 0:
        print(f"{len(site.texts)} pages: open {html / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
