"""The short form of oshen-lammps-study: two points, at least three rounds, more if the time allows, and the page."""
import dataclasses
import importlib
import sys
import tempfile
from pathlib import Path


LEAST = 3  # rounds: a ratio of one round says nothing about its spread


def load(bin_folder):
    """The package of the study, from the build that the demonstration uses."""
    sys.path.insert(0, str(bin_folder.parent / "share" / "oshen"))
    names = ("cli", "experiment", "inputs", "page", "run", "variants")
    return {name: importlib.import_module(f"oshen_lammps_study.{name}") for name in names}


def experiments(study):
    """The points: a fine mesh, with which the FFT takes a large share, and LAMMPS' standard mesh. Short runs, for more rounds."""
    strong = study["experiment"].strong
    chosen = [strong((2,), 4, study["cli"].FINE, "fine mesh"), strong((2,), 8, None, "standard mesh")]
    return [dataclasses.replace(e, name=e.name.removeprefix("Strong scaling, ").capitalize()) for e in chosen]


def measure(bin_folder, venv, out, minutes, most, say):
    """Writes the page of the study to `out` and returns the results. Ends the program with a line if a run fails."""
    study = load(bin_folder)
    lmp = venv / "bin" / "lmp"
    try:
        bench = study["inputs"].find_bench(lmp) if lmp.exists() else None
        if bench is None:
            raise study["run"].Failure(f"no LAMMPS with the rhodopsin benchmark in {venv}: run scripts/setup.sh")
        with tempfile.TemporaryDirectory(dir=out) as work:
            runner = study["run"].Runner(lmp, Path(work), limit=180)
            version, before = runner.version(), study["experiment"].machine()
            ways = study["variants"].choose(["mpi-default", "auto", "fft"], runner)
            made = study["experiment"].Study(runner, bench, ways, experiments(study), say)
            rounds = made.measure(most, minutes, LEAST)
    except study["run"].Failure as problem:
        sys.exit(f"FAILED: {problem}")
    command = importlib.import_module("oshen_figures.origin").command_line()
    results = study["page"].summarise(made, rounds, most, before, version, command)
    return results, study["page"].write(results, out / "lammps.html")
