#!/usr/bin/env python3
"""The same molecular dynamics without cells, ghosts or messages: all pairs, nearest images. An answer to hold minimd to.

  md_by_pairs.py CELLS STEPS                   prints T, U and P at step 0 and each 20
  md_by_pairs.py CELLS STEPS -- COMMAND ...    also runs the command, and compares the lines that it prints for steps

The recipe: a face-centred lattice of density 0.8442, velocities of the minimal standard generator (each component the
sixth number of a chain that starts from the atom's place in the lattice), temperature 1.44, Lennard-Jones cut at 2.5, steps
of 0.005, pairs within 2.8 found again each 20 steps.
"""
import re
import subprocess
import sys

import numpy

STEP, EVERY, CUT, LIST = 0.005, 20, 2.5, 2.8


def velocity(seed: int) -> list[float]:
    found = []
    for _ in range(3):
        for _ in range(6):
            seed = seed * 16807 % (2**31 - 1)
        found.append(seed / (2**31 - 1))
    return found


def start(cells: int) -> tuple[numpy.ndarray, numpy.ndarray, float]:
    lattice = (4 / 0.8442) ** (1 / 3)
    n = 2 * cells
    places = [(i, j, k) for k in range(n) for j in range(n) for i in range(n) if (i + j + k) % 2 == 0]
    x = numpy.array(places) * 0.5 * lattice
    v = numpy.array([velocity((k * n + j) * n + i + 1) for i, j, k in places])
    v -= v.mean(axis=0)
    v *= (1.44 / temperature(v)) ** 0.5
    return x, v, cells * lattice


def temperature(v: numpy.ndarray) -> float:
    return (v * v).sum() / (3 * len(v) - 3)


def between(x: numpy.ndarray, i: numpy.ndarray, j: numpy.ndarray, side: float) -> tuple[numpy.ndarray, numpy.ndarray]:
    away = x[i] - x[j]
    away -= side * numpy.round(away / side)
    return away, (away * away).sum(axis=1)


def near_pairs(x: numpy.ndarray, side: float) -> tuple[numpy.ndarray, numpy.ndarray]:
    i, j = numpy.triu_indices(len(x), 1)
    near = between(x, i, j, side)[1] <= LIST**2
    return i[near], j[near]


def forces(x: numpy.ndarray, pairs: tuple[numpy.ndarray, numpy.ndarray], side: float) -> tuple[numpy.ndarray, float, float]:
    """Forces, energy, virial."""
    away, square = between(x, *pairs, side)
    inside = square < CUT**2
    i, j, away, square = pairs[0][inside], pairs[1][inside], away[inside], square[inside]
    sixth = square**-3.0
    strength = 48 * sixth * (sixth - 0.5) / square
    f = numpy.zeros_like(x)
    numpy.add.at(f, i, away * strength[:, None])
    numpy.subtract.at(f, j, away * strength[:, None])
    return f, (4 * sixth * (sixth - 1)).sum(), (strength * square).sum()


def simulate(cells: int, steps: int) -> dict[int, tuple[float, float, float]]:
    x, v, side = start(cells)
    pairs = near_pairs(x, side)
    f, energy, virial = forces(x, pairs, side)
    states = {}
    for step in range(steps + 1):
        if step > 0:
            v += 0.5 * STEP * f
            x += STEP * v
            if step % EVERY == 0:
                pairs = near_pairs(x, side)
            f, energy, virial = forces(x, pairs, side)
            v += 0.5 * STEP * f
        if step % EVERY == 0 or step == steps:
            kelvin = temperature(v)
            states[step] = (kelvin, energy / len(x), (kelvin * (3 * len(x) - 3) + virial) / (3 * side**3))
    return states


def main() -> int:
    states = simulate(int(sys.argv[1]), int(sys.argv[2]))
    for step, state in states.items():
        print(f"by pairs, step {step:5}: T {state[0]:.7f} U {state[1]:.6f} P {state[2]:.7f}", flush=True)
    if "--" not in sys.argv:
        return 0
    said = subprocess.run(sys.argv[sys.argv.index("--") + 1:], check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = re.findall(r"^step +(\d+) +T (\S+) +U (\S+) +P (\S+)", said, re.M)
    wrong = [line for line in lines
             if any(abs(float(a) - b) > 2e-6 for a, b in zip(line[1:], states[int(line[0])]))]
    print(said, f"differ: {wrong}" if wrong else f"{len(lines)} states agree")
    return 1 if wrong or len(lines) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
