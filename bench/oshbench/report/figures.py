"""The figures of a report, in the style of all tools of Oshen."""

from __future__ import annotations

import math
from dataclasses import dataclass

from matplotlib.patches import Patch, Rectangle
from oshen_figures import origin, style
from oshen_figures.style import COLOURS, COSTS, INK, PALE, inline

from ..cases.catalogue import kind_of
from ..results.rows import Key, Row, Table
from ..statistics import intervals
from .formats import size_of, size_text
from .radar import Score

MOST_COLUMNS = 8  # of a heat map side by side; the rest is below


@dataclass(frozen=True)
class Look:
    """The colour of each library, and the number of CPUs, for all figures of a report."""

    colours: dict[str, str]
    cpus: int

    def mark(self, pes: int) -> str:
        return origin.mark(pes, self.cpus)

    def pes(self, pes: int) -> str:
        return origin.count(pes, self.cpus, "PE")


def radar(axes_scores: dict[str, dict[str, Score]], titles: dict[str, str], look: Look) -> str:
    names = sorted({name for scores in axes_scores.values() for name in scores}, key=list(look.colours).index)
    markers = style.markers(list(look.colours))
    axes = list(axes_scores)
    figure, plot = style.canvas(4.6, subplot_kw={"projection": "polar"})
    figure.get_layout_engine().set(w_pad=0.15)  # the layout underestimates labels beside the ring
    angles = [2 * math.pi * i / len(axes) for i in range(len(axes))]
    for name in names:
        scores = [axes_scores[axis].get(name) for axis in axes]
        at = [(a, s) for a, s in zip(angles, scores) if s]
        closed = at + at[:1] if len(at) == len(axes) else at
        plot.plot([a for a, _ in closed], [s.value for _, s in closed], color=look.colours[name], label=name,
                  marker=markers[name])
        for angle, score in at:
            plot.plot([angle, angle], [score.low, score.high], color=look.colours[name], linewidth=4, alpha=0.3)
    plot.set_xticks(angles, [titles[axis] for axis in axes])
    for label, angle in zip(plot.get_xticklabels(), angles):  # beside the ring, not on it
        label.set_ha("left" if math.cos(angle) > 0.1 else "right" if math.cos(angle) < -0.1 else "center")
    plot.set_ylim(0, 1.02)
    plot.set_yticks([0.25, 0.5, 0.75, 1], ["", "half", "", "best"])
    plot.set_rlabel_position(math.degrees(angles[1]) / 2)
    plot.spines["polar"].set_color(PALE)
    style.legend_below(figure, *plot.get_legend_handles_labels())
    return inline(figure, "Radar: each library's share of the best, by axis")


def curves(table: Table, case: str, pes: int, look: Look) -> str:
    """Time by size, with the interval as a band, and the limit of the machine. Below: the ratio to the best."""
    series = {name: sorted((row for key, row in rows.items() if key.case == case and key.pes == pes and row.ok
                            and key.size),
                           key=lambda row: row.key.size) for name, rows in table.items()}
    series = {name: rows for name, rows in series.items() if len(rows) > 1}
    markers = style.markers(list(look.colours))
    figure, (upper, lower) = style.canvas(4.4, 2, sharex=True, height_ratios=(2.4, 1))
    best: dict[int, float] = {}
    for rows in series.values():
        for row in rows:
            best[row.key.size] = min(best.get(row.key.size, math.inf), row.median)
    for name, rows in series.items():
        sizes = [row.key.size for row in rows]
        spans = [intervals.interval(row) for row in rows]
        upper.plot(sizes, [i.value / 1e3 for i in spans], color=look.colours[name], label=name, marker=markers[name])
        upper.fill_between(sizes, [i.low / 1e3 for i in spans], [i.high / 1e3 for i in spans], color=look.colours[name],
                           alpha=0.25, linewidth=0)
        lower.plot(sizes, [row.median / best[row.key.size] for row in rows], color=look.colours[name],
                   marker=markers[name])
    _limit(upper, [row for rows in series.values() for row in rows])
    upper.set(xscale="log", yscale="log", ylabel="µs")
    style.plain_logarithmic(upper.yaxis)
    lower.set(ylabel="times the best", xlabel="" if kind_of(case).counts else "bytes", yscale="log")
    _size_ticks(lower, case, sorted(best))
    ratios = [row.median / best[row.key.size] for rows in series.values() for row in rows]
    marks = _marks(max(ratios, default=1))
    lower.set_ylim(0.9, 1.2 * max(marks[-1], max(ratios, default=1)))
    lower.set_yticks(marks, [f"{mark:g}" for mark in marks])
    lower.minorticks_off()
    style.legend_below(figure, *upper.get_legend_handles_labels())
    return inline(figure, f"{case} on {pes} PEs: time by size")


def _size_ticks(plot, case: str, sizes: list[int]) -> None:
    style.doubling(plot.xaxis, sizes, [size_of(Key(case, size, 0)) for size in sizes])
    plot.tick_params(axis="x", labelrotation=45)
    for label in plot.get_xticklabels():
        label.set(ha="right", rotation_mode="anchor")


