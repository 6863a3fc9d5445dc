"""The figures of a study, in the common style of Oshen's tools, each readable by itself on a small screen."""
import textwrap
from functools import partial

from oshen_figures import origin, style
from oshen_figures.style import COLOURS, GREYS, INK, PALE

WIDE = 0.8  # width of all bars of a point, relative to the distance between two points


def palette(variants):
    """A colour for each variant: greys for those of MPI."""
    greys, colours = iter(GREYS * 5), iter(COLOURS * 5)
    return {name: next(greys) if variant["mpi"] else next(colours) for name, variant in variants.items()}


def positions(number, of, points):
    """The positions of the bars of one variant."""
    return [i + (number - (of - 1) / 2) * WIDE / of for i in range(len(points))]


def name_points(axes, points, cpus):
    axes.set_xticks(range(len(points)), [origin.count(p["ranks"], cpus) for p in points])
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)


def bars(axes, points, names, colours, value):
    """Groups of bars with error bars: one group for each point. `value` gives median, low and high."""
    for number, name in enumerate(names):
        values = [value(p, name) for p in points]
        middle = [v["median"] for v in values]
        error = [[v["median"] - v["low"] for v in values], [v["high"] - v["median"] for v in values]]
        axes.bar(positions(number, len(names), points), middle, 0.92 * WIDE / len(names), color=colours[name],
                 label=name, yerr=error, ecolor=INK, capsize=2, error_kw={"elinewidth": 0.8})


def times(axes, points, names, colours, part):
    bars(axes, points, names, colours, lambda p, name: p["ways"][name][part])
    axes.set_ylabel("seconds")


def speed_ups(axes, points, names, colours, part):
    """Speed-ups of the variants other than MPI, if the part was timed at every point."""
    names = [n for n in names if not points[0]["ways"][n]["mpi"] and all(part in p["ways"][n]["speed_up"]
                                                                         for p in points)]
    bars(axes, points, names, colours, lambda p, name: p["ways"][name]["speed_up"][part])
    axes.axhline(1, color=INK, linewidth=0.8)
    axes.set_ylabel("speed-up over the fastest MPI variant")


def shares(axes, points, names, colours):
    """Percent of the loop: LAMMPS' own communication below, FFTs with their remaps above it."""
    width = 0.92 * WIDE / len(names)
    for number, name in enumerate(names):
        at = positions(number, len(names), points)
        comm, fft, remap = ([p["ways"][name]["share"][part] for p in points] for part in ("comm", "fft", "remap"))
        axes.bar(at, comm, width, color=colours[name], hatch="///", edgecolor=PALE, linewidth=0, label=name)
        axes.bar(at, fft, width, bottom=comm, color=colours[name], alpha=0.5)
        axes.bar(at, remap, width, bottom=comm, color=colours[name])
    axes.set_ylabel("percent of the loop")


PANELS = (
    ("Loop", partial(times, part="loop")),
    ("Wall: the loop and the set-up before it", partial(times, part="wall")),
    ("Kspace", partial(times, part="kspace")),
    ("Share of the loop: Comm hatched, remaps solid, other FFT pale", shares),
    ("Speed-up of the wall time", partial(speed_ups, part="wall")),
    ("Speed-up of the loop", partial(speed_ups, part="loop")),
    ("Speed-up of Kspace", partial(speed_ups, part="kspace")),
    ("Speed-up of the FFTs with their remaps", partial(speed_ups, part="fft")),
)


def panels(variants):
    """Results of earlier versions have no wall time, and those of fewer than three rounds no speed-ups."""
    wall = all("wall" in variant for variant in variants.values())
    compared = any(variant["speed_up"] for variant in variants.values())
    return [(title, panel) for title, panel in PANELS
            if (wall or "wall" not in title.lower()) and (compared or not title.startswith("Speed-up"))]


def draw(points, variants, cpus):
    """Titles and SVG of the figures of one experiment: times, share of communication, speed-ups over MPI."""
    colours, drawn = palette(variants), []
    for title, panel in panels(variants):
        figure, axes = style.canvas(3.0)
        panel(axes, points, list(variants), colours)
        name_points(axes, points, cpus)
        style.legend_below(figure, *axes.get_legend_handles_labels(), columns=3)
        drawn.append((title, style.inline(figure, title)))
    return drawn


def overview(experiments, cpus):
    """One figure for the whole study: the speed-up of the wall time, with a panel for each experiment."""
    variants = experiments[0]["points"][0]["ways"]
    colours = palette(variants)
    figure, row = style.canvas(3.0, columns=len(experiments), sharey=True, squeeze=False)
    for axes, experiment in zip(row[0], experiments):
        points = experiment["points"]
        speed_ups(axes, points, list(variants), colours, "wall")
        name_points(axes, points, cpus)
        axes.set_xticks(range(len(points)), [f"{p['ranks']}{origin.mark(p['ranks'], cpus)}" for p in points])
        axes.set_xlabel("ranks")
        axes.set_title(textwrap.fill(experiment["name"], 54 // len(experiments)))
        axes.label_outer()
    style.legend_below(figure, *row[0][0].get_legend_handles_labels(), columns=3)
    return figure
