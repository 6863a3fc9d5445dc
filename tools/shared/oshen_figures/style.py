# SPDX-License-Identifier: BSD-3-Clause
"""One style for all figures. They are readable in a narrow column and with colour blindness, and use the colours of the
page that contains them."""

from __future__ import annotations

import io
import re
from html import escape
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import colormaps, pyplot, ticker  # noqa: E402

WIDTH = 5.4  # inches, of every figure
NARROW = 420  # pixels of the narrowest column in which it must be readable
LEAST_LETTER = 8.0  # least height of letters there, in pixels
SMALL = 8  # points; smaller text is unreadable in a narrow column
INK, PALE = "#24292e", "#d8dee3"  # text and grid; a page replaces them by its own colours
# Okabe and Ito: Color Universal Design (2008), in order of contrast with white, without their yellow and black, and a
# grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6f6f6f")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
MARKERS = "osD^vPX"  # distinguish equal colours in print
GREYS = ("#636363", "#b8b8b8", "#303030")  # for references of comparisons
EMPTY = "#9a9a9a"  # under hatching in a legend
MOST_LABELS = 12  # of an axis
SCALE = colormaps["cividis"]  # for amounts: perceptually uniform, for every kind of colour vision
COSTS = colormaps["cividis_r"]  # light is good
ON_LIGHT, ON_DARK = "#111111", "#ffffff"  # letters on them, independent of the page's colours

STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "oshen", "font.family": "sans-serif", "font.size": 9, "axes.titlesize": 9,
    "axes.titlelocation": "left", "axes.labelsize": 9, "xtick.labelsize": SMALL, "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL, "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": PALE, "grid.linewidth": 0.6, "legend.frameon": False, "legend.handlelength": 1.4,
    "legend.columnspacing": 1.2, "lines.linewidth": 1.5, "lines.markersize": 3.5,
    "figure.facecolor": "none", "axes.facecolor": "none", "figure.constrained_layout.use": True,
}
matplotlib.rcParams.update(STYLE)


def canvas(height: float, rows: int = 1, columns: int = 1, **more):
    """A figure of the standard width, and its axes as returned by pyplot.subplots."""
    return pyplot.subplots(rows, columns, figsize=(WIDTH, height), **more)


def colours(names: list[str]) -> dict[str, str]:
    """A colour for each name."""
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}


def markers(names: list[str]) -> dict[str, str]:
    """A marker for each name. Names with the same colour have different markers."""
    return {name: MARKERS[(i + i // len(COLOURS)) % len(MARKERS)] for i, name in enumerate(names)}


def number(value: float, _place: int = 0) -> str:
    """A label of a logarithmic axis, without an exponent."""
    return f"{value:,.0f}".replace(",", " ") if value >= 1 else f"{value:.12g}"


def plain_logarithmic(axis) -> None:
    """Ticks at 1, 2, 5 if the axis spans less than two decades, else at each decade, with few and plain labels."""
    low, high = axis.get_view_interval()
    near = high < 100 * low
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if near else (1,), numticks=7 if high < 1e5 else 5))
    axis.set_major_formatter(number)
    axis.set_minor_formatter(ticker.NullFormatter())


def doubling(axis, at: list[int], labels: list[str]) -> None:
    """Ticks at some numbers of a logarithmic axis, such as 1, 2, 4, 8; MOST_LABELS of them have labels."""
    every = -(-len(at) // MOST_LABELS)
    axis.set_ticks(at, [label if (len(at) - 1 - i) % every == 0 else "" for i, label in enumerate(labels)])
    axis.set_minor_locator(ticker.NullLocator())


def legend_below(figure, handles, labels: list[str], columns: int = 4) -> None:
    """A legend below the figure, in as many columns as fit its width."""
    longest = max((len(label) for label in labels), default=1)
    fitting = max(1, int(WIDTH / (0.40 + 0.068 * longest)))
    figure.legend(handles, labels, loc="outside lower center", ncols=min(columns, fitting, max(1, len(labels))))


def _written(figure, **how) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", **how)
    finish(figure)
    return compact(text.getvalue())


def compact(svg: str) -> str:
    """The same picture in fewer characters: rounded to hundredths of a point, with one line for each plot and
    legend."""
    head, mark, body = svg.partition('<g id="figure_1">')
    body = re.sub(r"<[^>]*>", lambda tag: LONG_NUMBER.sub(_rounded, tag[0]), body)  # not the text between tags
    body = re.sub(r">\s+<", "><", re.sub(r"\s*\n\s*", " ", body))
    return head + mark + re.sub(r'(?=<g id="(?:axes|legend)_)', "\n", body) + "\n"


def _rounded(number: re.Match) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def finish(figure) -> None:
    """Closes a figure after it was written."""
    pyplot.close(figure)


def inline(figure, title: str) -> str:
    """SVG for a page: as wide as its column, in the page's colours, with a text for screen readers."""
    text = _written(figure, metadata={"Date": None, "Creator": None}, transparent=True)
    picture = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text[text.index("<svg"):], flags=re.S)
    head, rest = picture.split(">", 1)
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    rest = rest.replace(INK, "var(--ink)").replace(PALE, "var(--pale)")
    return f'{head} role="img" aria-label="{escape(title)}">{rest}'


def alone(figure, about: str = "") -> str:
    """A complete SVG file on white. `about` goes into its metadata."""
    return _written(figure, metadata={"Date": None, "Creator": None, "Description": about or None}, facecolor="white")


def save(figure, file: str | Path) -> None:
    """Writes a file in the format of its suffix: .svg, .png, .pdf. Raises OSError, or ValueError for another suffix."""
    if Path(file).suffix == ".svg":
        Path(file).write_text(alone(figure), encoding="utf-8")
        return
    figure.savefig(file, dpi=200, facecolor="white")
    finish(figure)
