# SPDX-License-Identifier: BSD-3-Clause
"""One style for all figures. They are as wide as a telephone's column makes readable, told apart by the colour-blind, and
take the colours of the page that they stand in."""

from __future__ import annotations

import io
import re
from html import escape
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import colormaps, pyplot, ticker  # noqa: E402

WIDTH = 5.4             # inches of every figure
NARROW = 420            # pixels of the narrowest column that it must be readable in
LEAST_LETTER = 8.0      # pixels high there
SMALL = 8               # points; what is less is too small in a narrow column
INK, PALE = "#24292e", "#d8dee3"  # of text and of grids; a page puts its own colours in their place
# Okabe and Ito: Color Universal Design (2008), by falling contrast with white, without their yellow and black; and a grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6f6f6f")
MARKERS = "osD^vPX"     # tell apart what has one colour on paper
GREYS = ("#636363", "#b8b8b8", "#303030")  # of what others are compared with
SCALE = colormaps["cividis"]               # of amounts: even to the eye, with every kind of colour vision
COSTS = colormaps["cividis_r"]             # light is good
ON_LIGHT, ON_DARK = "#111111", "#ffffff"   # letters upon them, whatever the page's colours

STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "oshen", "font.family": "sans-serif", "font.size": 9, "axes.titlesize": 9,
    "axes.titlelocation": "left", "axes.labelsize": 9, "xtick.labelsize": SMALL, "ytick.labelsize": SMALL, "legend.fontsize": SMALL,
    "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": PALE, "grid.linewidth": 0.6,
    "legend.frameon": False, "legend.handlelength": 1.4, "legend.columnspacing": 1.2, "lines.linewidth": 1.5, "lines.markersize": 3.5,
    "figure.facecolor": "none", "axes.facecolor": "none", "figure.constrained_layout.use": True,
}
matplotlib.rcParams.update(STYLE)


def canvas(height: float, rows: int = 1, columns: int = 1, **more):
    """A figure of the usual width, and its axes as pyplot.subplots gives them."""
    return pyplot.subplots(rows, columns, figsize=(WIDTH, height), **more)


def colours(names: list[str]) -> dict[str, str]:
    """A colour for each name."""
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}


def markers(names: list[str]) -> dict[str, str]:
    """A marker for each name; with more names than colours, the second of a colour has another than the first."""
    return {name: MARKERS[(i + i // len(COLOURS)) % len(MARKERS)] for i, name in enumerate(names)}


def number(value: float, _place: int = 0) -> str:
    """A label of a logarithmic axis, as people write numbers."""
    return f"{value:,.0f}".replace(",", " ") if value >= 1 else f"{value:.12g}"


def plain_logarithmic(axis) -> None:
    """Ticks at 1, 2, 5 where the axis spans less than two decades, else at each decade; written out, and few enough to read."""
    low, high = axis.get_view_interval()
    near = high < 100 * low
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if near else (1,), numticks=7))
    axis.set_major_formatter(number)
    axis.set_minor_formatter(ticker.NullFormatter())


def legend_below(figure, handles, labels: list[str], columns: int = 4) -> None:
    """In as many columns as fit the width."""
    longest = max((len(label) for label in labels), default=1)
    fitting = max(1, int(WIDTH / (0.40 + 0.068 * longest)))
    figure.legend(handles, labels, loc="outside lower center", ncols=min(columns, fitting, max(1, len(labels))))


def _written(figure, **how) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", **how)
    finish(figure)
    return text.getvalue()


def finish(figure) -> None:
    """Every figure ends here, after it was written."""
    pyplot.close(figure)


def inline(figure, title: str) -> str:
    """SVG to put into a page: as wide as its column, in the page's colours, with a name for those who cannot see it."""
    text = _written(figure, metadata={"Date": None, "Creator": None}, transparent=True)
    picture = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text[text.index("<svg"):], flags=re.S)
    head, rest = picture.split(">", 1)
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    rest = rest.replace(INK, "var(--ink)").replace(PALE, "var(--pale)")
    return f'{head} role="img" aria-label="{escape(title)}">{rest}'


def alone(figure, about: str = "") -> str:
    """SVG that stands alone, on white. `about` goes into its metadata."""
    return _written(figure, metadata={"Date": None, "Creator": None, "Description": about or None}, facecolor="white")


def save(figure, file: str | Path) -> None:
    """A file of its own, as its name says: .svg, .png, .pdf. OSError, or ValueError for another name."""
    if Path(file).suffix == ".svg":
        Path(file).write_text(alone(figure), encoding="utf-8")
        return
    figure.savefig(file, dpi=200, facecolor="white")
    finish(figure)
