# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a profile: the communication matrix and the timeline. Needs Matplotlib."""

from __future__ import annotations

from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from oshen_figures import style

from .timeline import COLUMNS, KINDS, Timeline

MOST_ARROWS = 200  # of a picture: more would hide the calls


def whole_numbers(axis) -> None:
    axis.set_major_locator(style.ticker.MaxNLocator(nbins=8, integer=True))


def matrix(report: dict, file: str) -> None:
    """Draws the bytes from each process to each other one."""
    n = max([report["expected"] - 1, *(max(row[:2]) for row in report["matrix"])]) + 1
    cells = [[float("nan")] * n for _ in range(n)]
    for source, target, _, size in report["matrix"]:
        cells[source][target] = size or float("nan")
    figure, axes = style.canvas(4.6)
    sizes = {row[3] for row in report["matrix"] if row[3]}
    # A logarithmic scale has numbers at powers of ten only, so it must include two of them.
    most, least = max(sizes, default=1), min(sizes, default=1)
    picture = axes.imshow(cells, cmap=style.SCALE, norm=LogNorm() if most >= 100 * least else Normalize(0, most))
    axes.set(xlabel="to process", ylabel="from process", title="Bytes moved")
    axes.grid(visible=False)
    whole_numbers(axes.xaxis)
    whole_numbers(axes.yaxis)
    # decimal units, because the ticks are decimal numbers
    bar = figure.colorbar(picture, format=style.ticker.EngFormatter("B"))
    bar.minorticks_off()
    if not isinstance(picture.norm, LogNorm):
        whole_numbers(bar.ax.yaxis)
    style.save(figure, file)


def strongest(shares: dict[str, list[list[float]]]) -> list[list[float]]:
    """The kind of call that took most of each column; nan if most of it was spent outside calls."""
    kinds = list(shares.values())
    rows = []
    for row in range(len(kinds[0])):
        columns = [[kind[row][column] for kind in kinds] for column in range(COLUMNS)]
        rows.append([part.index(max(part)) if max(part) > 1 - sum(part) else float("nan") for part in columns])
    return rows


def draw_arrows(axes, story: Timeline) -> None:
    for number, ((left, from_row), (arrived, to_row)) in enumerate(story.arrows()):
        arrow = axes.annotate("", (arrived / 1e6, to_row), (left / 1e6, from_row),
                              arrowprops={"arrowstyle": "->", "color": style.INK, "linewidth": 0.8, "shrinkA": 0,
                                          "shrinkB": 0})
        arrow.arrow_patch.set_gid(f"arrow_{number}")


def timeline(story: Timeline, file: str) -> None:
    """Draws a row for each process, coloured by its calls; white is time outside calls. Few messages are drawn as
    arrows."""
    n = len(story.processes)
    figure, axes = style.canvas(min(1.6 + 0.28 * n, 8))
    seconds = (story.end - story.zero) / 1e6
    chosen = ListedColormap(style.COLOURS[:len(KINDS)])
    axes.imshow(strongest(story.shares()), cmap=chosen, vmin=-0.5, vmax=len(KINDS) - 0.5, aspect="auto",
                interpolation="nearest", extent=(0, seconds, n - 0.5, -0.5))
    axes.set(xlabel="seconds", ylabel="process", title="Calls that took most of the time; white: computing")
    axes.grid(visible=False)
    whole_numbers(axes.yaxis)
    handles, labels = [Patch(color=style.COLOURS[i]) for i in range(len(KINDS))], list(KINDS)
    if 0 < story.n_arrows <= MOST_ARROWS:
        draw_arrows(axes, story)
        handles.append(Line2D([], [], color=style.INK, linewidth=0.8, marker=">"))
        labels.append("message")
    style.legend_below(figure, handles, labels, columns=len(labels))
    style.save(figure, file)
