# SPDX-License-Identifier: BSD-3-Clause
"""One template for all pages: self-contained HTML, light and dark, readable on a telephone and on paper."""

from __future__ import annotations

from pathlib import Path

import jinja2
from markupsafe import Markup

HERE = Path(__file__).resolve().parent


def render(folder: Path, template: str, **values: object) -> str:
    """A template that extends `page.html.j2` and lies in `folder`. `title`, `facts` (lines below it: what was measured, where,
    when), `command` and `warnings` are what every page has."""
    loader = jinja2.FileSystemLoader([folder, HERE])
    made = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    return made.get_template(template).render(**values)


def picture(svg: str) -> Markup:
    """What style.inline() made, which is put in as it is."""
    return Markup(svg)