def _marks(most: float) -> list[float]:
    """About three round ticks of a logarithmic axis from 1."""
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
        plot.plot(sizes, [limits[size] / 1e3 for size in sizes], color=INK, linestyle=":", linewidth=1,
                  label="limit of the machine")


def dots(table: Table, keys: list[Key], look: Look, title: str, unit: str, scale: float = 1.0) -> str:
    """A row for each case, with a dot for each library on a logarithmic axis, and its interval as a line. A bar would
    have no beginning on such an axis."""
    names = [name for name in look.colours if any(key in table.get(name, {}) for key in keys)]
    markers = style.markers(list(look.colours))
    figure, plot = style.canvas(1.1 + len(keys) * (0.1 + 0.09 * max(1, len(names))))
    step = 0.7 / max(1, len(names))
    for number, name in enumerate(names):
        shown = [(i, table[name][key]) for i, key in enumerate(keys) if key in table[name] and table[name][key].ok]
        spans = [intervals.interval(row) for _, row in shown]
        at = [i + (number - (len(names) - 1) / 2) * step for i, _ in shown]
        middle = [i.value / scale for i in spans]
        error = [[max(0, m - i.low / scale) for m, i in zip(middle, spans)], [max(0, i.high / scale - m) for m,
                                                                              i in zip(middle, spans)]]
        plot.errorbar(middle, at, xerr=error, color=look.colours[name], label=name, marker=markers[name],
                      linestyle="none", elinewidth=1, capsize=1.5)
    plot.set_yticks(range(len(keys)), _labels(keys, look))
    plot.set_ylim(len(keys) - 0.45, -0.55)
    plot.tick_params(axis="y", length=0)
    plot.set(xscale="log", xlabel=unit)
    style.plain_logarithmic(plot.xaxis)
    for between in range(1, len(keys)):
        plot.axhline(between - 0.5, color=PALE, linewidth=0.6)
    plot.grid(axis="y", visible=False)
    style.legend_below(figure, *plot.get_legend_handles_labels())
    return inline(figure, title)


def _labels(keys: list[Key], look: Look) -> list[str]:
    """The cases, with what differs among them: sizes and PEs. The caption has the rest (section.titled)."""
    sizes, counts = len({key.size for key in keys}) > 1, len({key.pes for key in keys}) > 1
    return [key.case.removeprefix("amo.").removeprefix("memory.") + (f" {size_of(key)}" if sizes and key.size else "")
            + (f", {look.pes(key.pes)}" if counts else "") for key in keys]


def lines(points: dict[str, dict[int, float]], look: Look, title: str, across: str, up: str, each: int = 1) -> str:
    """By a number of workers, of which `each` PE has as many; numbers beyond the CPUs are marked."""
    markers = style.markers(list(look.colours))
    figure, plot = style.canvas(2.9)
    for name, curve in points.items():
        at = sorted(curve)
        plot.plot(at, [curve[x] for x in at], color=look.colours[name], label=name, marker=markers[name])
    plot.set(xlabel=across, ylabel=up, xscale="log", yscale="log")
    at = sorted({x for curve in points.values() for x in curve})
    style.doubling(plot.xaxis, at, [f"{x}{look.mark(each * x)}" for x in at])
    style.plain_logarithmic(plot.yaxis)
    style.legend_below(figure, *plot.get_legend_handles_labels())
    return inline(figure, title)


def scaling(points: dict[str, list[tuple[int, intervals.Interval]]], look: Look, title: str) -> str:
    """Work per second over that of one PE, by PEs. The dotted line is perfect scaling."""
    markers = style.markers(list(look.colours))
    figure, plot = style.canvas(2.9)
    for name, curve in points.items():
        plot.errorbar([pes for pes, _ in curve], [i.value for _, i in curve], color=look.colours[name], label=name,
                      marker=markers[name], capsize=2,
                      yerr=[[max(0, i.value - i.low) for _, i in curve], [max(0, i.high - i.value) for _, i in curve]])
    at = sorted({pes for curve in points.values() for pes, _ in curve})
    plot.plot(at, at, color=INK, linestyle=":", linewidth=1, label="perfect")
    plot.set(xlabel="PEs", ylabel="times the work of one", xscale="log", yscale="log")
    style.doubling(plot.xaxis, at, [f"{pes}{look.mark(pes)}" for pes in at])
    style.plain_logarithmic(plot.yaxis)
    style.legend_below(figure, *plot.get_legend_handles_labels())
    return inline(figure, title)


