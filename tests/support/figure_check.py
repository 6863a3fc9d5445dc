# SPDX-License-Identifier: BSD-3-Clause
"""Finds what cannot be read in a figure: letters too small in a narrow column, beyond the edge or overlapping, and bars that begin nowhere."""

import contextlib
import itertools
import math
from unittest import mock

from matplotlib.container import BarContainer
from matplotlib.text import Text
from oshen_figures import style

SLACK = 1.0  # pixels by which the boxes of letters may overlap
LETTER = 0.8  # of the size of a font: the height of its letters
SHOWN = 1.5  # pixels by which a box may exceed the edge


def texts_of(figure):
    """The texts that are drawn; labels of ticks outside the axes are not."""
    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-9 * max(abs(low), abs(high))
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low - slack <= tick.get_loc() <= high + slack:
                    hidden |= {tick.label1, tick.label2}
    return [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip() and t not in hidden
            and (t.axes is None or t.axes.axison)]


def letter_height(figure, text):
    """The height of a letter in pixels at the least width at which the figure must be readable."""
    return text.get_fontsize() / 72 * style.NARROW / figure.get_figwidth()


def together(texts):
    """Neighbours in one slanted row of labels whose lines of text are closer than their letters are high."""
    rows = {}
    for text in texts:
        if text.get_rotation() % 90:
            x, y = text.get_transform().transform(text.get_position())
            rows.setdefault((text.get_rotation(), round(y)), []).append((x, text))
    for (angle, _), row in rows.items():
        row.sort(key=lambda place: place[0])
        for (x, one), (u, other) in itertools.pairwise(row):
            if (u - x) * math.sin(math.radians(angle)) < LETTER * one.get_fontsize() * one.figure.dpi / 72:
                yield one, other


def problems(figure):
    """A line for each problem; none for a good figure."""
    figure.draw_without_rendering()
    texts, edge = texts_of(figure), figure.bbox
    found = [f"{t.get_text()!r}: letters of {letter_height(figure, t):.1f} pixels" for t in texts
             if letter_height(figure, t) < style.LEAST_LETTER]
    boxes = [(t, t.get_window_extent()) for t in texts]
    found += [f"{t.get_text()!r} ends beyond the figure" for t, b in boxes
              if b.x0 < edge.x0 - SHOWN or b.y0 < edge.y0 - SHOWN or b.x1 > edge.x1 + SHOWN or b.y1 > edge.y1 + SHOWN]
    found += ["bars on a logarithmic axis have no beginning" for axes in figure.axes if "log" in (axes.get_xscale(), axes.get_yscale())
              and any(isinstance(container, BarContainer) for container in axes.containers)]
    found += [f"{one.get_text()!r} and {other.get_text()!r} run together" for one, other in together(texts)]
    upright = [(t, b) for t, b in boxes if t.get_rotation() % 90 == 0]
    for (one, a), (other, b) in itertools.combinations(upright, 2):
        if min(a.x1, b.x1) - max(a.x0, b.x0) > SLACK and min(a.y1, b.y1) - max(a.y0, b.y0) > SLACK:
            found.append(f"{one.get_text()!r} stands on {other.get_text()!r}")
    return found


@contextlib.contextmanager
def watched():
    """Collects the problems of each figure that is finished within the block."""
    seen = []
    usual = style.finish

    def look(figure):
        seen.append(problems(figure))
        usual(figure)

    with mock.patch.object(style, "finish", look):
        yield seen
