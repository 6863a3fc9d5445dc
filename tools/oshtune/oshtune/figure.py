# SPDX-License-Identifier: BSD-3-Clause
"""The crossover map. A panel for each collective and number of PEs shows the time of each design's best algorithm by
message size; the background is the winner. It repeats the figure of Li, Guo, Lu: Characterizing One-/Two-sided Designs
in OpenSHMEM Collectives (2023) on this machine, with single-copy as the third design."""

from __future__ import annotations

import textwrap
from pathlib import Path
from types import ModuleType

from oshen_figures import origin

from .measurement import Measurement
from .points import Point
from .report import DESIGNS, best_of_design, crossover_text
from .tools import Failed
from .tuning_file import size_text

ACROSS = 2      # panels in a row of a picture
PANEL = 1.75    # height in inches
LETTERS = 78    # characters of small text in a line of a picture


def load_style() -> ModuleType:
    try:
        from oshen_figures import style
    except ImportError as missing:
        raise Failed("the map needs matplotlib: python3 -m pip install matplotlib (the samples can be kept with "
                     "--samples FILE and drawn later with --from FILE)") from missing
    return style


def draw_panel(axes, points: list[Point]) -> None:
    style = load_style()
    colours, markers = style.colours(list(DESIGNS)), style.markers(list(DESIGNS))
    best = [best_of_design(point) for point in points]
    sizes = [max(point.bytes, 1) for point in points]
    for i, (size, designs) in enumerate(zip(sizes, best)):
        winner = min(designs, key=lambda d: designs[d][0])
        left = (sizes[i - 1] * size) ** 0.5 if i > 0 else size / 2
        right = (sizes[i + 1] * size) ** 0.5 if i + 1 < len(sizes) else size * 2
        axes.axvspan(left, right, color=colours[winner], alpha=0.18, linewidth=0)
    for design in DESIGNS:
        known = [(size, designs[design][0] / 1000) for size, designs in zip(sizes, best) if design in designs]
        if known:
            axes.plot(*zip(*known), marker=markers[design], color=colours[design], label=design)
    axes.set(xscale="log", yscale="log", ylabel="µs")
    axes.set_xticks(sizes[::2], [size_text(s) if points[0].bytes else "" for s in sizes[::2]])
    axes.xaxis.set_minor_locator(style.ticker.NullLocator())
    style.plain_logarithmic(axes.yaxis)


def panels(points: list[Point], cpus: int) -> list[tuple[str, list[Point]]]:
    """The title and points of each panel; the teams of a collective follow one another."""
    found: dict[tuple[str, int], list[Point]] = {}
    for collective in dict.fromkeys(p.collective for p in points):
        for point in points:
            if point.collective == collective:
                found.setdefault((collective, point.team.n_pes), []).append(point)
    return [(f"{collective}, {origin.count(n, 0 if mine[0].team.nodes > 1 else cpus, 'PE')}", mine)
            for (collective, n), mine in found.items()]


def legend(figure) -> None:
    style = load_style()
    colours, markers = style.colours(list(DESIGNS)), style.markers(list(DESIGNS))
    handles = [style.pyplot.Line2D([], [], color=colours[d], marker=markers[d]) for d in DESIGNS]
    style.legend_below(figure, handles, list(DESIGNS))


def picture(points: list[Point], made: Measurement) -> str:
    """All panels in one self-contained picture, which also has the text that a page would have."""
    style = load_style()
    drawn = panels(points, made.cpus)
    rows = -(-len(drawn) // ACROSS)
    figure, grid = style.canvas(PANEL * rows + 0.9, rows, ACROSS, squeeze=False)
    for axes, panel in zip(grid.flat, drawn):
        axes.set_title(panel[0])
        draw_panel(axes, panel[1])
    for axes in list(grid.flat)[len(drawn):]:
        axes.set_axis_off()
    legend(figure)
    below = ["bytes of one PE; the background is the fastest design's", *made.facts(points), *made.warnings(points)]
    figure.suptitle("\n".join(line for text in below for line in textwrap.wrap(text, LETTERS)), fontsize=style.SMALL,
                    x=0.01, ha="left")
    return style.alone(figure)


def page(points: list[Point], made: Measurement) -> str:
    """A page: a figure for each collective and number of PEs, and the numbers as text."""
    style = load_style()
    try:
        from oshen_figures.page import picture as put_in
        from oshen_figures.page import render
    except ImportError as missing:
        raise Failed("a map as a page needs jinja2: python3 -m pip install jinja2, or name a .svg") from missing
    figures = []
    for title, mine in panels(points, made.cpus):
        figure, axes = style.canvas(2.6)
        draw_panel(axes, mine)
        axes.set_xlabel("bytes of one PE")
        legend(figure)
        figures.append((title, put_in(style.inline(figure, title))))
    return render(Path(__file__).parent, "map.html.j2", title="Which design wins where", facts=made.facts(points),
                  command=made.command, warnings=made.warnings(points), figures=figures, text=crossover_text(points))


def write_map(path: Path, points: list[Point], made: Measurement) -> None:
    """Writes a picture (.svg), or a page (.html) with the figures and their numbers as text."""
    if path.suffix not in (".svg", ".html"):
        raise Failed(f"{path}: a map is written as .svg or .html")
    path.write_text(picture(points, made) if path.suffix == ".svg" else page(points, made), encoding="utf-8")
