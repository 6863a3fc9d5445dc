#!/usr/bin/env python3
"""Puts, gets, atomics and collectives between two hosts: ours over libfabric and over UCX beside libfabric itself, Open
MPI's OpenSHMEM, and the MPIs of this machine. The hosts are network namespaces (tests/net/lab.py) joined by a veth pair.

Every round launches every contender once, every other round in reverse; a launch is the unit of what is shown.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "bench/off_node"
RECORD = ROOT / "docs/bench/off-node.json"
sys.path.insert(0, str(ROOT / "tests/net"))
import lab  # noqa: E402
from oshbench import comparison, hosts, libraries, machine, others_page  # noqa: E402

HOSTS = [lab.address("h1"), lab.address("h2")]
PROVIDER = "tcp;ofi_rxm"
UCX = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"}  # hosts of one kernel look like one machine to it
OPEN_MPI = libraries.OPEN_MPI_ENV | {
    "OMPI_MCA_plm_rsh_agent": str(lab.AGENT),
    "OMPI_MCA_opal_common_ucx_tls": "any",
    "OMPI_MCA_opal_common_ucx_devices": "any",
}


def hydra(program: str) -> list[str]:
    return [program, "-launcher", "ssh", "-launcher-exec", str(lab.AGENT), "-localhost", HOSTS[0],
            "-hosts", ",".join(HOSTS), "-ppn", "{ppn}", "-n", "{np}"]


@dataclass(frozen=True)
class Contender:
    """Who is measured: compiler and source of its program, launcher in which {np} and {ppn} are replaced, settings."""

    name: str
    about: str
    compiler: str
    source: str
    run: list[str]
    env: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    @property
    def is_ours(self) -> bool:
        return self.name.startswith("oshen")


def contenders(build: Path) -> list[Contender]:
    """Those that are here. The first is what the goals are about."""
    ours = str(build / "bin/oshcc")
    mpirun = ["mpirun.openmpi", "--host", ",".join(f"{host}:{{ppn}}" for host in HOSTS), "--oversubscribe",
              "--bind-to", "none", "-n", "{np}"]
    wheel = ROOT / ".venv/bin"
    everybody = [
        Contender("oshen", "Oshen over libfabric, tcp;ofi_rxm", ours, "shmem.c", hydra("mpiexec.hydra"),
                  {"OSHEN_TRANSPORT": "ofi:" + PROVIDER}),
        Contender("oshen-ucx", "Oshen over UCX, tcp", ours, "shmem.c", hydra("mpiexec.hydra"),
                  {"OSHEN_TRANSPORT": "ucx:tcp"}),
        Contender("libfabric", "libfabric itself, tcp;ofi_rxm: fi_write complete at the target, fi_read", "cc", "fabric.c",
                  [], flags=("-lfabric",)),
        Contender("ompi-shmem", "Open MPI's OpenSHMEM over UCX, tcp", "oshcc", "shmem.c", mpirun,
                  OPEN_MPI | UCX | hosts.SETTINGS["ompi-shmem"]),
        Contender("ompi", "Open MPI, its own tcp", "mpicc.openmpi", "mpi.c", mpirun, OPEN_MPI),
        Contender("ompi-ucx", "Open MPI over UCX, tcp", "mpicc.openmpi", "mpi.c", mpirun,
                  OPEN_MPI | UCX | {"OMPI_MCA_pml": "ucx", "OMPI_MCA_osc": "ucx"}),
        Contender("mpich-ucx", "MPICH over UCX, tcp", "mpicc.mpich", "mpi.c", hydra("mpiexec.hydra"), UCX),
        Contender("mpich-ofi", "MPICH of PyPI over libfabric, tcp", str(wheel / "mpicc"), "mpi.c",
                  hydra(str(wheel / "mpiexec.hydra")), {"FI_PROVIDER": "tcp", "MPIR_CVAR_OFI_USE_PROVIDER": "tcp"}),
    ]
    return [one for one in everybody if shutil.which(one.compiler)]


def build_programs(all_of_them: list[Contender], folder: Path) -> dict[str, Path]:
    programs = {}
    for one in all_of_them:
        program = folder / one.name
        command = [one.compiler, "-O2", "-o", str(program), str(SOURCES / one.source), *one.flags]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            programs[one.name] = program
        else:
            print(f"{one.name}: not built: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    return programs


# ---- launching ----------------------------------------------------------------------------------------------------


def cases_of(text: str) -> dict[str, float]:
    """Microseconds by case, such as "put 8"."""
    found = {}
    for line in text.splitlines():
        if line.startswith('{"case"'):
            row = json.loads(line)
            found[f"{row['case']} {row['bytes']}"] = row["us"]
    return found


def launch(laboratory: lab.Lab, one: Contender, program: Path, ppn: int, args: argparse.Namespace) -> tuple[dict[str, float], str]:
    """The cases of one launch, and how it ended."""
    words = ["quick"] if args.quick else []
    kept = {"env": one.env, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    if one.name == "libfabric":
        server = laboratory.start("h2", [str(program), PROVIDER, "serve", "7471"], **kept)
        process = laboratory.start("h1", [str(program), PROVIDER, HOSTS[1], "7471", *words], **kept)
    else:
        server = None
        launcher = [word.replace("{ppn}", str(ppn)).replace("{np}", str(2 * ppn)) for word in one.run]
        process = laboratory.start("h1", [*launcher, str(program), *words], **kept)
    try:
        out, err = process.communicate(timeout=args.limit)
        ended = "ok" if process.returncode == 0 else f"status {process.returncode}: {err.strip()[-200:]}"
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        ended = "timeout"
    if server is not None:
        server.kill()
        server.communicate()
    return cases_of(out), ended


def measure(args: argparse.Namespace) -> dict:
    chosen = [one for one in contenders(args.build) if not args.only or one.name in args.only]
    saved = {"machine": machine.facts(), "command": args.command, "busy": args.busy, "commit": machine.commit(ROOT),
             "load": [machine.load()], "rounds": 0, "contenders": {one.name: one.about for one in chosen}, "results": {}, "ended": {}}
    watch = machine.Watch()
    # Not in /tmp, of which each host has its own.
    with tempfile.TemporaryDirectory(prefix=".off-node-", dir=args.build) as folder:
        programs = build_programs(chosen, Path(folder))
        chosen = [one for one in chosen if one.name in programs]
        for ppn, round_number in itertools.product(args.ppn, range(args.rounds)):
            for one in chosen if round_number % 2 == 0 else reversed(chosen):
                if one.name == "libfabric" and ppn != 1:
                    continue
                began = time.monotonic()
                with lab.Lab(2) as laboratory:
                    cases, ended = launch(laboratory, one, programs[one.name], ppn, args)
                print(f"2 x {ppn}, round {round_number + 1}, {one.name}: {len(cases)} cases, {ended} "
                      f"({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)
                saved["ended"].setdefault(one.name, []).append(ended)
                kept = saved["results"].setdefault(f"2 x {ppn}", {}).setdefault(one.name, {})
                for case, us in cases.items():
                    kept.setdefault(case, []).append(us)
            saved["rounds"] = round_number + 1
            saved["load"][1:] = [machine.load()]
            saved["busy"] = saved["busy"] or comparison.disturbed(watch)
            if args.record:  # who is interrupted keeps what there is
                RECORD.write_text(json.dumps(saved, indent=1) + "\n")
                write_pages(saved)
    return saved


def write_pages(saved: dict) -> None:
    RECORD.with_suffix(".md").write_text(page(saved))
    others_page.write(RECORD.parent)


# ---- the page -----------------------------------------------------------------------------------------------------

MOVES = ("put", "get", "fetch_add")


def value(saved: dict, layout: str, name: str, case: str) -> float | None:
    all_of_them = saved["results"].get(layout, {}).get(name, {}).get(case)
    return statistics.median(all_of_them) if all_of_them else None


def best_other(saved: dict, layout: str, case: str) -> tuple[str, float] | None:
    found = [(value(saved, layout, name, case), name) for name in saved["contenders"]
             if not name.startswith("oshen") and name != "libfabric"]
    found = [pair for pair in found if pair[0] is not None]
    return (min(found)[1], min(found)[0]) if found else None


def shown(us: float | None) -> str:
    if us is None:
        return ""
    return f"{us:.1f}" if us < 1000 else f"{us / 1000:.2f} ms"


def goals(saved: dict) -> list[list[str]]:
    """What was to be reached, and whether it is: ratios of medians of one interleaved run."""
    rows = []

    def judge(what: str, goal: str, ratio: float | None, most: float) -> None:
        if ratio is not None:
            rows.append([what, goal, f"{ratio:.2f}", "reached" if ratio <= most else "missed"])

    def over(case: str) -> float | None:
        ours, bare = value(saved, "2 x 1", "oshen", case), value(saved, "2 x 1", "libfabric", case)
        return ours / bare if ours and bare else None

    judge("put 8 B and quiet", "≤ 1.15 × libfabric", over("put 8"), 1.15)
    judge("get 8 B", "≤ 1.15 × libfabric", over("get 8"), 1.15)
    judge("put 4 MiB and quiet", "≤ libfabric / 0.9", over("put 4194304"), 1 / 0.9)
    computing = value(saved, "2 x 1", "oshen", "put_computing 8")
    judge("put 8 B to a PE that computes, of 0.5 ms", "≤ 1", computing / 500 if computing else None, 1.0)
    for layout, results in saved["results"].items():
        for case in results.get("oshen", {}):
            other = best_other(saved, layout, case)
            if case.startswith("put_computing") or other is None:
                continue
            judge(f"{layout}: {case} B", f"ahead of {other[0]}, the best of the others",
                  value(saved, layout, "oshen", case) / other[1], 1.0)
    return rows


def table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]) + "\n"


def page(saved: dict) -> str:
    judged = goals(saved)
    names = [name for name in saved["contenders"] if any(name in found for found in saved["results"].values())]
    warning = ["**The machine was busy with other work.**\n"] if saved.get("busy") else []
    text = [
        "# Between two hosts\n",
        f"Measured on: {machine.name(saved['machine'])}.\n",
        "Generated by `bench/off_node.py` from the JSON file beside this page; do not edit. What falls short and why: "
        "[off-node-notes.md](off-node-notes.md).\n",
        *warning,
        f"    {saved.get('command', 'the command was not recorded')}\n",
        f"{sum(row[-1] == 'reached' for row in judged)} of {len(judged)} goals reached; {saved['rounds']} interleaved launches of "
        f"everybody; our commit {saved['commit']}; load average before and after: "
        f"{saved['load'][0]}, {saved['load'][-1]}. The hosts are two network namespaces joined by a veth pair, so both share the "
        "CPUs of one machine, and what the kernel does for TCP is in every number. Medians of launches, of which each is a median "
        "of nine batches, in microseconds; collectives back to back.\n",
        table(["contender", "", "how its launches ended"],
              [[name, saved["contenders"][name], "; ".join(sorted(set(saved["ended"].get(name, []))))[:120]]
               for name in names]),
        "\n## Goals\n", table(["what", "goal", "ratio", "verdict"], judged),
    ]
    for layout, results in saved["results"].items():
        cases = list(dict.fromkeys(case for found in results.values() for case in found))
        columns = [name for name in names if name in results]
        text += [f"\n## {layout} PEs\n",
                 table(["case", "B", *columns],
                       [[*case.split(), *(shown(value(saved, layout, name, case)) for name in columns)] for case in cases])]
    return "\n".join(text).rstrip("\n") + "\n"


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="our build folder")
    parser.add_argument("--rounds", type=int, default=5, help="launches of everybody (default 5)")
    parser.add_argument("--ppn", type=int, nargs="+", default=[1, 2], help="PEs on each host (default: 1, then 2)")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="of the contenders")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a launch (default 120)")
    parser.add_argument("--quick", action="store_true", help="try everything, and measure nothing well")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.relative_to(ROOT)} and its page")
    parser.add_argument("--busy", action="store_true", help="record although others use the machine")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    args = parser.parse_args(words)
    args.command = shlex.join(["python3", "bench/off_node.py", *words])
    return args


def main() -> int:
    args = parse_arguments(sys.argv[1:])
    if args.page:
        write_pages(json.loads(RECORD.read_text()))
        return 0
    if args.record and args.quick:
        print("off_node: --quick measures nothing that could be recorded", file=sys.stderr)
        return 2
    if args.record and not args.busy and (why := machine.busy()):
        print(f"--record: {why}; record on a quiet machine, or give --busy and the page says so", file=sys.stderr)
        return 2
    if reason := lab.obstacle():
        print(f"off_node: no hosts can be made here: {reason}", file=sys.stderr)
        return 1
    if not (args.build / "bin/oshcc").exists():
        print(f"off_node: {args.build} has no bin/oshcc; build it, or name another with --build", file=sys.stderr)
        return 1
    saved = measure(args)
    print(page(saved))
    return 0


if __name__ == "__main__":
    sys.exit(main())
