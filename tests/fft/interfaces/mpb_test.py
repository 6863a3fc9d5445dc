#!/usr/bin/env python3
"""MPB, a program for FFTW-MPI as Debian built it: photonic bands with the real library, and with Oshen's interface preloaded.

  mpb_test.py PROGRAM LIBRARY two|three FOLDER -- LAUNCHER [ARGUMENT ...]

MPB transforms all bands and components together (howmany). Oshen carries out the plans of two dimensions, and leaves those of
three to FFTW-MPI.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

RANKS = 3
TOLERANCE = 1e-5  # of frequencies around 0.5, which MPB iterates to about 1e-7
LATTICE = {"two": "(size 1 1 no-size)", "three": "(size 1 1 1)"}
RESOLUTION = {"two": 24, "three": 9}
LEFT = "expected 1, or an array of two dimensions: this plan is left to FFTW-MPI"
STARTED = "Oshen"  # of the line that SHMEM_VERSION asks for

# Rods of a dielectric, and a few points along two edges of the Brillouin zone.
INPUT = """
(set! deterministic? true)
(set! geometry-lattice (make lattice {lattice}))
(set! geometry (list (make cylinder (center 0 0 0) (radius 0.2) (height 0.6) (material (make dielectric (epsilon 11.56))))))
(set! k-points (interpolate 1 (list (vector3 0 0 0) (vector3 0.5 0 0) (vector3 0.5 0.5 0))))
(set! resolution {resolution})
(set! num-bands 5)
(run)
"""


def run(launcher: list[str], program: str, source: Path, **environment: str) -> tuple[list[float], str]:
    """The numbers of all bands, and all output."""
    preload = [f"{name}={value}" for name, value in environment.items()]
    done = subprocess.run([*launcher, "-n", str(RANKS), "env", *preload, program, str(source)], check=False, capture_output=True, text=True,
                          cwd=source.parent)
    if done.returncode != 0:
        sys.exit(f"mpb_test: status {done.returncode} with {environment}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    rows = re.findall(r"^freqs:, (\d.*)$", done.stdout, re.M)
    return [float(number) for row in rows for number in row.split(",")], done.stdout + done.stderr


def main() -> int:
    program, library, dimensions, folder = sys.argv[1:5]
    launcher = sys.argv[sys.argv.index("--") + 1:]
    os.makedirs(folder, exist_ok=True)
    source = Path(folder, "bands.ctl").absolute()
    source.write_text(INPUT.format(lattice=LATTICE[dimensions], resolution=RESOLUTION[dimensions]))
    right, _ = run(launcher, program, source)
    mine, said = run(launcher, program, source, LD_PRELOAD=library, SHMEM_VERSION="1")
    wrong = []
    if len(right) < 5 * 10 or len(right) != len(mine):  # 5 points: number, vector, length, bands
        wrong.append(f"{len(mine)} numbers: expected {len(right)}, and at least 50")
    worst = max((abs(a - b) for a, b in zip(right, mine)), default=0)
    if worst > TOLERANCE:
        wrong.append(f"the largest difference is {worst}")
    if (STARTED in said) != (dimensions == "two") or (LEFT in said) != (dimensions == "three"):
        wrong.append(f"the plans are not carried out by the expected library\n{said[-2000:]}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
