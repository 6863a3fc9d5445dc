# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx's settings for the site. scripts/make_site.py writes the sources and calls Sphinx."""

import ctypes
import sys
from pathlib import Path
from unittest import mock

import numpy  # noqa: F401  (before ctypes is replaced)

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts"), str(ROOT / "docs/site")]
sys.dont_write_bytecode = True

import api_spec  # noqa: E402
import docstrings  # noqa: E402
import oshen  # noqa: E402

# Importing the package for its docstrings neither needs a library nor starts one.
oshen.rc.initialize = False
ctypes.CDLL = mock.MagicMock()

project = "Oshen"
copyright = "2026, the Oshen developers"
version = release = api_spec.version()

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
root_doc = "index"
source_suffix = {".md": "markdown"}
exclude_patterns = ["files/**"]
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 5
# `console` blocks that show several commands with output, and C with an ellipsis, are not highlighted.
suppress_warnings = ["misc.highlighting_failure"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"

html_theme = "furo"
html_title = f"Oshen {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0067a3", "color-brand-content": "#0067a3"},
    "dark_css_variables": {"color-brand-primary": "#5cb8f0", "color-brand-content": "#5cb8f0"},
}
copybutton_exclude = ".linenos, .gp, .go"


def setup(app):
    app.connect("autodoc-process-docstring", docstrings.on_docstring, priority=400)  # before napoleon
