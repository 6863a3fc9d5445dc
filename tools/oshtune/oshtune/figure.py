# SPDX-License-Identifier: BSD-3-Clause
"""The crossover map: for each collective (rows) and number of PEs (columns) the time of the best algorithm of each
design against the message size, with the winner as the background. The figure of Li, Guo, Lu: Characterizing
One-/Two-sided Designs in OpenSHMEM Collectives (2023), on this machine, and with single-copy as the third design."""

from __future__ import annotations

import html
import io
from pathlib import Path

from .points import Point
from .report import DESIGNS, best_of_design, crossover_text
from .tools import Failed
from .tuning_file import size_text

COLORS = {"one-sided": "#1f77b4", "two-sided": "#d62728", "single-copy": "#2ca02c"}


def load_matplotlib():
    try:
        import matplotlib
    except ImportError as missing:
        raise Failed("the map needs matplotlib: python3 -m pip install matplotlib (the samples can be kept with "
                     "--samples FILE and drawn later with --from FILE)") from missing
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "oshtune", "font.size": 8, "svg.fonttype": "none"})
    from matplotlib import pyplot
    return pyplot


def draw_panel(axes, points: list[Point]) -> None:
    best = [best_of_design(point) for point in points]
    sizes = [max(point.bytes, 1) for point in points]
    for i, (size, designs) in enumerate(zip(sizes, best)):
        winner = min(designs, key=lambda d: designs[d][0])
        left = (sizes[i - 1] * size) ** 0.5 if i > 0 else size / 2
        right = (sizes[i + 1] * size) ** 0.5 if i + 1 < len(sizes) else size * 2
        axes.axvspan(left, right, color=COLORS[winner], alpha=0.15, linewidth=0)
    for design in DESIGNS:
        known = [(size, designs[design][0] / 1000) for size, designs in zip(sizes, best) if design in designs]
        if known:
            axes.plot(*zip(*known), marker="o", markersize=3, linewidth=1.2, color=COLORS[design], label=design)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(sizes[::2], [size_text(s) if points[0].bytes else "" for s in sizes[::2]])
    axes.minorticks_off()
    axes.grid(alpha=0.3)


def svg_of(points: list[Point], machine: str) -> str:
    pyplot = load_matplotlib()
    teams = list({p.team.n_pes: p.team for p in points}.values())
    collectives = list(dict.fromkeys(p.collective for p in points))
    figure, grid = pyplot.subplots(len(collectives), len(teams), squeeze=False,
                                   figsize=(4.2 * len(teams), 1.9 * len(collectives) + 1), layout="constrained")
    for row, collective in zip(grid, collectives):
        for axes, team in zip(row, teams):
            mine = [p for p in points if p.collective == collective and p.team.n_pes == team.n_pes]
            axes.set_title(f"{collective}, {team.label()}")
            if mine:
                draw_panel(axes, mine)
        row[0].set_ylabel("microseconds")
    for axes in grid[-1]:
        axes.set_xlabel("bytes of one PE")
    handles = [pyplot.Line2D([], [], color=COLORS[design], marker="o", label=design) for design in DESIGNS]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(DESIGNS))
    figure.suptitle(f"The best algorithm of each design; in the background the winner\n{machine}", fontsize=9)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return text.getvalue()


def write_map(path: Path, points: list[Point], machine: str) -> None:
    """An SVG file, or an HTML page with the figure and its numbers as text, by the name of the file."""
    if path.suffix not in (".svg", ".html"):
        raise Failed(f"{path}: a map is written as .svg or .html")
    svg = svg_of(points, machine)
    if path.suffix == ".html":
        svg = ("<!doctype html><meta charset='utf-8'><title>Crossover map</title>\n<h1>Crossover map</h1>\n"
               + svg[svg.index("<svg"):] + f"\n<pre>{html.escape(crossover_text(points))}</pre>\n")
    path.write_text(svg)