def crossover(cells: dict[tuple[int, int], tuple[str, float, str]], look: Look, title: str) -> str:
    """The winner at each size and number of PEs: the colour is the winner, its strength the distance. Cells without a
    clear winner are hatched. Rows with more PEs than CPUs are marked."""
    sizes = sorted({size for size, _ in cells})
    counts = sorted({pes for _, pes in cells})
    figure, plot = style.canvas(1.5 + 0.42 * len(counts))
    for (size, pes), (winner, ahead, mark) in cells.items():
        strength = min(0.9, 0.35 + 0.3 * math.log2(max(1.0, ahead)))
        at = sizes.index(size), counts.index(pes)
        plot.add_patch(Rectangle(at, 0.96, 0.92, facecolor=look.colours[winner], alpha=strength, hatch="////" if mark
                                 else None, edgecolor=PALE, linewidth=0))
        if len(sizes) <= 14:
            plot.text(at[0] + 0.48, at[1] + 0.46, mark or f"{ahead:.2g}", ha="center", va="center",
                      fontsize=style.SMALL)
    plot.set_xlim(0, len(sizes))
    plot.set_ylim(0, len(counts))
    every = -(-len(sizes) // style.MOST_LABELS)
    plot.set_xticks([i + 0.48 for i in range(0, len(sizes), every)], [size_text(size) for size in sizes[::every]],
                    rotation=45, ha="right", rotation_mode="anchor")
    plot.set_yticks([i + 0.46 for i in range(len(counts))], [look.pes(pes) for pes in counts])
    plot.grid(visible=False)
    plot.tick_params(length=0)
    shown = sorted({winner for winner, _, _ in cells.values()}, key=list(look.colours).index)
    patches = [(Patch(color=look.colours[name]), name) for name in shown]
    told = {"=": "= even", "?": "? undecided"}
    patches += [(Patch(facecolor=style.EMPTY, edgecolor=PALE, hatch="////", linewidth=0), told[mark]) for mark in told
                if any(mark == cell[2] for cell in cells.values())]
    style.legend_below(figure, *zip(*patches))
    return inline(figure, title)


def heat(values: list[list[float]], rows: list[str], columns: list[str], title: str) -> str:
    """Cost over the best of each column; 1 is best. Many columns are split into several maps."""
    parts = [range(first, min(first + MOST_COLUMNS, len(columns))) for first in range(0, len(columns), MOST_COLUMNS)]
    figure, plots = style.canvas(len(parts) * (1.0 + 0.24 * len(rows)), len(parts), squeeze=False)
    for (plot,), part in zip(plots, parts):
        _heat_part(plot, [[line[j] for j in part] for line in values], rows, [columns[j] for j in part])
    return inline(figure, title)


def _heat_part(plot, values: list[list[float]], rows: list[str], columns: list[str]) -> None:
    shown = [[math.nan if math.isnan(v) else math.log2(max(v, 1)) for v in line] for line in values]
    plot.imshow(shown, cmap=COSTS, vmin=0, vmax=4, aspect="auto")
    for i, line in enumerate(values):
        for j, v in enumerate(line):
            if not math.isnan(v):
                plot.text(j, i, f"{v:.2g}" if v < 10 else f"{v:.0f}", ha="center", va="center", fontsize=style.SMALL,
                          color=style.ON_LIGHT if v < 4 else style.ON_DARK)
    plot.set_xticks(range(len(columns)), columns, rotation=30, ha="right", rotation_mode="anchor")
    plot.set_yticks(range(len(rows)), rows)
    plot.tick_params(length=0)
    plot.grid(visible=False)


def strips(rows: dict[str, Row], look: Look, title: str) -> str:
    """Every batch as a dot, by launch."""
    figure, plot = style.canvas(2.6)
    offset = 0.0
    ticks, labels = [], []
    for name, row in rows.items():
        for number, batches in enumerate(row.batches):
            plot.plot([offset + number + 0.06 * (i % 5) for i in range(len(batches))], batches, ".",
                      color=look.colours[name], alpha=0.7)
        ticks.append(offset + (len(row.batches) - 1) / 2)
        labels.append(name)
        offset += len(row.batches) + 1
    plot.set_xticks(ticks, labels, rotation=20 if len(labels) > 4 else 0, ha="right" if len(labels) > 4 else "center")
    plot.set(yscale="log", ylabel="ns")
    style.plain_logarithmic(plot.yaxis)
    return inline(figure, title)


def stacks(shares: dict[str, dict[str, float]], title: str) -> str:
    """Phases of the mini-apps in percent."""
    phases = list(dict.fromkeys(phase for by_phase in shares.values() for phase in by_phase))
    figure, plot = style.canvas(1.2 + 0.22 * len(shares))
    left = [0.0] * len(shares)
    for number, phase in enumerate(phases):
        widths = [by_phase.get(phase, 0.0) for by_phase in shares.values()]
        plot.barh(range(len(shares)), widths, left=left, color=COLOURS[number % len(COLOURS)], label=phase, height=0.75,
                  hatch="//" if number >= len(COLOURS) else None, edgecolor=PALE, linewidth=0)
        left = [a + b for a, b in zip(left, widths)]
    plot.set_yticks(range(len(shares)), list(shares))
    plot.invert_yaxis()
    plot.set_xlabel("percent of the time")
    plot.grid(axis="y", visible=False)
    style.legend_below(figure, *plot.get_legend_handles_labels())
    return inline(figure, title)
