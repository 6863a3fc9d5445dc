"""The results of the study as tables for the terminal."""
from rich import box
from rich.table import Table

PARTS = {"wall": "wall", "setup": "set-up", "loop": "loop", "fft": "FFT"}


def cell(way, part):
    """The seconds of a part, and the speed-up over MPI."""
    seconds = f"{way[part]['median']:.3f}"
    if way["mpi"] or part not in way["speed_up"]:
        return seconds
    return f"{seconds} ({way['speed_up'][part]['median']:.2f}x)"


def table_of(experiment):
    """The table of one experiment, at most 80 columns wide, because files and logs have no more."""
    table = Table(title=experiment["name"], title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("ranks", "way", *PARTS.values()):
        table.add_column(heading, justify="left" if heading == "way" else "right", no_wrap=True)
    for point in experiment["points"]:
        for number, (name, way) in enumerate(point["ways"].items()):
            table.add_row("" if number else str(point["ranks"]), name, *[cell(way, part) for part in PARTS],
                          end_section=number == len(point["ways"]) - 1)
    return table


def show(console, results):
    console.print("\nRhodopsin, 32 000 atoms (weak scaling: on each rank): seconds, times faster than MPI\n",
                  highlight=False)
    for experiment in results["experiments"]:
        console.print(table_of(experiment))
    machine = results["machine"]
    console.print(f"Medians of {results['rounds']} round(s), all ways in turn. FFT: fft_3d and all remaps, slowest rank. "
                  f"{machine['cpus']} CPUs ({machine['cpu']}), load {machine['load']:.1f}.", highlight=False)
    worst = max(way["error"] for e in results["experiments"] for p in e["points"] for way in p["ways"].values()
                if not way["exact"])
    console.print("[bold green]thermo output of remaps identical to that of MPI[/], that of whole FFTs within "
                  f"{worst:.0e} of it", highlight=False)
