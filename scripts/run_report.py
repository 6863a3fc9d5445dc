"""The results of the study as tables for the terminal, at most 80 columns wide."""
from statistics import median

from rich import box
from rich.table import Table

PARTS = {"wall": "wall s", "loop": "loop s", "fft": "FFT s"}
SAME = 1.05  # rounds that differ by less than this factor also show that nothing has changed


BUSY = 0.2  # CPUs: what other programs may use


def verdict(ratios, others):
    """How many times faster: the median and the range of the rounds. No number if the rounds contradict each other, or if other
    programs used CPUs: these hinder a process that spins less than one that sleeps, in each round alike."""
    low, high = min(ratios), max(ratios)
    span = f"({low:.2f} to {high:.2f})"
    if len(ratios) < 3:
        return "too few rounds to say"
    if others > BUSY:
        return f"too busy to say {span}"
    if low < 1 < high and high > SAME * low:
        return f"too noisy to say {span}"
    return f"{median(ratios):.2f}x {span}"


def ratios(samples, name, part):
    """The time of MPI relative to that of this variant, by round, because both run directly after one another."""
    return [mpi[part] / own[part] for mpi, own in zip(samples["MPI"], samples[name])]


def table_of(experiment, others):
    """The table of one experiment. `others`: CPUs that other programs used."""
    title = f"{experiment['name']}: {experiment['about']}"
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False,
                  padding=(0, 1, 0, 0))
    for heading in ("ranks", "variant", *PARTS.values(), "wall: times faster than MPI"):
        table.add_column(heading, justify="right" if heading in PARTS.values() or heading == "ranks" else "left")
    for point, samples in zip(experiment["points"], experiment["samples"]):
        for number, (name, way) in enumerate(point["ways"].items()):
            seconds = [f"{way[part]['median']:.2f}" for part in PARTS]
            faster = "" if way["mpi"] else verdict(ratios(samples, name, "wall"), others)
            table.add_row("" if number else str(point["ranks"]), name, *seconds, faster)
    return table


def show(console, results, others):
    console.print()
    for experiment in results["experiments"]:
        console.print(table_of(experiment, others))
    machine = results["machine"]
    console.print(f"Medians of {results['rounds']} rounds, all variants in turn; in brackets: the range of the rounds. FFT: fft_3d and all "
                  f"remaps, slowest rank. {machine['cpus']} CPUs ({machine['cpu']}).", highlight=False)
    if others > BUSY:
        console.print(f"[yellow]Other programs used {others:.1f} CPUs meanwhile. Run it again when nothing else runs.[/]", highlight=False)
    worst = max(way["error"] for e in results["experiments"] for p in e["points"] for way in p["ways"].values()
                if not way["exact"])
    console.print("[bold green]thermo output of remaps identical to that of MPI[/], that of whole FFTs to "
                  f"{max(worst, 1e-16):.0e}", highlight=False)
