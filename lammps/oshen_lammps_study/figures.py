"""Figures of one experiment, as SVG to put into a page."""
import io

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "oshen", "font.family": "sans-serif", "font.size": 9,
                            "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
                            "axes.grid": True, "axes.grid.axis": "y", "grid.color": "#e4e4e4"})
from matplotlib import pyplot  # noqa: E402

GREYS = ["#9a9a9a", "#c4c4c4", "#6e6e6e"]
COLOURS = ["#0b6e99", "#d9730d", "#0f7b6c", "#6940a5", "#ad1a72", "#dfab01", "#e03e3e", "#64473a", "#337ea9", "#448361"]


def palette(ways):
    """A colour for each way: greys for those of MPI."""
    greys, colours = iter(GREYS * 5), iter(COLOURS * 5)
    return {name: next(greys) if way["mpi"] else next(colours) for name, way in ways.items()}


def bars(axes, points, names, colours, value):
    """Groups of bars with error bars: one group for each point. `value` gives median, low and high."""
    width = 0.8 / len(names)
    for number, name in enumerate(names):
        at = [i + (number - (len(names) - 1) / 2) * width for i in range(len(points))]
        values = [value(p, name) for p in points]
        middle = [v["median"] for v in values]
        error = [[v["median"] - v["low"] for v in values], [v["high"] - v["median"] for v in values]]
        axes.bar(at, middle, width * 0.92, color=colours[name], label=name, yerr=error, ecolor="#333", capsize=2,
                 error_kw={"elinewidth": 0.8})
    axes.set_xticks(range(len(points)), [f"{p['ranks']} rank{'s' if p['ranks'] > 1 else ''}" for p in points])
    axes.tick_params(axis="x", length=0)


def times(axes, points, names, colours, part, title):
    bars(axes, points, names, colours, lambda p, name: p["ways"][name][part])
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_ylabel("seconds")


def speed_ups(axes, points, names, colours, part, title):
    names = [n for n in names if not points[0]["ways"][n]["mpi"]]
    bars(axes, points, names, colours, lambda p, name: p["ways"][name]["speed_up"][part])
    axes.axhline(1, color="#333", linewidth=0.8)
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_ylabel("times the fastest of MPI")


def shares(axes, points, names, colours):
    """Percent of the loop: LAMMPS' own communication below, FFTs with their remaps above."""
    width = 0.8 / len(names)
    for number, name in enumerate(names):
        at = [i + (number - (len(names) - 1) / 2) * width for i in range(len(points))]
        comm = [p["ways"][name]["share"]["comm"] for p in points]
        fft, remap = ([p["ways"][name]["share"][part] for p in points] for part in ("fft", "remap"))
        axes.bar(at, comm, width * 0.92, color=colours[name], hatch="///", edgecolor="white", linewidth=0)
        axes.bar(at, fft, width * 0.92, bottom=comm, color=colours[name], alpha=0.55)
        axes.bar(at, remap, width * 0.92, bottom=comm, color=colours[name])
    axes.set_xticks(range(len(points)), [f"{p['ranks']} rank{'s' if p['ranks'] > 1 else ''}" for p in points])
    axes.tick_params(axis="x", length=0)
    axes.set_title("Share of the loop: Comm (hatched), remaps (full), rest of the FFTs (pale)", loc="left", fontsize=8)
    axes.set_ylabel("percent")


def svg(figure):
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):]


def draw(points, ways):
    """One experiment: times, speed-ups over MPI, share of communication."""
    names, colours = list(ways), palette(ways)
    figure, axes = pyplot.subplots(2, 3, figsize=(12, 6.2), layout="constrained")
    times(axes[0][0], points, names, colours, "loop", "Loop")
    times(axes[0][1], points, names, colours, "kspace", "Kspace")
    shares(axes[0][2], points, names, colours)
    speed_ups(axes[1][0], points, names, colours, "loop", "Speed-up of the loop")
    speed_ups(axes[1][1], points, names, colours, "kspace", "Speed-up of Kspace")
    speed_ups(axes[1][2], points, names, colours, "fft", "Speed-up of the FFTs with their remaps")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=min(6, len(names)),
                  frameon=False)
    return svg(figure)
