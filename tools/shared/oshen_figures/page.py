# SPDX-License-Identifier: BSD-3-Clause
"""The template of all pages: self-contained HTML, light and dark, readable on a small screen and in print."""

from __future__ import annotations

from pathlib import Path

import jinja2
from markupsafe import Markup

HERE = Path(__file__).resolve().parent


def render(folder: Path, template: str, **values: object) -> str:
    """Renders a template in `folder` that extends `page.html.j2`. Every page needs the values `title`, `facts` (lines
    about the measurement), `command` and `warnings`."""
    loader = jinja2.FileSystemLoader([folder, HERE])
    made = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True,
                              undefined=jinja2.StrictUndefined)
    return made.get_template(template).render(**values)


def picture(svg: str) -> Markup:
    """Marks the result of style.inline() as safe HTML."""
    return Markup(svg)
