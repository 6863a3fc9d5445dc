"""Figures as SVG that follow the page's colours: text, axes and grid take the colour of the page, light or dark."""

from __future__ import annotations

import io
import math
import re

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

from .. import judge  # noqa: E402
from ..formats import size_text  # noqa: E402
from ..results import Key, Row, Table  # noqa: E402
from .radar import Score  # noqa: E402

INK, PALE = "#010203", "#040506"  # are replaced by variables of the page
COLOURS = ("#0b7fb5", "#d9730d", "#12856f", "#8a5bd1", "#c0407c", "#a88600", "#d24a43", "#7a6a5b")
matplotlib.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "oshbench", "font.size": 9, "font.family": "sans-serif", "axes.edgecolor": INK,
    "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK, "axes.grid": True, "grid.color": PALE,
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "figure.facecolor": "none",
    "axes.facecolor": "none", "legend.frameon": False, "grid.linewidth": 0.6, "savefig.transparent": True,
})


def colours(names: list[str]) -> dict[str, str]:
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}


def svg(figure, title: str) -> str:
    """With a name for those who cannot see it."""
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    picture = re.sub(r"<!--.*?-->", "", text.getvalue()[text.getvalue().index("<svg"):], flags=re.S)
    picture = re.sub(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"', r"\1", picture, count=1, flags=re.S)
    picture = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", picture, count=1, flags=re.S)
    picture = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", picture, count=1, flags=re.S)
    picture = picture.replace(INK, "var(--ink)").replace(PALE, "var(--pale)")
    return picture.replace("<svg", f'<svg role="img" aria-label="{title}"', 1)


def radar(axes_scores: dict[str, dict[str, Score]], titles: dict[str, str], palette: dict[str, str]) -> str:
    names = sorted({name for found in axes_scores.values() for name in found}, key=list(palette).index)
    axes = list(axes_scores)
    figure, plot = pyplot.subplots(figsize=(5.4, 4.2), subplot_kw={"projection": "polar"})
    angles = [2 * math.pi * i / len(axes) for i in range(len(axes))]
    for name in names:
        found = [axes_scores[axis].get(name) for axis in axes]
        at = [(a, s) for a, s in zip(angles, found) if s]
        closed = at + at[:1] if len(at) == len(axes) else at
        plot.plot([a for a, _ in closed], [s.value for _, s in closed], color=palette[name], label=name, linewidth=1.8,
                  marker="o", markersize=3)
        for angle, score in at:
            plot.plot([angle, angle], [score.low, score.high], color=palette[name], linewidth=4, alpha=0.3)
    plot.set_xticks(angles, [titles[axis] for axis in axes])
    for label, angle in zip(plot.get_xticklabels(), angles):  # beside the ring, not on it
        label.set_ha("left" if math.cos(angle) > 0.1 else "right" if math.cos(angle) < -0.1 else "center")
    plot.set_ylim(0, 1.02)
    plot.set_yticks([0.25, 0.5, 0.75, 1], ["", "half", "", "best"])
    plot.set_rlabel_position(math.degrees(angles[1]) / 2)
    plot.spines["polar"].set_color(PALE)
    plot.legend(loc="upper left", bbox_to_anchor=(1.12, 1.08))
    return svg(figure, "Radar: each library's share of the best, by axis")


def curves(table: Table, case: str, pes: int, palette: dict[str, str]) -> str:
    """Time by size, with the interval as a band and the limit of the machine; below, the ratio to the best."""
    series = {name: sorted((row for key, row in rows.items() if key.case == case and key.pes == pes and row.ok and key.size),
                           key=lambda row: row.key.size) for name, rows in table.items()}
    series = {name: rows for name, rows in series.items() if len(rows) > 1}
    figure, (upper, lower) = pyplot.subplots(2, 1, figsize=(5.4, 4.4), sharex=True, height_ratios=(2.4, 1), layout="constrained")
    best: dict[int, float] = {}
    for rows in series.values():
        for row in rows:
            best[row.key.size] = min(best.get(row.key.size, math.inf), row.median)
    for name, rows in series.items():
        sizes = [row.key.size for row in rows]
        found = [judge.interval(row) for row in rows]
        upper.plot(sizes, [i.value / 1e3 for i in found], color=palette[name], label=name, marker="o", markersize=3)
        upper.fill_between(sizes, [i.low / 1e3 for i in found], [i.high / 1e3 for i in found], color=palette[name], alpha=0.25,
                           linewidth=0)
        lower.plot(sizes, [row.median / best[row.key.size] for row in rows], color=palette[name], marker="o", markersize=3)
    _limit(upper, [row for rows in series.values() for row in rows])
    upper.set(xscale="log", yscale="log", ylabel="µs")
    upper.legend(fontsize=8)
    lower.set(ylabel="times the best", xlabel="bytes", yscale="log")
    lower.set_xticks(sorted(best), [size_text(size) for size in sorted(best)], rotation=45, ha="right")
    ratios = [row.median / best[row.key.size] for rows in series.values() for row in rows]
    marks = _marks(max(ratios, default=1))
    lower.set_ylim(0.9, 1.2 * max(marks[-1], max(ratios, default=1)))
    lower.set_yticks(marks, [f"{mark:g}" for mark in marks])
    lower.minorticks_off()
    return svg(figure, f"{case} on {pes} PEs: time by size")


def _marks(most: float) -> list[float]:
    """Some three ticks of a logarithmic axis from 1, as people count."""
    step = next(steps for end, steps in ((2, (1, 1.5, 2)), (5, (1, 2, 5)), (30, (1, 3, 10, 30)), (300, (1, 10, 100)),
                                         (math.inf, (1, 10, 100, 1000, 10000))) if most <= end)
    return [mark for mark in step if mark <= most or mark == step[1]]


def _limit(plot, rows: list[Row]) -> None:
    limits: dict[int, float] = {}
    for row in rows:
        if row.reference_ns:
            limits[row.key.size] = min(limits.get(row.key.size, math.inf), row.reference_ns)
    if len(limits) > 1:
        sizes = sorted(limits)
        plot.plot(sizes, [limits[size] / 1e3 for size in sizes], color=INK, linestyle=":", linewidth=1, label="the machine's limit")


def bars(table: Table, keys: list[Key], palette: dict[str, str], title: str, unit: str, scale: float = 1.0) -> str:
    """Groups of bars, logarithmic; the interval as a line."""
    names = [name for name in palette if any(key in table.get(name, {}) for key in keys)]
    figure, plot = pyplot.subplots(figsize=(max(5.4, 0.42 * len(keys) * max(1, len(names) / 2)), 3), layout="constrained")
    width = 0.8 / max(1, len(names))
    for number, name in enumerate(names):
        shown = [(i, table[name][key]) for i, key in enumerate(keys) if key in table[name] and table[name][key].ok]
        found = [judge.interval(row) for _, row in shown]
        at = [i + (number - (len(names) - 1) / 2) * width for i, _ in shown]
        middle = [i.value / scale for i in found]
        error = [[max(0, m - i.low / scale) for m, i in zip(middle, found)], [max(0, i.high / scale - m) for m, i in zip(middle, found)]]
        plot.bar(at, middle, width * 0.92, color=palette[name], label=name, yerr=error, ecolor=INK, capsize=1.5,
                 error_kw={"elinewidth": 0.7})
    plot.set_xticks(range(len(keys)), [_short(key) for key in keys], rotation=45, ha="right")
    plot.set(yscale="log", ylabel=unit)
    plot.grid(axis="x", visible=False)
    plot.legend(fontsize=8, ncols=4, loc="upper left", bbox_to_anchor=(0, 1.15))
    return svg(figure, title)


def _short(key: Key) -> str:
    case = key.case.removeprefix("amo.").removeprefix("memory.")
    return case + (f" {size_text(key.size)}" if key.size > 8 else "")


def lines(points: dict[str, dict[int, float]], palette: dict[str, str], title: str, across: str, up: str, log: bool = True) -> str:
    figure, plot = pyplot.subplots(figsize=(5.4, 2.8), layout="constrained")
    for name, found in points.items():
        at = sorted(found)
        plot.plot(at, [found[x] for x in at], color=palette[name], label=name, marker="o", markersize=4)
    plot.set(xlabel=across, ylabel=up, yscale="log" if log else "linear")
    plot.set_xticks(sorted({x for found in points.values() for x in found}))
    plot.minorticks_off()
    plot.legend(fontsize=8)
    return svg(figure, title)


def crossover(cells: dict[tuple[int, int], tuple[str, float, bool]], palette: dict[str, str], title: str) -> str:
    """Who wins at each size and number of PEs: colour is the winner, strength how far ahead, hatching a tie."""
    sizes = sorted({size for size, _ in cells})
    counts = sorted({pes for _, pes in cells})
    figure, plot = pyplot.subplots(figsize=(5.4, 0.9 + 0.42 * len(counts)), layout="constrained")
    for (size, pes), (winner, ahead, tied) in cells.items():
        strength = min(0.95, 0.35 + 0.3 * math.log2(max(1.0, ahead)))
        plot.add_patch(matplotlib.patches.Rectangle((sizes.index(size), counts.index(pes)), 0.96, 0.92, facecolor=palette[winner],
                                                    alpha=strength, hatch="////" if tied else None, edgecolor=PALE, linewidth=0))
        plot.text(sizes.index(size) + 0.48, counts.index(pes) + 0.46, "=" if tied else f"{ahead:.1f}×", ha="center", va="center",
                  fontsize=7)
    plot.set_xlim(0, len(sizes))
    plot.set_ylim(0, len(counts))
    plot.set_xticks([i + 0.48 for i in range(len(sizes))], [size_text(size) for size in sizes])
    plot.set_yticks([i + 0.46 for i in range(len(counts))], [f"{pes} PEs" for pes in counts])
    plot.grid(visible=False)
    plot.tick_params(length=0)
    shown = sorted({winner for winner, _, _ in cells.values()}, key=list(palette).index)
    plot.legend(handles=[matplotlib.patches.Patch(color=palette[name], label=name) for name in shown], fontsize=8, ncols=4,
                loc="lower left", bbox_to_anchor=(0, 1))
    return svg(figure, title)


def heat(values: list[list[float]], rows: list[str], columns: list[str], title: str) -> str:
    """Cost over the best of each column: 1 is best."""
    figure, plot = pyplot.subplots(figsize=(1.6 + 0.8 * len(columns), 0.8 + 0.3 * len(rows)), layout="constrained")
    shown = [[math.nan if math.isnan(v) else math.log2(max(v, 1)) for v in line] for line in values]
    plot.imshow(shown, cmap="YlOrRd", vmin=0, vmax=4, aspect="auto")
    for i, line in enumerate(values):
        for j, v in enumerate(line):
            if not math.isnan(v):
                plot.text(j, i, f"{v:.2g}" if v < 10 else f"{v:.0f}", ha="center", va="center", fontsize=7, color="#222" if v < 6 else "#fff")
    plot.set_xticks(range(len(columns)), columns, rotation=30, ha="right")
    plot.set_yticks(range(len(rows)), rows)
    plot.grid(visible=False)
    return svg(figure, title)


def strips(rows: dict[str, Row], palette: dict[str, str], title: str) -> str:
    """Every batch as a dot, launch by launch."""
    figure, plot = pyplot.subplots(figsize=(5.4, 2.4), layout="constrained")
    offset = 0.0
    ticks, labels = [], []
    for name, row in rows.items():
        for number, batches in enumerate(row.batches):
            plot.plot([offset + number + 0.06 * (i % 5) for i in range(len(batches))], batches, ".", color=palette[name],
                      markersize=3, alpha=0.7)
        ticks.append(offset + (len(row.batches) - 1) / 2)
        labels.append(name)
        offset += len(row.batches) + 1
    plot.set_xticks(ticks, labels)
    plot.set(yscale="log", ylabel="ns")
    return svg(figure, title)


def stacks(shares: dict[str, dict[str, float]], title: str) -> str:
    """Phases of the mini-apps in percent."""
    phases = list(dict.fromkeys(phase for found in shares.values() for phase in found))
    figure, plot = pyplot.subplots(figsize=(5.4, 0.6 + 0.26 * len(shares)), layout="constrained")
    left = [0.0] * len(shares)
    for number, phase in enumerate(phases):
        widths = [found.get(phase, 0.0) for found in shares.values()]
        plot.barh(range(len(shares)), widths, left=left, color=COLOURS[number % len(COLOURS)], label=phase, height=0.75)
        left = [a + b for a, b in zip(left, widths)]
    plot.set_yticks(range(len(shares)), list(shares), fontsize=7)
    plot.invert_yaxis()
    plot.set_xlabel("percent of the time")
    plot.grid(axis="y", visible=False)
    plot.legend(fontsize=7, ncols=5, loc="lower left", bbox_to_anchor=(-0.2, 1))
    return svg(figure, title)
