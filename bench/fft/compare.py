#!/usr/bin/env python3
"""Sets our 3-D FFT beside those that are installed: FFTW-MPI and LAMMPS' fft_3d (the code that fftMPI grew out of).

    bench/fft/compare.py --build build/release [--sizes 32 64 128 256] [--pes 1 2 4] [--rounds 5] [--out docs/bench/fft]
    bench/fft/compare.py --build build/release --sizes 256 --rounds 2 --keep    the other points stay as OUT.json has them
    bench/fft/compare.py --library heffte=/opt/heffte                           one more, installed there for Open MPI

heFFTe is built for it with
    cmake -DHeffte_ENABLE_FFTW=ON -DMPI_CXX_COMPILER=mpicxx.openmpi -DCMAKE_INSTALL_PREFIX=/opt/heffte SOURCE
Another library needs a program beside heffte.cpp that ends with measure_mpi(), and a line in BY_HAND and in EFFORTS.

All programs of a point run one after the other in each round, so that what disturbs one disturbs all. A round's value
is that of the best of eight batches of transforms, from the start of the first process to the end of the last; a point's
value is the median over rounds. Writes OUT.json and OUT.md.

About each batch every process takes the beat of its CPU, a little arithmetic in registers. Where that is slow somebody else
uses the core, perhaps another virtual machine on its other hardware thread. Before and after each launch hop.c measures how
far two CPUs are from one another, which changes where a virtual machine's CPUs are moved. Launches that were disturbed, or
farther than others, do not count where there are better ones; more rounds follow, up to twice as many, until each program has some.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from oshbench import machine  # noqa: E402

OURS = ["oshen, ordinary buffers", "oshen, symmetric buffers"]
TRANSPOSED = ["oshen transposed, ordinary buffers", "oshen transposed, symmetric buffers"]
FFTW_TRANSPOSED = "FFTW-MPI slabs transposed"
ROUTE = "route of "
PLANNING = "planning by "
NOTHING_KEPT = {"XDG_CACHE_HOME": "/nonexistent"}  # plans are made, not remembered
LIMIT = "limit"
STEADY = 1.15  # a beat slower than this times the best is disturbed
NEAR = 1.5  # CPUs farther from one another than this times the best are elsewhere
ENOUGH = 3  # launches of a program that were not
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}
PEERS = {  # source: libraries
    "fftw_mpi.c": ["-lfftw3_mpi", "-lfftw3", "-lm"],
    "lammps_fft.c": ["-l:liblammps.so.0"],
}
BY_HAND = {"heffte": ["-lheffte", "-lfftw3", "-lfftw3f"]}  # built by hand: --library NAME=PREFIX
# How each plans its one-dimensional transforms, as its sources say.
EFFORTS = {
    OURS[0]: "OSHEN_FFT_MEASURE: FFTW_MEASURE, and FFTW_PATIENT for whole boxes up to 1 MiB",
    **dict.fromkeys([OURS[1], *TRANSPOSED], "the same"),
    "FFTW-MPI slabs": "FFTW_MEASURE",
    FFTW_TRANSPOSED: "FFTW_MEASURE",
    "LAMMPS fft_3d brick to brick": "FFTW_ESTIMATE",
    "heFFTe brick to brick": "FFTW_ESTIMATE",
}


def build_peers(folder: Path, by_hand: dict[str, Path]) -> list[Path]:
    """The programs of those libraries that are here; says which are not."""
    made = []
    for source, libraries in PEERS.items():
        program, _ = build("mpicc.openmpi", HERE / source, folder, libraries)
        made += program
        if not program:
            print(f"fft: {source}: not compared: its library or Open MPI is not installed", file=sys.stderr)
    for name, prefix in by_hand.items():
        program, said = build("mpicxx.openmpi", HERE / f"{name}.cpp", folder, [*flags_of(prefix), *BY_HAND[name]])
        if not program:  # it was asked for
            sys.exit(f"fft: --library {name}={prefix}: bench/fft/{name}.cpp does not compile with it:\n{said}")
        made += program
    return made


def flags_of(prefix: Path) -> list[str]:
    """Where an installation has its headers and libraries."""
    libraries = [folder for name in ("lib", "lib64") if (folder := prefix / name).is_dir()]
    return [f"-I{prefix / 'include'}", *(f"-L{lib}" for lib in libraries), *(f"-Wl,-rpath,{lib}" for lib in libraries)]


def build(wrapper: str, source: Path, folder: Path, flags: list[str]) -> tuple[list[Path], str]:
    """The program, if it could be made, and what the compiler said."""
    compiler, program = shutil.which(wrapper), folder / source.stem
    if compiler is None:
        return [], f"no {wrapper} here"
    command = [compiler, "-O2", str(source), "-o", str(program), *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    return ([program] if done.returncode == 0 else []), done.stderr


def library(text: str) -> tuple[str, Path]:
    name, _, prefix = text.partition("=")
    if name not in BY_HAND or not Path(prefix).is_dir():
        raise argparse.ArgumentTypeError(f"{text}: expected NAME=FOLDER with NAME one of {', '.join(BY_HAND)}")
    return name, Path(prefix).resolve()


def run(command: list[str], timeout: float) -> list[dict]:
    """The records that a program printed; none if it failed or took too long."""
    try:
        done = subprocess.run(
            command, env=os.environ | OPEN_MPI | NOTHING_KEPT, capture_output=True, text=True, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return []
    if done.returncode != 0:
        print(f"fft: {' '.join(command)}: exit {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


class Usual(NamedTuple):
    """What a machine does when nobody disturbs it."""

    beat_us: float
    hop_ns: float


def usual_of(points: list[dict]) -> Usual:
    found = [r for p in points for of_name in p["records"].values() for r in of_name]
    return Usual(*(min((r[key] for r in found if key in r), default=float("inf")) for key in Usual._fields))


def is_steady(record: dict, usual: Usual) -> bool:
    return record.get("beat_us", 0) <= STEADY * usual.beat_us and record.get("hop_ns", 0) <= NEAR * usual.hop_ns


def has_enough(records: dict[str, list[dict]], usual: Usual) -> bool:
    return all(sum(is_steady(r, usual) for r in of_name) >= ENOUGH for of_name in records.values())


def undisturbed(points: list[dict]) -> list[dict]:
    """The points with their steady launches, or all where a program has no other; and how many there were."""
    usual = usual_of(points)
    result = []
    for p in points:
        kept = {name: [r for r in rs if is_steady(r, usual)] or rs for name, rs in p["records"].items()}
        timed = [r for rs in p["records"].values() for r in rs if "best_ms" in r]
        steady = sum(is_steady(r, usual) for r in timed)
        result.append(p | {"records": kept, "steady": f"{steady} of {len(timed)}"})
    return result


def hop(folder: Path) -> dict[str, float]:
    """How far the CPUs are from one another now, in nanoseconds; nothing where there is one."""
    program = folder / "hop"
    said = subprocess.run([str(program)], capture_output=True, text=True).stdout.split() if program.exists() else []
    return {"hop_ns": float(said[0])} if said else {}


def measure(args: argparse.Namespace, peers: list[Path], folder: Path, n: int, pes: int, before: list[dict]) -> dict:
    """All records of one point, by name; `before`: the points that there are."""
    build = Path(args.build).resolve()
    ours = [str(build / "bin/oshrun"), "-n", str(pes), str(build / "bin/bench-fft")]
    commands = [ours + [str(n), str(args.seconds)]]
    for program in peers:
        wisdom = str(folder / f"wisdom.{n}.{pes}")
        launch = ["mpiexec.openmpi", "--oversubscribe", "-n", str(pes), str(program)]
        commands.append(launch + [str(n), str(args.seconds), wisdom])
    point = {"n": n, "pes": pes, "rounds": 0, "records": {}}
    records: dict[str, list[dict]] = point["records"]
    while point["rounds"] < 2 * args.rounds:
        if point["rounds"] >= args.rounds and has_enough(records, usual_of([*before, point])):
            break
        point["rounds"] += 1
        for command in commands:
            first = hop(folder)
            found = run(command, args.timeout)
            farthest = max(first, hop(folder), key=lambda h: h.get("hop_ns", 0)) if pes > 1 else {}
            for record in found:
                records.setdefault(record["name"], []).append(record | farthest)
    return point


def value(point: dict, name: str) -> float | None:
    records = point["records"].get(name)
    return median(r["best_ms"] for r in records) if records else None


def names_of(points: list[dict]) -> list[str]:
    found = {name for p in points for name, records in p["records"].items() if "best_ms" in records[0]}
    ours = [*OURS, *(name for name in TRANSPOSED if name in found)]
    return [*ours, *sorted(found - set(ours))]


def ratio(theirs: float | None, mine: float | None) -> str:
    return f"{theirs / mine:.2f}" if theirs and mine else "–"


def row(point: dict, names: list[str]) -> str:
    others = [v for name in names if name not in OURS + TRANSPOSED and (v := value(point, name)) is not None]
    cells = [f"{point['n']}³", str(point["pes"]), point["steady"]]
    cells += [f"{v:.3g}" if (v := value(point, name)) is not None else "–" for name in names]
    for ours in OURS:
        cells.append(ratio(min(others, default=None), value(point, ours)))
    cells += [ratio(value(point, FFTW_TRANSPOSED), value(point, ours)) for ours in TRANSPOSED if ours in names]
    return "| " + " | ".join(cells) + " |"


def route_rows(point: dict) -> list[str]:
    """For each kind of buffer the route most often chosen, and its limit."""
    rows = []
    records = point["records"]
    for ours in OURS + TRANSPOSED:
        routes = records.get(ROUTE + ours, [])
        if not routes or LIMIT not in records:
            continue
        copy, lines = (median(r[key] for r in records[LIMIT]) for key in ("copy_ms", "lines_ms"))
        said = [(r["passes"], r["route"]) for r in routes]
        passes, route = max(said, key=said.count)
        limit = f"{passes * copy + lines:.3g} ({passes:g} × {copy:.3g} + {lines:.3g})"
        buffers = ours.removeprefix("oshen").strip(" ,").removesuffix(" buffers")
        rows.append(f"| {point['n']}³ | {point['pes']} | {buffers} | {value(point, ours):.3g} | {limit} | {route} |")
    return rows


def effort_rows(point: dict) -> list[str]:
    """What our efforts cost, and what the transform takes then."""
    rows = []
    for name, records in point["records"].items():
        if name.startswith(PLANNING):
            plan, run = (median(r[key] for r in records) for key in ("plan_ms", "run_ms"))
            rows.append(f"| {point['n']}³ | {point['pes']} | {name.removeprefix(PLANNING)} | {plan:.3g} | {run:.3g} |")
    return rows


def rounds_of(points: list[dict]) -> str:
    """For people: the number that all points have, or the least and the most."""
    rounds = {p["rounds"] for p in points}
    return str(*rounds) if len(rounds) == 1 else f"{min(rounds)} to {max(rounds)}"


def machine_of(how: dict) -> str:
    if "facts" not in how:  # recorded before machines had names
        return f"{how['machine']}, {how['cpus']} CPUs"
    return machine.name(how["facts"])


def page(points: list[dict], how: dict) -> str:
    points = undisturbed(points)
    names = names_of(points)
    left = [f"FFTW transposed ÷ ours, {name.rpartition(', ')[2]}" for name in TRANSPOSED if name in names]
    head = ["N", "PEs", "steady launches", *names, "best other ÷ ordinary", "best other ÷ symmetric", *left]
    rows = [line for p in points for line in effort_rows(p)]
    efforts = ["Our efforts, ordinary buffers, nothing remembered from earlier programs:", "",
               "| N | PEs | effort | ms to plan | ms to transform |", "|---|---|---|---|---|", *rows, ""] if rows else []
    ways = ["N", "PEs", "buffers", "ms", "limit (passes × copy + lines)", "route"]
    lines = [
        "# 3-D FFT beside others",
        "",
        f"Forward, complex double, milliseconds; {machine_of(how)}, load average {how['load'][0]:.1f} before and "
        f"{how['load'][1]:.1f} after. Median over {rounds_of(points)} rounds of the best of eight batches, from the first process's start to the "
        "last one's end; all programs of a point take turns. Launches are steady where a little arithmetic in registers took its usual time "
        "on every CPU, about the best batch, and a cache line its usual time from one CPU to the other, before and after; others (somebody "
        "else uses the core, or the CPUs of a virtual machine were moved) count only where a program has no steady one. Ours and LAMMPS: bricks (1 × 1 × 1, 1 × 1 × 2, 1 × 2 × 2) back to the same bricks; FFTW-MPI: its own slabs, "
        "back to slabs, and left transposed, which is half the work between PEs. How each plans is said below. "
        "Ours is left transposed as FFTW's is, too; in ordinary memory, and in symmetric memory that is promised to be so (`buffers` of `oshen_fft_attr_t`).",
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *(row(p, names) for p in points),
        "",
        "## How each plans",
        "",
        "| library | effort |",
        "|---|---|",
        *(f"| {name} | {EFFORTS.get(name, '?')} |" for name in names),
        "",
        *efforts,
        "## Routes and limits",
        "",
        "`>`: results go to where the next stage wants them; `<`: the next stage gathers them. The limit is what the same PEs need at the "
        "same time for as many plain copies of their parts as the route makes passes, plus the one-dimensional transforms in the cache. "
        "A copy writes to other lines than it reads; a pass in place does not, and may beat it. A route that begins with a mere copy "
        "begins with none where input and output are one buffer, as here in symmetric memory.",
        "",
        "| " + " | ".join(ways) + " |",
        "|" + "---|" * len(ways),
        *(line for p in points for line in route_rows(p)),
        "",
        "heFFTe and fftMPI are not packaged by Debian 12 (`--library heffte=FOLDER` takes one that was built by hand); fft_3d of its LAMMPS is the code that fftMPI grew out of.",
        "",
        "What it means: [fft-notes.md](fft-notes.md). Made by `bench/fft/compare.py`; all samples are in [fft.json](fft.json).",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="build folder with bin/oshrun and bin/bench-fft")
    parser.add_argument("--sizes", type=int, nargs="+", default=[32, 64, 128, 256])
    parser.add_argument("--pes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="of runs of each program in a round")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one program")
    parser.add_argument("--library", type=library, action="append", default=[], metavar="NAME=FOLDER",
                        help="one more, built by hand and installed there: " + ", ".join(BY_HAND))
    parser.add_argument("--keep", action="store_true", help="points that are not measured now stay as OUT.json has them")
    parser.add_argument("--out", default="docs/bench/fft", help="path without .json and .md")
    args = parser.parse_args()
    if others := machine.busy():
        print(f"fft: {others}: this will be in the numbers", file=sys.stderr)
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="oshen-fft-") as name:
        folder = Path(name)
        peers = build_peers(folder, dict(args.library))
        build("cc", HERE / "hop.c", folder, [])
        points = []
        kept = kept_points(args)
        for n in args.sizes:
            for pes in args.pes:
                points.append(measure(args, peers, folder, n, pes, points))
                print(row(undisturbed(points)[-1], names_of(points)), flush=True)
                write(args, kept + points, [before, os.getloadavg()[0]])  # each time: a long run may be ended


def kept_points(args: argparse.Namespace) -> list[dict]:
    """Of an earlier run, those that this one leaves out."""
    if not args.keep:
        return []
    earlier = json.loads(Path(args.out + ".json").read_text())
    if machine_of(earlier["how"]) != machine.name(machine.facts()):
        sys.exit(f"fft: --keep: {args.out}.json was recorded on another machine or system: leave --keep out, or name another --out")
    return [p for p in earlier["points"] if p["n"] not in args.sizes or p["pes"] not in args.pes]


def write(args: argparse.Namespace, points: list[dict], load: list[float]) -> None:
    points = sorted(points, key=lambda p: (p["n"], p["pes"]))
    how = {"facts": machine.facts(), "load": load, "seconds": args.seconds}
    Path(args.out + ".json").write_text(json.dumps({"how": how, "points": points}, indent=1) + "\n")
    Path(args.out + ".md").write_text(page(points, how))


if __name__ == "__main__":
    main()
